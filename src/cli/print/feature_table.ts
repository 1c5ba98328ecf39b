import stringWidth from 'string-width'
import { type Paint, plainLine } from './text_format.ts'

/** Column of a feature table. */
export interface FeatureColumn {
  readonly name: string
  /** Datatype or geometry type. */
  readonly type: string
  readonly isNumber: boolean
  readonly cells: readonly string[]
}

/** Layout of a feature table. */
export interface TableStyle {
  /** Maximum line length; unlimited if absent. */
  readonly width: number | undefined
  readonly paint: Paint
}

/** Formatted table, and the columns that did not fit. */
export interface FeatureTable {
  readonly text: string
  /** Names of the omitted columns. */
  readonly leftOut: readonly string[]
}

const gap = 2
/** Minimum width of shortened columns. */
const minWidth = 12
const maxWidth = 60

/**
 * Formats features in aligned columns below their names and types, with numbers right-aligned. To fit the line, first
 * shortens wide cells, then omits columns from the last one on.
 */
export function formatFeatureTable(
  columns: readonly FeatureColumn[],
  { width, paint }: TableStyle,
): FeatureTable {
  const clean = columns.map(cleanColumn)
  const natural = clean.map(({ name, type, cells }) =>
    Math.max(...[name, type, ...cells].map((cell) => stringWidth(cell))),
  )
  const widths = width === undefined ? natural : fitWidths(natural, width)
  const shown = clean.slice(0, widths.length)
  const line = (cellOf: (column: FeatureColumn) => string) =>
    shown
      .map((column, at) => alignCell(cellOf(column), widths[at] ?? 0, column.isNumber))
      .join(' '.repeat(gap))
      .trimEnd()
  const count = clean[0]?.cells.length ?? 0
  const lines = [
    paint(
      'bold',
      line(({ name }) => name),
    ),
    paint(
      'dim',
      line(({ type }) => type),
    ),
    ...Array.from({ length: count }, (_, row) => line(({ cells }) => cells[row] ?? '')),
  ]
  return { text: lines.join('\n'), leftOut: clean.slice(widths.length).map(({ name }) => name) }
}

/** Escapes the cells before they are measured. */
function cleanColumn(column: FeatureColumn): FeatureColumn {
  return { ...column, name: plainLine(column.name), cells: column.cells.map(plainLine) }
}

/** Returns the widths of the columns that fit. */
function fitWidths(natural: readonly number[], width: number): number[] {
  for (let count = natural.length; count > 0; count -= 1) {
    const wanted = natural.slice(0, count)
    const available = width - gap * (count - 1)
    const minWidths = wanted.map((one) => Math.min(one, minWidth))
    if (sum(minWidths) <= available || count === 1)
      return shrink(wanted, count === 1 ? [1] : minWidths, available)
  }
  return []
}

/** Shortens the widest columns until all fit. */
function shrink(wanted: readonly number[], minWidths: readonly number[], available: number): number[] {
  const limitOf = (limit: number) =>
    wanted.map((one, at) => Math.max(Math.min(one, limit), minWidths[at] ?? 1))
  let limit = Math.max(...wanted)
  if (sum(wanted) > available) limit = Math.min(limit, Math.max(maxWidth, available))
  while (limit > 1 && sum(limitOf(limit)) > available) limit -= 1
  return limitOf(limit)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

function alignCell(text: string, width: number, isNumber: boolean): string {
  const cut = cutText(text, width)
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cut)))
  return isNumber ? blanks + cut : cut + blanks
}

function cutText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let cut = ''
  for (const character of text) {
    if (stringWidth(cut + character) > width - 1) break
    cut += character
  }
  return `${cut}…`
}

/** Decimals of degrees: a tenth of a metre. */
const degreeDecimals = 6
const metreDecimals = 2

/**
 * Abbreviates well-known text: rounds the coordinates, and shows only the first position with the number of positions:
 * `POLYGON ((10.1 59.2, …)) 231 positions`.
 */
export function shortenWkt(wkt: string, isLonLat: boolean): string {
  const decimals = isLonLat ? degreeDecimals : metreDecimals
  const [, type = '', brackets = '', first = ''] = /^([A-Z]+(?: Z)?) ?(\(*)([^,()]*)/.exec(wkt) ?? []
  if (brackets === '') return wkt
  const position = first
    .trim()
    .split(/\s+/)
    .map((text) => roundTo(text, decimals))
    .join(' ')
  // Every position but the first follows a comma, also at the start of a ring or part.
  const count = wkt.split(',').length
  const closing = ')'.repeat(brackets.length)
  if (count === 1) return `${type} ${brackets}${position}${closing}`
  return `${type} ${brackets}${position}, …${closing} ${count} positions`
}

const roundTo = (text: string, decimals: number) => String(Number(Number(text).toFixed(decimals)))
