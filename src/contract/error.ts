import type { Static } from 'typebox'
import { Type } from './type.ts'

/** Body of every answer that reports a failure. */
export const ErrorSchema = Type.Object({
  title: Type.String({ description: 'What kind of failure it is, for people.' }),
  message: Type.String({ description: 'What failed, with the value.' }),
  detail: Type.Optional(Type.String({ description: 'More of it, in several lines.' })),
  hint: Type.Optional(
    Type.String({
      'x-extra': true,
      description: 'What to do about it, where the code alone does not say.',
    }),
  ),
  exception: Type.String({ description: "Name of the original API's exception." }),
  status_code: Type.Integer({ description: 'HTTP status.' }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'Facts for programs.' }),
  code: Type.String({ 'x-extra': true, description: 'What programs match on.' }),
  request_id: Type.String({ description: 'Names the request in the log.' }),
})

/** Body of an answer that reports a failure. */
export type ErrorBody = Static<typeof ErrorSchema>
