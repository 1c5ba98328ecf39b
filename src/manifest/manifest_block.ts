import type { Cls } from '../contract/registry.ts'
import { type Pointer, splitPointer } from '../core/pointer.ts'
import { formatSpan } from '../core/span.ts'
import { issueAt, keySpanOf, type ManifestSource, type SourceFault } from './resolve_source.ts'

/** A resource as a file has it, before the files are put together. */
export interface Block {
  readonly key: string
  /** Fields by name, without `children`; of the right shape where the block has no issue. */
  readonly value: Readonly<Record<string, unknown>>
  /** Absent where none is written, or one that does not exist. */
  readonly cls?: Cls
  readonly existing: boolean
  /** Key of the parent, nested around it or written. */
  readonly parent?: string
  readonly source: ManifestSource
  /** Where the block stands in its document. */
  readonly pointer: Pointer
}

/** Makes an issue about a block; the pointer starts at the block, the message at what the pointer names. */
export function blockIssue(block: Block, fault: SourceFault) {
  const pointer = block.pointer + fault.pointer
  const message = `${formatPlace(block.key, fault.pointer)}: ${fault.message}`
  return issueAt(block.source, { ...fault, pointer, message })
}

/** Names a part of a block in a message: `cities.feature_layer.fields[0].datatype`. */
export function formatPlace(key: string, pointer: Pointer): string {
  const parts = splitPointer(pointer).map((token) => (/^\d+$/.test(token) ? `[${token}]` : `.${token}`))
  return key + parts.join('')
}

/** Says where a block stands, for messages about another one. */
export function placeOf(block: Block): string {
  return formatSpan(keySpanOf(block.source, block.pointer))
}

/** Lists classes in a sentence. */
export function formatClasses(classes: readonly string[]): string {
  return classes.length > 1 ? `${classes.slice(0, -1).join(', ')} or ${classes.at(-1)}` : classes.join('')
}
