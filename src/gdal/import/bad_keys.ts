import type { Layer } from 'gdal-async'
import { bytesOf } from '../../core/bytes.ts'
import type { FlatFeature } from '../flatgeobuf/flat_reader.ts'
import { maxKeyBytes } from '../runner/vector_job.ts'
import { type ColumnPlan, type ColumnUse, type FieldColumn, isField, writeField } from './copy_row.ts'
import type { FeatureReader } from './feature_reader.ts'
import type { ReadingPlan } from './reading_plan.ts'
import { findBadValue } from './value_check.ts'

/** Columns of a key, and how they are read. */
export interface KeyReading {
  readonly columns: readonly ColumnPlan[]
  /** Positions of the columns of the key. */
  readonly positions: readonly number[]
  /** Whether strings can be decoded only after all of them were read, unless they are ASCII. */
  readonly isAsciiOnly: boolean
  /** Position of the last column of a text table; a row may have shifted cells if this one is missing or empty. */
  readonly last: number | undefined
}

/** Keys up to a total size. */
export interface KeyList {
  readonly list: readonly (readonly string[])[]
  add(key: readonly string[] | undefined): void
}

/** Starts an empty list of keys. Keys beyond the maximum size are left out. */
export function startKeyList(): KeyList {
  const list: (readonly string[])[] = []
  let left = maxKeyBytes
  return {
    list,
    add(key) {
      if (key === undefined || left <= 0) return
      left -= key.reduce((sum, { length }) => sum + length, 0)
      if (left >= 0) list.push(key)
    },
  }
}

/** Reads the key of a feature; undefined without a valid value in each of its columns, or if its cells may be shifted. */
export function readKey(
  feature: FlatFeature,
  { columns, positions, isAsciiOnly, last }: KeyReading,
  reader: Pick<FeatureReader, 'eachProperty'>,
): readonly string[] | undefined {
  const values = new Map<number, string>()
  let isShifted = last !== undefined
  reader.eachProperty(feature, (value) => {
    const column = columns[value.column]
    if (column === undefined) return
    if (value.column === last) isShifted = value.size === 0
    // These columns are behind all others.
    if (marksShift(column.use)) isShifted ||= value.size > 0
    if (!positions.includes(value.column) || !isFieldColumn(column)) return
    const { bytes, at, size } = value
    const isDoubtful =
      isAsciiOnly && column.type === 'String' && !isAscii(bytes.toString('latin1', at, at + size))
    if (isDoubtful || findBadValue(value, column) !== undefined) return
    const sink = { ...bytesOf(Buffer.allocUnsafe(64 + 3 * size)), at: 0 }
    writeField(sink, value, column)
    const length = sink.view.getInt32(0)
    if (length >= 0) values.set(value.column, sink.bytes.toString('base64', 4, 4 + length))
  })
  const key = positions.flatMap((position) => values.get(position) ?? [])
  return isShifted || key.length < positions.length ? undefined : key
}

type GdalFeature = Parameters<Layer['features']['add']>[0]

/** Returns a reader of the keys of features of GDAL, as text; undefined if keys are not wanted, or have other datatypes. */
export function textKeyReader({
  columns,
  job,
  source,
}: Pick<ReadingPlan, 'columns' | 'job' | 'source'>):
  | ((feature: GdalFeature) => readonly string[] | undefined)
  | undefined {
  const positions = job.key?.map((name) => columns.findIndex(({ keyname }) => keyname === name))
  if (!positions?.every((at) => isField(columns[at]?.use ?? 'NONE'))) return undefined
  const markers = columns.flatMap(({ use }, at) => (marksShift(use) ? [at] : []))
  const isAsciiOnly = source.columns?.strings !== undefined
  const textOf = (value: unknown) => {
    if (Number.isSafeInteger(value)) return String(value)
    const isPlain = typeof value === 'string' && value === value.trim() && !(isAsciiOnly && !isAscii(value))
    return isPlain && value !== '' ? value : undefined
  }
  const last = lastCell(columns, source)
  return ({ fields }) => {
    if (last !== undefined && isEmpty(fields.get(last))) return undefined
    if (!markers.every((at) => isEmpty(fields.get(at)))) return undefined
    const key = positions.flatMap((at) => textOf(fields.get(at)) ?? [])
    return key.length < positions.length ? undefined : key
  }
}

/** Returns the position of the last column of a text table, whose rows may have fewer cells. */
export function lastCell(
  columns: readonly { readonly use: ColumnUse }[],
  source: ReadingPlan['source'],
): number | undefined {
  if (source.columns?.infersDatatypes !== true) return undefined
  return columns.findLastIndex(({ use }) => !marksShift(use))
}

/** Tells whether a value of a column means that the cells of its row may be shifted. */
const marksShift = (use: ColumnUse) => use === 'SURPLUS' || use === 'FAULT'

const isEmpty = (value: unknown) => value === null || value === ''

const isFieldColumn = (column: ColumnPlan): column is FieldColumn => isField(column.use)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are all ASCII characters
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)
