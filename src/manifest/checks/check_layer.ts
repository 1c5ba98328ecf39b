import type { SourceData } from '../../contract/descriptor.ts'
import { layerReferenceSystems } from '../../contract/geometry.ts'
import { reservedKeynames } from '../../contract/keyname.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { dataOf } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { findAtPointer, joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { lineAt } from '../../document/line_starts.ts'
import { nearestNode } from '../../document/yaml_node.ts'
import { readMapserverXml, type StyleResult } from '../../style/mapserver_read.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import { type IncludedFile, showAt } from '../resolve_source.ts'

/** Checks a block of a class with source data for rules that its schema cannot express. */
export function checkLayer(block: Block): Issue[] {
  const { cls = '' } = block
  const data = dataOf(cls)
  if (data === undefined) return []
  const layer = { block, cls, data }
  return [...checkStructure(layer), ...checkSrs(layer), ...checkFieldNames(block), ...checkData(block)]
}

interface LayerBlock {
  readonly block: Block
  readonly cls: string
  readonly data: SourceData
}

function checkStructure({ block, cls, data: { structure = [], srs } }: LayerBlock): Issue[] {
  if (block.existing || block.value.data !== undefined) return []
  const missing = structure.filter((name) => findAtPointer(block.value, `/${cls}/${name}`) === undefined)
  if (missing.length === 0) return []
  return [
    blockIssue(block, {
      code: 'manifest/missing-field',
      pointer: block.value[cls] === undefined ? '' : `/${cls}`,
      message: `a layer without data: requires ${missing.map((name) => `${cls}.${name}`).join(' and ')}`,
      hint: `for example, ${cls}: { geometry_type: POINT, srs: { id: ${srs} } }`,
      at: 'key',
    }),
  ]
}

function checkSrs({ block, cls, data }: LayerBlock): Issue[] {
  const pointer: Pointer = `/${cls}/srs/id`
  const id = findAtPointer(block.value, pointer)
  if (typeof id !== 'number') return []
  const refuse = (hint: string) => [
    blockIssue(block, {
      code: 'manifest/bad-value',
      pointer,
      message: `cannot store layers in EPSG:${showAt(block.source, block.pointer + pointer)}`,
      hint,
    }),
  ]
  if (!layerReferenceSystems.some((code) => code === id))
    return refuse(
      `use ${layerReferenceSystems.join(' or ')}; data in other reference systems are reprojected`,
    )
  if (block.value.data !== undefined && id !== data.srs)
    return refuse(`layers with data: are stored in ${data.srs}; their data may be in any reference system`)
  return []
}

function checkFieldNames(block: Block): Issue[] {
  const fields = findAtPointer(block.value, '/feature_layer/fields')
  if (!Array.isArray(fields)) return []
  return fields.flatMap((field: { keyname?: unknown } | null, index) => {
    if (typeof field?.keyname !== 'string' || !reservedKeynames.includes(field.keyname)) return []
    const pointer = joinPointer('/feature_layer/fields', index, 'keyname')
    return blockIssue(block, {
      code: 'manifest/bad-value',
      pointer,
      message: `the keyname ${showAt(block.source, block.pointer + pointer)} is reserved`,
      hint: 'choose another keyname: every feature already has id and geom',
    })
  })
}

function checkData(block: Block): Issue[] {
  const data = block.value.data as Readonly<Record<string, unknown>> | null | undefined
  if (data?.fid_source !== 'FIELD' || data.fid_field !== undefined) return []
  return [
    blockIssue(block, {
      code: 'manifest/missing-field',
      pointer: '/data',
      message: 'fid_source: FIELD requires fid_field, the field with the ids',
      at: 'key',
    }),
  ]
}

const pointer: Pointer = '/mapsrv_style/xml'

/**
 * Checks the style of a block like the server does. Issues have their span in the file if the XML is a block scalar
 * (`xml: |`); otherwise the span of the value, with the line and column of the XML in the message.
 */
export function checkStyle(block: Block): Issue[] {
  const xml = (block.value.mapsrv_style as { xml?: unknown } | null | undefined)?.xml
  if (typeof xml !== 'string' || xml === '') return []
  const included = block.source.included.get(block.pointer + pointer)
  if (included !== undefined) return checkIncludedStyle(block, included)
  if (block.source.expressions.has(block.pointer + pointer)) return checkRedactedStyle(block, xml)
  return readStyle(block, xml).issues.map(({ code, message, severity, span, hint }) => {
    const inFile = span === undefined ? undefined : findInFile(block, xml, span)
    const place =
      inFile !== undefined || span === undefined ? '' : ` (line ${span.line}, column ${span.column})`
    const fault = { code: code as ProblemCode, severity, pointer, hint, message: `${message}${place}` }
    return { ...blockIssue(block, fault), ...(inFile === undefined ? {} : { span: inFile }) }
  })
}

const readings = new WeakMap<object, Map<string, StyleResult>>()

/** Parses a style, with a cache: many layers of a file have the same style. */
function readStyle({ source }: Block, xml: string): StyleResult {
  const known = readings.get(source) ?? new Map<string, StyleResult>()
  readings.set(source, known)
  const reading = known.get(xml) ?? readMapserverXml(xml)
  known.set(xml, reading)
  return reading
}

/** Checks an included style file; issues have their span in that file. */
function checkIncludedStyle(block: Block, { file, text }: IncludedFile): Issue[] {
  return readStyle(block, text).issues.map(({ code, message, severity, span, hint }) => ({
    ...blockIssue(block, { code: code as ProblemCode, severity, pointer, hint, message }),
    ...(span === undefined ? {} : { span: { ...span, file } }),
  }))
}

/** Checks a style with variables. The message omits the details, which could show values of the variables. */
function checkRedactedStyle(block: Block, xml: string): Issue[] {
  const error = readMapserverXml(xml).issues.find(({ severity }) => severity === 'error')
  if (error === undefined) return []
  const shown = showAt(block.source, block.pointer + pointer)
  const message = `${shown} is not a valid style`
  return [blockIssue(block, { code: error.code as ProblemCode, pointer, message })]
}

/** Finds the span of a part of the XML in the file; undefined if the file does not have the XML line by line. */
function findInFile(
  { source: { document }, pointer: base }: Block,
  xml: string,
  span: Span,
): Span | undefined {
  const node = nearestNode(document, base + pointer)
  const { text, lines, file } = document
  const first = lineAt(lines, node.start)
  // The node of a block scalar starts at its `|`, or at the first line after it.
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
