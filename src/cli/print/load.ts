import type { SkippedFeatures } from '../../contract/bodies/import_report.ts'
import { showNumber } from '../../core/count.ts'

/** Formats the number of skipped features, after other counts; empty if there are none. */
export function formatSkippedCount(skipped: SkippedFeatures | undefined): string {
  return skipped === undefined || skipped.bad_count === 0 ? '' : `, ${skipped.bad_count} invalid skipped`
}

/** Lists the first invalid features by their position in the file, and counts the rest. */
export function formatBad({ bad, bad_count }: SkippedFeatures, maxListed: number): string[] {
  const named = bad.slice(0, maxListed).map(({ number, reason }) => `feature ${number}: ${reason}`)
  return bad_count > named.length ? [...named, `and ${showNumber(bad_count - named.length)} more`] : named
}
