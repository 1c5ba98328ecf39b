import type { Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { lineAt, type Range, spanOfRange } from '../../document/line_starts.ts'
import { nearestNode, spanAt, type YamlDocument } from '../../document/yaml_node.ts'

/**
 * Finds the span of a part of a string in its file: exact if the file has the string as it is, on one line or as a block
 * scalar (`|`); else the span of the string.
 */
export function findTextSpan(
  document: YamlDocument,
  pointer: Pointer,
  { text, range }: { readonly text: string; readonly range: Range | undefined },
): Span {
  const start = range === undefined ? undefined : findOffset(document, pointer, { text, offset: range.start })
  if (range === undefined || start === undefined) return spanAt(document, pointer)
  const end = Math.max(range.end, range.start + 1)
  const isOneLine = !text.slice(range.start, end).includes('\n')
  return spanOfRange(document.file, document.lines, {
    start,
    end: start + (isOneLine ? end - range.start : 1),
  })
}

function findOffset(
  document: YamlDocument,
  pointer: Pointer,
  { text, offset }: { readonly text: string; readonly offset: number },
): number | undefined {
  const { text: file, lines } = document
  const node = nearestNode(document, pointer)
  const within = file.slice(node.start, node.end).indexOf(text.trimEnd())
  if (within >= 0) return node.start + within + offset
  const before = text.slice(0, offset).split('\n')
  const written = text.split('\n')[before.length - 1] ?? ''
  // The node of a block scalar starts at its `|`, or at the first line after it.
  const first = lineAt(lines, node.start) + (file[node.start] === '|' ? 1 : 0)
  const lineStart = lines[first + before.length - 2]
  if (lineStart === undefined) return undefined
  const shown = file.slice(lineStart).split(/\r?\n/, 1)[0] ?? ''
  const indent = shown.length - written.length
  if (indent < 0 || shown.trimStart() !== written.trimStart()) return undefined
  return lineStart + indent + (before.at(-1)?.length ?? 0)
}
