import { notesOf, type WireImportReport } from '../../contract/bodies/import_report.ts'

/** Formats an import report, except for the feature count: notes, then invalid features. */
export function formatLoad(report: WireImportReport, maxListed: number): string[] {
  return [...formatBad(report, maxListed), ...notesOf(report)]
}

/** Lists the first invalid features by their position in the file, and counts the rest. */
export function formatBad({ bad, bad_count }: WireImportReport, maxListed: number): string[] {
  const named = bad.slice(0, maxListed).map(({ number, reason }) => `feature ${number}: ${reason}`)
  return bad_count > named.length ? [...named, `and ${bad_count - named.length} more`] : named
}
