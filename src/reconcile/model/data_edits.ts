import type { EditedData } from './change.ts'

/** Describes edits of data: ` once since the last load, last by ann at 2026-01-02 03:04:05 UTC`. */
export function describeEdits({ changes, last }: EditedData): string {
  const times = changes === undefined ? '' : ` ${changes === 1 ? 'once' : `${changes} times`}`
  const who = last?.by == null ? '' : ` by ${last.by}`
  const write = last === undefined ? '' : `, last${who} at ${last.at.replace('T', ' ')} UTC`
  return `${times} since the last load${write}`
}
