import type { Cls } from '../contract/registry.ts'
import { type Pointer, splitPointer } from '../core/pointer.ts'
import { formatSpan } from '../core/span.ts'
import { nearestNode, spanAt } from '../document/yaml_node.ts'
import type { SpanOf } from './manifest.ts'
import { issueAt, keySpanOf, type ManifestSource, type SourceFault } from './resolve_source.ts'

/** A block of one file, with its position. */
export interface PlacedBlock {
  readonly key: string
  /** Fields by name; they match the schema if the block has no issue. */
  readonly value: Readonly<Record<string, unknown>>
  readonly source: ManifestSource
  /** Position of the block in its document. */
  readonly pointer: Pointer
}

/** A resource block. */
export interface Block extends PlacedBlock {
  /** Fields by name, without `children`; they match the schema if the block has no issue. */
  readonly value: Readonly<Record<string, unknown>>
  /** Absent if missing or unknown. */
  readonly cls?: Cls
  readonly existing: boolean
  /** Key of the parent, from nesting or from `parent:`. */
  readonly parent?: string
}

/** Creates an issue of a block. The pointer is relative to the block; the message is prefixed with the place. */
export function blockIssue(block: PlacedBlock, fault: SourceFault) {
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
export function placeOf(block: PlacedBlock): string {
  return formatSpan(keySpanOf(block.source, block.pointer))
}

/** Formats a list of classes: `a, b or c`. */
export function formatClasses(classes: readonly string[]): string {
  return classes.length > 1 ? `${classes.slice(0, -1).join(', ')} or ${classes.at(-1)}` : classes.join('')
}

/**
 * Returns the spans of the fields of a block; spans of fields that the block omits are those of its key, and that of a previous key
 * which follows from the use of a fragment is the one there.
 */
export function spanOfBlock({ source, pointer: base }: PlacedBlock): SpanOf {
  return (pointer) => {
    const node = nearestNode(source.document, base + pointer)
    const isBlock = node === nearestNode(source.document, base)
    if (isBlock && pointer === '/was' && source.use?.former !== undefined) return source.use.former.span
    return isBlock ? keySpanOf(source, base) : spanAt(source.document, base + pointer)
  }
}
