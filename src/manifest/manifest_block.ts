import type { Cls } from '../contract/registry.ts'
import { type Pointer, splitPointer } from '../core/pointer.ts'
import { formatSpan } from '../core/span.ts'
import { issueAt, keySpanOf, type ManifestSource, type SourceFault } from './resolve_source.ts'

/** A resource block of one file. */
export interface Block {
  readonly key: string
  /** Fields by name, without `children`; they match the schema if the block has no issue. */
  readonly value: Readonly<Record<string, unknown>>
  /** Absent if missing or unknown. */
  readonly cls?: Cls
  readonly existing: boolean
  /** Key of the parent, from nesting or from `parent:`. */
  readonly parent?: string
  readonly source: ManifestSource
  /** Position of the block in its document. */
  readonly pointer: Pointer
}

/** Creates an issue of a block. The pointer is relative to the block; the message is prefixed with the place. */
export function blockIssue(block: Block, fault: SourceFault) {
  const pointer = block.pointer + fault.pointer
  const message = `${formatPlace(block.key, fault.pointer)}: ${fault.message}`
  return issueAt(block.source, { ...fault, pointer, message })
}

/** Formats the place of a field for messages: `cities.feature_layer.fields[0].datatype`. */
export function formatPlace(key: string, pointer: Pointer): string {
  const parts = splitPointer(pointer).map((token) => (/^\d+$/.test(token) ? `[${token}]` : `.${token}`))
  return key + parts.join('')
}

/** Formats the position of a block for messages about another block. */
export function placeOf(block: Block): string {
  return formatSpan(keySpanOf(block.source, block.pointer))
}

/** Formats a list of classes: `a, b or c`. */
export function formatClasses(classes: readonly string[]): string {
  return classes.length > 1 ? `${classes.slice(0, -1).join(', ')} or ${classes.at(-1)}` : classes.join('')
}
