import { countOf } from '../../core/count.ts'
import { splitPointer } from '../../core/pointer.ts'
import { renamedFrom } from '../../reconcile/model/actual_files.ts'
import type { Edit, FileFacts } from '../../reconcile/model/change.ts'
import { oneLine, type Paint, showBytes } from './text_format.ts'
import { showValues } from './value.ts'

/** Separates the edits of files from the others. */
export function splitFiles(edits: readonly Edit[]): readonly [files: Edit[], others: Edit[]] {
  const files = edits.filter(isFileEdit)
  return files.length === 0 ? [files, [...edits]] : [files, edits.filter((edit) => !isFileEdit(edit))]
}

const isFileEdit = ({ pointer, released }: Edit) =>
  released !== true &&
  (pointer === '/file' || pointer.startsWith('/files/') || pointer.startsWith('/features/attachments/'))

/** Maximum number of files that a plan lists for a resource. */
const maxFiles = 20

/** Formats the added, changed and removed files of a resource: `files  + plans/north.pdf (12.0 kB)`. */
export function formatFiles(edits: readonly Edit[], paint: Paint): string[] {
  const lines = edits.slice(0, maxFiles).map((edit) => formatFile(edit, paint))
  const more = edits.length - maxFiles
  return more > 0 ? [...lines, `… and ${countOf(more, 'file')} more`] : lines
}

function formatFile({ pointer, from, to }: Edit, paint: Paint): string {
  const [top = '', ...names] = splitPointer(pointer)
  const [, feature] = names
  const place = feature === undefined ? top : `attachment of ${oneLine(feature)}`
  const name = names.at(-1)
  const former = renamedFrom({ pointer, from })
  const renamed = former === undefined ? '' : ` renamed from ${oneLine(former)}`
  const label = name === undefined ? place : `${place}  ${signOf(from, to, paint)} ${oneLine(name)}`
  const sizes = [from, to].flatMap((facts) => (facts === undefined ? [] : sizeOf(facts as FileFacts)))
  const isRetyped = from !== undefined && to !== undefined && typeOf(from) !== typeOf(to)
  const types = isRetyped ? `, ${typeOf(from)} → ${typeOf(to)}` : ''
  return `${label}${renamed} (${[...new Set(sizes)].join(' → ')}${types}${formatText(from, to)})`
}

/** Formats the description of a changed attachment. */
function formatText(from: unknown, to: unknown): string {
  if (from === undefined || to === undefined) return ''
  const [old, next] = [from, to].map((facts) => (facts as FileFacts).description)
  return old === next ? '' : `, description ${showValues(old, next).join(' → ')}`
}

function signOf(from: unknown, to: unknown, paint: Paint): string {
  if (from === undefined) return paint('green', '+')
  return to === undefined ? paint('red', '-') : paint('yellow', '~')
}

const sizeOf = ({ size }: FileFacts) => (size === undefined ? [] : [showBytes(size)])

const typeOf = (facts: unknown) => (facts as FileFacts).mime_type ?? 'any type'
