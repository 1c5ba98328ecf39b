import { notesOf, type WireImportReport } from '../../contract/import_report.ts'

/** Formats an import report, except for the feature count: notes, then invalid features. */
export function formatLoad(report: WireImportReport, mostNamed: number): string[] {
  return [...formatBad(report, mostNamed), ...notesOf(report)]
}

/** Lists the first invalid features by their position in the file, and counts the rest. */
export function formatBad({ bad, bad_count }: WireImportReport, mostNamed: number): string[] {
  const named = bad.slice(0, mostNamed).map(({ number, reason }) => `feature ${number}: ${reason}`)
  return bad_count > named.length ? [...named, `and ${bad_count - named.length} more`] : named
}
