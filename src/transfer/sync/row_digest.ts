import { hash } from 'node:crypto'
import { digestedTypes, digestLength } from '../../contract/feature_key.ts'
import { leadingValues, type RowField, type ValueRow } from './row_entry.ts'

/** Values of a digested row: fields, or the geometry. */
export type DigestedValue = Pick<RowField, 'datatype' | 'column'> | 'geometry'

/** Position of the geometry in a row. */
export const geometryPosition = 1

/**
 * Computes digests of rows as the server does: of the values in PostgreSQL's binary format of a row, each with its type
 * and length.
 */
export class RowDigester {
  readonly #positions: readonly number[]
  #bytes = Buffer.allocUnsafe(1 << 12)
  #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset)
  readonly #types: readonly number[]

  constructor(values: readonly DigestedValue[]) {
    this.#positions = values.map((value) => {
      if (value === 'geometry') return geometryPosition
      return value.column < 0 ? -1 : leadingValues + value.column
    })
    this.#types = values.map((value) => digestedTypes[value === 'geometry' ? 'GEOMETRY' : value.datatype])
  }

  /** @param geometry bytes to digest instead of the geometry of the row */
  digest({ bytes, ats, lengths }: ValueRow, geometry?: Buffer): string {
    this.#view.setInt32(0, this.#types.length)
    let end = 4
    for (let index = 0; index < this.#types.length; index += 1) {
      const position = this.#positions[index] as number
      const other = position === geometryPosition ? geometry : undefined
      const length = other?.length ?? (position < 0 ? -1 : (lengths[position] as number))
      const next = end + 8 + Math.max(length, 0)
      if (next > this.#bytes.length) this.#grow(next)
      this.#view.setInt32(end, this.#types[index] as number)
      this.#view.setInt32(end + 4, length)
      if (other !== undefined) other.copy(this.#bytes, end + 8)
      else if (length > 0) bytes.copy(this.#bytes, end + 8, ats[position], (ats[position] as number) + length)
      end = next
    }
    return hash('md5', this.#bytes.subarray(0, end), 'hex').slice(0, digestLength)
  }

  #grow(size: number): void {
    const next = Buffer.allocUnsafeSlow(2 * size)
    this.#bytes.copy(next)
    this.#bytes = next
    this.#view = new DataView(next.buffer, next.byteOffset)
  }
}
