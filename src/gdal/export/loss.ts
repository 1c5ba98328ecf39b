import type { ExportLimits } from '../../contract/formats/export_formats.ts'
import type { CopyRow } from '../../core/copy_rows.ts'
import { countOf } from '../../core/count.ts'
import type { JobColumn } from './export_job.ts'

/** Limits of a format, and whether its encoding is single-byte. */
export interface FileLimits extends ExportLimits {
  readonly isOneByte: boolean
}

/** Counts the values that a format cannot represent. */
export interface LossCheck {
  /** Checks a row of id, geometry and columns, without consuming it. */
  check(row: CopyRow): void
  /** Describes the losses of each field. @param names names of the fields in the file, in order */
  describe(names: readonly string[]): string[]
}

/** Creates a check of the values of columns. */
export function startLossCheck(columns: readonly JobColumn[], limits: FileLimits): LossCheck {
  const checks = columns.flatMap(({ datatype }, index) =>
    checksOf(datatype, limits).map((check) => ({ ...check, index })),
  )
  const counts = checks.map(() => 0)
  const check = (row: CopyRow) => {
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
    check,
    describe: (names) =>
      columns.flatMap(({ name }, column) => {
        const given = names[column] ?? name
        const lost = checks.flatMap(({ index, describe }, at) => {
          const count = counts[at] ?? 0
          return index === column && count > 0 ? [`Field ${name}: ${describe(count)}.`] : []
        })
        return limits.nameLength !== undefined && given !== name
          ? [`Field ${name} was renamed to ${given}.`, ...lost]
          : lost
      }),
  }
}

/** Number of columns before the fields: id and geometry. */
const columnsBefore = 2

interface Check {
  /** @param length length of the value at an offset of the row; -1 for null */
  isLost(row: CopyRow, at: number, length: number): boolean
  /** Describes the loss of a number of values. */
  describe(count: number): string
}

function checksOf(datatype: JobColumn['datatype'], limits: FileLimits): Check[] {
  const { textBytes, isOneByte, digits, isNullZero, firstDay } = limits
  const checks: Check[] = []
  if (datatype === 'STRING' && textBytes !== undefined)
    checks.push({
      isLost: ({ bytes }, at, length) =>
        length > textBytes && (!isOneByte || countCharacters(bytes.subarray(at, at + length)) > textBytes),
      describe: (count) =>
        `${countOf(count, 'string')} ${count === 1 ? 'was' : 'were'} truncated to ${textBytes} bytes`,
    })
  if (datatype === 'BIGINT' && digits !== undefined)
    checks.push({
      isLost: ({ view }, at, length) => length > 0 && !isExact(view.getBigInt64(at), digits),
      describe: (count) => `${countOf(count, 'number')} ${count === 1 ? 'was' : 'were'} rounded`,
    })
  if (isNullZero && (datatype === 'INTEGER' || datatype === 'BIGINT' || datatype === 'REAL'))
    checks.push({
      isLost: (_row, _at, length) => length < 0,
      describe: (count) => `${countOf(count, 'null value')} ${count === 1 ? 'was' : 'were'} written as 0`,
    })
  if (firstDay !== undefined && (datatype === 'DATE' || datatype === 'DATETIME'))
    checks.push({
      isLost: ({ bytes }, at, length) => length > 0 && isBefore(bytes.subarray(at, at + length), firstDay),
      describe: (count) => `${countOf(count, 'date')} before ${firstDay} may be read as another day`,
    })
  return checks
}

/** Tells whether a timestamp is before a day. Years have four digits, more after 9999, or the suffix BC. */
function isBefore(timestamp: Uint8Array, day: string): boolean {
  const text = Buffer.from(timestamp).toString('latin1')
  return text.endsWith('BC') || (text.indexOf('-') === 4 && text < day)
}

function isExact(whole: bigint, digits: number): boolean {
  const real = Number(whole)
  return BigInt(Math.abs(real) < 10 ** digits ? real : Number(real.toPrecision(digits))) === whole
}

/** Counts the characters of UTF-8, where continuation bytes start with the bits 10. */
function countCharacters(text: Uint8Array): number {
  let count = 0
  for (const byte of text) if ((byte & 0xc0) !== 0x80) count += 1
  return count
}
