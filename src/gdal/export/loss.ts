import type { ExportLimits } from '../../contract/export_formats.ts'
import type { CopyRow } from '../../core/copy_rows.ts'
import type { JobColumn } from './export_job.ts'

/** What a format cannot hold, and whether a character is one byte in the file. */
export interface FileLimits extends ExportLimits {
  readonly isOneByte: boolean
}

/** Sees what is lost on the way into a file. */
export interface LossCheck {
  /** Looks at a row of id, geometry and columns; it stays as it is. */
  look(row: CopyRow): void
  /** Says what was lost, field by field. @param names of the fields in the file, in order */
  tell(names: readonly string[]): string[]
}

/** Starts to look at the values of columns. */
export function startLossCheck(columns: readonly JobColumn[], limits: FileLimits): LossCheck {
  const checks = columns.flatMap(({ datatype }, index) =>
    checksOf(datatype, limits).map((check) => ({ ...check, index })),
  )
  const counts = checks.map(() => 0)
  const look = (row: CopyRow) => {
    let at = row.at
    let next = 0
    for (let index = -columnsBefore; next < checks.length && index < row.left - columnsBefore; index++) {
      const length = row.view.getInt32(at)
      for (; checks[next]?.index === index; next++)
        if (checks[next]?.isLost(row, at + 4, length)) counts[next] = (counts[next] ?? 0) + 1
      at += 4 + Math.max(length, 0)
    }
  }
  return {
    look,
    tell: (names) =>
      columns.flatMap(({ name }, column) => {
        const given = names[column] ?? name
        const lost = checks.flatMap(({ index, describe }, at) => {
          const count = counts[at] ?? 0
          return index === column && count > 0 ? [`Of the field ${name}, ${describe(count)}.`] : []
        })
        return limits.nameLength !== undefined && given !== name
          ? [`The field ${name} is called ${given}.`, ...lost]
          : lost
      }),
  }
}

/** The id and the geometry. */
const columnsBefore = 2

interface Check {
  /** @param length of the value at a place of the row; -1 for null */
  isLost(row: CopyRow, at: number, length: number): boolean
  /** Says what is lost of so many values. */
  describe(count: number): string
}

function checksOf(datatype: JobColumn['datatype'], limits: FileLimits): Check[] {
  const { textBytes, isOneByte, digits, isNullZero } = limits
  const checks: Check[] = []
  if (datatype === 'STRING' && textBytes !== undefined)
    checks.push({
      isLost: ({ bytes }, at, length) =>
        length > textBytes && (!isOneByte || countCharacters(bytes.subarray(at, at + length)) > textBytes),
      describe: (count) => `${count === 1 ? '1 text is' : `${count} texts are`} cut to ${textBytes} bytes`,
    })
  if (datatype === 'BIGINT' && digits !== undefined)
    checks.push({
      isLost: ({ view }, at, length) => length > 0 && !isKept(view.getBigInt64(at), digits),
      describe: (count) =>
        `${count === 1 ? '1 number is' : `${count} numbers are`} not exact to the last digit`,
    })
  if (isNullZero && (datatype === 'INTEGER' || datatype === 'BIGINT' || datatype === 'REAL'))
    checks.push({
      isLost: (_row, _at, length) => length < 0,
      describe: (count) =>
        `${count === 1 ? '1 number that is none is' : `${count} numbers that are none are`} 0`,
    })
  return checks
}

function isKept(whole: bigint, digits: number): boolean {
  const real = Number(whole)
  return BigInt(Math.abs(real) < 10 ** digits ? real : Number(real.toPrecision(digits))) === whole
}

/** Of a character of several bytes, all but the first begin with the bits 10. */
function countCharacters(text: Uint8Array): number {
  let count = 0
  for (const byte of text) if ((byte & 0xc0) !== 0x80) count += 1
  return count
}
