import type { Static } from 'typebox'
import { Type } from './type.ts'

/** What became of a file that was read into a layer, as on the wire. */
export const ImportReportSchema = Type.Object({
  format: Type.String({ description: 'Format of the file.' }),
  layer: Type.String({ description: 'Layer of the file that was read.' }),
  feature_count: Type.Integer({ description: 'Features that were read into the layer.' }),
  bad_count: Type.Integer({ description: 'Features that were left out because they are bad.' }),
  bad: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Place in the file, counted from 1.' }),
      reason: Type.String(),
    }),
    { description: 'The first bad features.' },
  ),
  other_count: Type.Integer({ description: 'Features of other geometry types, left out as asked.' }),
  renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description: 'Fields whose names a layer cannot have.',
  }),
  notes: Type.Array(Type.String(), { description: 'What was assumed, one sentence each.' }),
})

/** What became of a file that was read into a layer, as on the wire. */
export type WireImportReport = Static<typeof ImportReportSchema>

/** Says in sentences what people should know of a file that was read, besides the bad features. */
export function notesOf({ renamed, other_count, notes }: WireImportReport): string[] {
  return [
    ...renamed.map(({ from, to }) => `The field "${from}" of the file is called "${to}" here.`),
    ...(other_count > 0 ? [`Features of other geometry types were left out: ${other_count}.`] : []),
    ...notes,
  ]
}
