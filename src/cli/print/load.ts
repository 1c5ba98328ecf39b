import { notesOf, type WireImportReport } from '../../contract/import_report.ts'

/** Writes what became of a file that was read into a layer, but for its count: nothing of it is left out in silence. */
export function formatLoad(report: WireImportReport, mostNamed: number): string[] {
  return [...formatBad(report, mostNamed), ...notesOf(report)]
}

/** Names the first bad features by their place in the file, and tells how many more there are. */
export function formatBad({ bad, bad_count }: WireImportReport, mostNamed: number): string[] {
  const named = bad.slice(0, mostNamed).map(({ number, reason }) => `feature ${number}: ${reason}`)
  return bad_count > named.length ? [...named, `and ${bad_count - named.length} more`] : named
}
