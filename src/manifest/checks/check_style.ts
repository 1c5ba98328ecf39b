import type { ProblemCode } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { lineAt } from '../../document/line_starts.ts'
import { nearestNode } from '../../document/yaml_document.ts'
import { readMapserverXml, type StyleResult } from '../../style/mapserver_read.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import { showAt, type TakenFile } from '../resolve_source.ts'

const pointer: Pointer = '/mapsrv_style/xml'

/**
 * Reads the style of a block as the server is going to. What is wrong in it is placed where it stands in the file, if
 * the file has the XML line by line (`xml: |`), else at the value, with the line and column within it.
 */
export function checkStyle(block: Block): Issue[] {
  const xml = (block.value.mapsrv_style as { xml?: unknown } | null | undefined)?.xml
  if (typeof xml !== 'string' || xml === '') return []
  const taken = block.source.taken.get(block.pointer + pointer)
  if (taken !== undefined) return checkTakenStyle(block, taken)
  if (block.source.expressions.has(block.pointer + pointer)) return checkHiddenStyle(block, xml)
  return readStyle(block, xml).issues.map(({ code, message, severity, span, hint }) => {
    const inFile = span === undefined ? undefined : findInFile(block, xml, span)
    const place =
      inFile !== undefined || span === undefined ? '' : ` (line ${span.line}, column ${span.column})`
    const fault = { code: code as ProblemCode, severity, pointer, hint, message: `${message}${place}` }
    return { ...blockIssue(block, fault), ...(inFile === undefined ? {} : { span: inFile }) }
  })
}

const readings = new WeakMap<object, Map<string, StyleResult>>()

/** Reads a style; many layers of a file look the same. */
function readStyle({ source }: Block, xml: string): StyleResult {
  const known = readings.get(source) ?? new Map<string, StyleResult>()
  readings.set(source, known)
  const reading = known.get(xml) ?? readMapserverXml(xml)
  known.set(xml, reading)
  return reading
}

/** A style that is a file of its own: what is wrong is placed there. */
function checkTakenStyle(block: Block, { file, text }: TakenFile): Issue[] {
  return readStyle(block, text).issues.map(({ code, message, severity, span, hint }) => ({
    ...blockIssue(block, { code: code as ProblemCode, severity, pointer, hint, message }),
    ...(span === undefined ? {} : { span: { ...span, file } }),
  }))
}

/** A style that variables went into: what is wrong is not told in words, which would show what they hold. */
function checkHiddenStyle(block: Block, xml: string): Issue[] {
  const error = readMapserverXml(xml).issues.find(({ severity }) => severity === 'error')
  if (error === undefined) return []
  const shown = showAt(block.source, block.pointer + pointer)
  const message = `${shown} does not give a style that can be read`
  return [blockIssue(block, { code: error.code as ProblemCode, pointer, message })]
}

/** Finds where a part of the XML stands in the file; undefined where the file has it in another form. */
function findInFile(
  { source: { document }, pointer: base }: Block,
  xml: string,
  span: Span,
): Span | undefined {
  const node = nearestNode(document, base + pointer)
  const { text, lines, file } = document
  const first = lineAt(lines, node.start)
  // The value of a block starts with its `|`, or with the first line below it.
  const above = text[node.start] === '|' ? first : first - 1
  const inner = xml.split('\n')[span.line - 1] ?? ''
  const start = lines[above + span.line - 1]
  if (start === undefined) return undefined
  const written = text.slice(start, lines[above + span.line]).replace(/\r?\n$/, '')
  const indent = written.length - inner.length
  if (indent < 0 || written !== ' '.repeat(indent) + inner) return undefined
  const line = above + span.line
  return { file, line, column: span.column + indent, endLine: line, endColumn: span.endColumn + indent }
}
