import type { WireImportReport } from '../../contract/bodies/import_report.ts'
import type { ImportReport } from '../../import/stage_source.ts'
import type { Prepared } from './behaviour.ts'
import { isStagedSource } from './layers/vector_layer_source.ts'

/** Encodes an import report for the wire. */
export function encodeReport(report: ImportReport): WireImportReport {
  const { format, layer, count, badCount, bad, otherCount, renamed, notes } = report
  return {
    format,
    layer,
    feature_count: count,
    bad_count: badCount,
    bad: bad.map(({ number, reason }) => ({ number, reason })),
    other_count: otherCount,
    renamed: [...renamed],
    notes: [...notes],
  }
}

/** Returns the import report of a request as part of its answer; empty if the request has no source. */
export function reportPart(prepared: Prepared | undefined): { readonly report?: WireImportReport } {
  return isStagedSource(prepared) ? { report: encodeReport(prepared.staged.report) } : {}
}
