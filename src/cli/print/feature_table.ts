import stringWidth from 'string-width'
import type { Paint } from './paint.ts'
import { plainLine } from './printable.ts'

/** One column of a table of features. */
export interface FeatureColumn {
  readonly name: string
  /** Datatype, or type of the geometry. */
  readonly type: string
  readonly isNumber: boolean
  readonly cells: readonly string[]
}

/** How a table of features is written. */
export interface TableStyle {
  /** Columns of a line; as long as it is where absent. */
  readonly width: number | undefined
  readonly paint: Paint
}

/** A table, and what was left out of it because there was no place. */
export interface FeatureTable {
  readonly text: string
  /** Names of the columns that are not shown. */
  readonly leftOut: readonly string[]
}

const gap = 2
/** Columns are not made narrower than that, unless they are by themselves. */
const narrowest = 12
const widest = 60

/**
 * Writes features in columns that line up, numbers to the right, names and types above. Where a line is too short, wide
 * cells are cut first, then columns are left out, the last one before the first.
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

/** Measured is what is shown: escapes first. */
function cleanColumn(column: FeatureColumn): FeatureColumn {
  return { ...column, name: plainLine(column.name), cells: column.cells.map(plainLine) }
}

/** Gives the widths of as many columns as there is place for. */
function fitWidths(natural: readonly number[], width: number): number[] {
  for (let count = natural.length; count > 0; count -= 1) {
    const wanted = natural.slice(0, count)
    const room = width - gap * (count - 1)
    const least = wanted.map((one) => Math.min(one, narrowest))
    if (sum(least) <= room || count === 1) return shrink(wanted, count === 1 ? [1] : least, room)
  }
  return []
}

/** Takes from the widest columns until all fit. */
function shrink(wanted: readonly number[], least: readonly number[], room: number): number[] {
  const limitOf = (limit: number) => wanted.map((one, at) => Math.max(Math.min(one, limit), least[at] ?? 1))
  let limit = Math.max(...wanted)
  if (sum(wanted) > room) limit = Math.min(limit, Math.max(widest, room))
  while (limit > 1 && sum(limitOf(limit)) > room) limit -= 1
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

/** Decimals that are shown of degrees: a tenth of a metre. */
const degreeDecimals = 6
const metreDecimals = 2

/**
 * Shortens Well-Known Text for people: numbers to what can be meant, and of several positions the first one with how many
 * there are: `POLYGON ((10.1 59.2, …)) 231 positions`.
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
  // Every position but the first follows a comma, whatever it is the first of.
  const count = wkt.split(',').length
  const closing = ')'.repeat(brackets.length)
  if (count === 1) return `${type} ${brackets}${position}${closing}`
  return `${type} ${brackets}${position}, …${closing} ${count} positions`
}

const roundTo = (text: string, decimals: number) => String(Number(Number(text).toFixed(decimals)))
