import { hash } from 'node:crypto'
import type { CopyValue } from '../../core/copy_rows.ts'
import { digestLength } from './feature_digests.ts'
import type { ValueRow } from './row_entry.ts'

const nullBytes = Buffer.from([0xff, 0xff, 0xff, 0xff])

/** Computes digests of values of a row as the server does: over the values of a binary COPY with their lengths. */
export class RowDigester {
  readonly #columns: readonly number[]
  #buffer = Buffer.allocUnsafe(1 << 12)

  /** @param columns positions of the values among all of the row; -1 for null */
  constructor(columns: readonly number[]) {
    this.#columns = columns
  }

  digest({ bytes, values }: ValueRow): string {
    let size = 0
    for (const column of this.#columns) {
      const value: CopyValue | undefined = values[column]
      const start = value === undefined ? 0 : value.at - 4
      const end = value === undefined ? 4 : value.at + Math.max(value.length, 0)
      if (size + end - start > this.#buffer.length) this.#grow(size + end - start)
      size += (value === undefined ? nullBytes : bytes).copy(this.#buffer, size, start, end)
    }
    return hash('md5', this.#buffer.subarray(0, size), 'hex').slice(0, digestLength)
  }

  #grow(size: number): void {
    const next = Buffer.allocUnsafe(2 * size)
    this.#buffer.copy(next)
    this.#buffer = next
  }
}
