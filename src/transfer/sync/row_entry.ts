import { datatypeCodecs } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import type { Bytes } from '../../core/bytes.ts'
import { type CopyValue, readCopyRows, takeValue } from '../../core/copy_rows.ts'
import { numbersOf } from '../../geo/byte_geometry.ts'
import { readWkb } from '../../geo/wkb.ts'
import { formatWkt } from '../../geo/wkt.ts'

/** A field of a row. */
export interface RowField {
  readonly keyname: string
  readonly datatype: Datatype
  /** Position of its value among those after id and geometry; -1 for a field that the source does not have. */
  readonly column: number
}

/** A row in place in a buffer, with the offsets and lengths of its values: id, geometry, then the columns. */
export interface ValueRow extends Bytes {
  readonly ats: Int32Array
  /** -1 for null. */
  readonly lengths: Int32Array
}

/** Number of values of a row before the columns. */
export const leadingValues = 2

/** Reads the rows of a chunk of a source with so many values each; a row is valid only during the call of `use`. */
export async function readValueRows(
  copy: AsyncIterable<Uint8Array>,
  width: number,
  use: (row: ValueRow) => void,
): Promise<void> {
  const ats = new Int32Array(width)
  const lengths = new Int32Array(width)
  await readCopyRows(copy, (row) => {
    for (let index = 0; index < width; index += 1) {
      const value = takeValue(row)
      ats[index] = value.at
      lengths[index] = value.length
    }
    use({ bytes: row.bytes, view: row.view, ats, lengths })
  })
}

const microseconds = 1_000_000

const scalars: Readonly<Record<Datatype, (bytes: Bytes, value: CopyValue) => string>> = {
  INTEGER: ({ view }, { at }) => String(view.getInt32(at)),
  BIGINT: ({ view }, { at }) => String(view.getBigInt64(at)),
  REAL: ({ view }, { at }) => JSON.stringify(view.getFloat64(at)),
  STRING: ({ bytes }, { at, length }) => JSON.stringify(bytes.toString('utf8', at, at + length)),
  DATE: ({ view }, { at }) => printed('DATE', view.getInt32(at)),
  TIME: ({ view }, { at }) => printed('TIME', Number(view.getBigInt64(at)) / microseconds),
  DATETIME: ({ view }, { at }) => printed('DATETIME', Number(view.getBigInt64(at)) / microseconds),
}

const printed = (datatype: Datatype, value: number) => `"${datatypeCodecs[datatype].print(value)}"`

/** Writes a row as the JSON of a feature in a PATCH; with an id it changes a feature, else it creates one. */
export function writeEntry(row: ValueRow, fields: readonly RowField[], id: number | undefined): string {
  const members = fields.map((field) => `${JSON.stringify(field.keyname)}:${valueText(row, field)}`)
  const geom = (row.lengths[1] ?? -1) < 0 ? 'null' : `"${wktOf(row, row.ats[1] ?? 0)}"`
  return `{${id === undefined ? '' : `"id":${id},`}"geom":${geom},"fields":{${members.join(',')}}}`
}

/** Returns the value of a field as JSON text. */
export function valueText(row: ValueRow, { column, datatype }: RowField): string {
  const at = row.ats[leadingValues + column] ?? 0
  const length = column < 0 ? -1 : (row.lengths[leadingValues + column] ?? -1)
  return length < 0 ? 'null' : scalars[datatype](row, { at, length })
}

function wktOf(row: ValueRow, at: number): string {
  const geometry = readWkb(row, at)
  if (geometry.family === 'UNSUPPORTED' || geometry.family === 'COLLECTION')
    throw new TypeError(`a row has a geometry of family ${geometry.family}`)
  return formatWkt({ ...geometry, parts: geometry.parts.map((part) => part.map(numbersOf)) })
}
