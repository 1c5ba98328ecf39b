import { pluralOf } from '../../core/count.ts'

/** Formats a count: `199,568`. */
export function showNumber(count: number): string {
  // Intl takes longer to load than most commands run.
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Formats a count with a noun: `1 feature`, `199,568 features`. */
export function showCount(count: number, word: string): string {
  return `${showNumber(count)} ${pluralOf(word, count)}`
}

/** Formats the previous number of features of a layer: ` (100 before)`; empty if it was zero or unknown. */
export function showBefore(before: number | undefined): string {
  return before === undefined || before === 0 ? '' : ` (${showNumber(before)} before)`
}

/** Formats a size in bytes: `812 B`, `3.4 MB`. */
export function showBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`
}

/** Formats a duration: `0.4 s`, `12 s`, `3 min 5 s`. */
export function showDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
