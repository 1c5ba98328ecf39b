import type { Static } from 'typebox'
import { Type } from '../schema/type.ts'

/** Result of loading a file into a layer, on the wire. */
export const ImportReportSchema = Type.Object({
  format: Type.String({ description: 'Format of the file.' }),
  layer: Type.String({ description: 'Layer of the file that was read.' }),
  feature_count: Type.Integer({ description: 'Number of features loaded into the layer.' }),
  bad_count: Type.Integer({ description: 'Number of invalid features that were skipped.' }),
  bad: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Position in the file, starting at 1.' }),
      reason: Type.String(),
    }),
    { description: 'The first invalid features.' },
  ),
  other_count: Type.Integer({
    description: 'Number of features with other geometry types, skipped as requested.',
  }),
  renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description: 'Renamed fields, whose original names a layer cannot have.',
  }),
  notes: Type.Array(Type.String(), { description: 'Notes on assumptions, one sentence each.' }),
})

/** Result of loading a file into a layer, on the wire. */
export type WireImportReport = Static<typeof ImportReportSchema>

/** Invalid features that a load skips: their number, and the first of them. */
export type SkippedFeatures = Pick<WireImportReport, 'bad_count' | 'bad'>

/** Describes an import in sentences, except for its invalid features. */
export function notesOf({ renamed, other_count, notes }: WireImportReport): string[] {
  return [
    ...renamed.map(({ from, to }) => `The field "${from}" of the file was renamed to "${to}".`),
    ...(other_count > 0 ? [`Features with other geometry types were skipped: ${other_count}.`] : []),
    ...notes,
  ]
}
