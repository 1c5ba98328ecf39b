import { isDeepStrictEqual } from 'node:util'
import {
  type GeometryFamily,
  type GeometryType,
  geometryParts,
  geometryTypes,
} from '../../contract/geometry.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import { findAtPointer, type Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { lineAt } from '../../document/line_starts.ts'
import { nearestNode } from '../../document/yaml_node.ts'
import { checkStyleText, type StyleLanguage, styleMembers } from '../../style/check_style_text.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import { type IncludedFile, showAt } from '../resolve_source.ts'

/** A member with a style. */
interface StyleMember {
  readonly pointer: Pointer
  readonly language: StyleLanguage
}

const members: readonly StyleMember[] = styleMembers.map(({ cls, field, language }) => ({
  pointer: `/${cls}/${field}`,
  language,
}))

/**
 * Checks the style of a block like the server does. Issues have their span in the file if the style is included or a block
 * scalar (`xml: |`); otherwise the span of the value, with the line and column of the style in the message. Fields that the
 * layer does not have are reported where the manifest lists the fields of the layer.
 */
export function checkStyle(block: Block, blocks: ReadonlyMap<string, Block>): Issue[] {
  return members.flatMap((member) => {
    const text = findAtPointer(block.value, member.pointer)
    if (typeof text !== 'string' || text === '') return []
    return checkMember({ ...member, block, text, ...findLayer(block, blocks) })
  })
}

/** Reports the fields that a style reads and that its layer, with these keynames, does not have. */
export type FieldCheck = (keynames: readonly string[]) => readonly Issue[]

/**
 * Returns a check of the fields that the style of a block reads, for a layer whose fields the manifest does not list: they come from
 * a source, or from the server. Undefined if there is nothing to check, or if `checkStyle` has checked it.
 */
export function findFieldCheck(block: Block, blocks: ReadonlyMap<string, Block>): FieldCheck | undefined {
  const styles = members.flatMap((member): Omit<StyleText, 'fields' | 'family'>[] => {
    const text = findAtPointer(block.value, member.pointer)
    const isWritten = typeof text === 'string' && text !== ''
    return isWritten && !isRedacted(block, member.pointer) ? [{ ...member, block, text }] : []
  })
  if (styles.length === 0 || findLayer(block, blocks).fields !== undefined) return undefined
  return (fields) =>
    styles.flatMap((style) => {
      const known = checkMember({ ...style, fields: undefined, family: undefined })
      const found = checkMember({ ...style, fields, family: undefined })
      return found.filter((issue) => !known.some((one) => isDeepStrictEqual(one, issue)))
    })
}

const isRedacted = ({ source, pointer }: Block, place: Pointer) =>
  !source.included.has(pointer + place) && source.expressions.has(pointer + place)

/** Finds the fields and the geometries of the layer of a style; undefined if they come from elsewhere. */
function findLayer(
  { parent }: Block,
  blocks: ReadonlyMap<string, Block>,
): Pick<StyleText, 'fields' | 'family'> {
  const layer = parent === undefined ? undefined : blocks.get(parent)
  if (layer?.cls !== 'vector_layer' || layer.existing) return { fields: undefined, family: undefined }
  const fields = findAtPointer(layer.value, '/feature_layer/fields')
  const type = findAtPointer(layer.value, '/vector_layer/geometry_type')
  return {
    fields: Array.isArray(fields)
      ? fields.map((field: { readonly keyname?: unknown } | null) => String(field?.keyname))
      : undefined,
    family: geometryTypes.includes(type as GeometryType)
      ? geometryParts(type as GeometryType).family
      : undefined,
  }
}

interface StyleText extends StyleMember {
  readonly block: Block
  readonly text: string
  /** Fields of the layer; undefined if they are not known. */
  readonly fields: readonly string[] | undefined
  /** Geometries of the layer; undefined if they are not known. */
  readonly family: GeometryFamily | undefined
}

function checkMember(style: StyleText): Issue[] {
  const { block, pointer, text } = style
  const included = block.source.included.get(block.pointer + pointer)
  if (included !== undefined) return checkIncludedStyle(style, included)
  if (isRedacted(block, pointer)) return checkRedactedStyle(style)
  return readIssues(style, text).map(({ code, message, severity, span, hint }) => {
    const inFile = span === undefined ? undefined : findInFile(style, span)
    const place =
      inFile !== undefined || span === undefined ? '' : ` (line ${span.line}, column ${span.column})`
    const fault = { code: code as ProblemCode, severity, pointer, hint, message: `${message}${place}` }
    return { ...blockIssue(block, fault), ...(inFile === undefined ? {} : { span: inFile }) }
  })
}

const readings = new WeakMap<object, Map<string, readonly Issue[]>>()

/** Checks a style, with a cache: many layers of a file have the same style. */
function readIssues(
  { block: { source }, language, fields, family }: StyleText,
  text: string,
): readonly Issue[] {
  const known = readings.get(source) ?? new Map<string, readonly Issue[]>()
  readings.set(source, known)
  const key = `${JSON.stringify([language, fields, family])} ${text}`
  const issues = known.get(key) ?? checkStyleText(language, text, { fields, family })
  known.set(key, issues)
  return issues
}

/** Checks an included style file; issues have their span in that file. */
function checkIncludedStyle(style: StyleText, { file, text }: IncludedFile): Issue[] {
  return readIssues(style, text).map(({ code, message, severity, span, hint }) => ({
    ...blockIssue(style.block, {
      code: code as ProblemCode,
      severity,
      pointer: style.pointer,
      hint,
      message,
    }),
    ...(span === undefined ? {} : { span: { ...span, file } }),
  }))
}

/**
 * Checks a style with variables. The message omits the details, which could show values of the variables. A value that
 * could not be replaced has an issue of its own.
 */
function checkRedactedStyle({ block, pointer, text, language }: StyleText): Issue[] {
  if (block.source.unresolved.has(block.pointer + pointer)) return []
  const error = checkStyleText(language, text).find(({ severity }) => severity === 'error')
  if (error === undefined) return []
  const shown = showAt(block.source, block.pointer + pointer)
  const message = `${shown} is not a valid style`
  return [blockIssue(block, { code: error.code as ProblemCode, pointer, message })]
}

/** Finds the span of a part of the style in the file; undefined if the file does not have the style line by line. */
function findInFile({ block, pointer, text: style }: StyleText, span: Span): Span | undefined {
  const { document } = block.source
  const node = nearestNode(document, block.pointer + pointer)
  const { text, lines, file } = document
  const first = lineAt(lines, node.start)
  // The node of a block scalar starts at its `|`, or at the first line after it.
  const above = text[node.start] === '|' ? first : first - 1
  const inner = style.split('\n')[span.line - 1] ?? ''
  const start = lines[above + span.line - 1]
  if (start === undefined) return undefined
  const written = text.slice(start, lines[above + span.line]).replace(/\r?\n$/, '')
  const indent = written.length - inner.length
  if (indent < 0 || written !== ' '.repeat(indent) + inner) return undefined
  const line = above + span.line
  return { file, line, column: span.column + indent, endLine: line, endColumn: span.endColumn + indent }
}
