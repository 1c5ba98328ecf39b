import type { Static } from 'typebox'
import { Type } from '../schema/type.ts'

/** Body of error responses. */
export const ErrorSchema = Type.Object({
  title: Type.String({ description: 'Title of the error.' }),
  message: Type.String({ description: 'Description of the error, with the value.' }),
  detail: Type.Optional(Type.String({ description: 'Further details, in several lines.' })),
  hint: Type.Optional(
    Type.String({
      'x-extension': true,
      description: 'How to resolve it, if the code has no general advice.',
    }),
  ),
  exception: Type.String({ description: 'Name of the exception in NextGIS Web.' }),
  status_code: Type.Integer({ description: 'HTTP status.' }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'Machine-readable details.' }),
  code: Type.String({ 'x-extension': true, description: 'Error code for programs.' }),
  request_id: Type.String({ description: 'Identifier of the request in the log.' }),
})

/** Body of an error response. */
export type ErrorBody = Static<typeof ErrorSchema>

/** Body of error responses of the catalog. */
export const CatalogErrorSchema = Type.Union([
  Type.Object({ detail: Type.String({ description: 'Description of the error.' }) }),
  Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Descriptions of the errors of each invalid parameter.',
  }),
])

/** Body of an error response of the catalog. */
export type CatalogErrorBody = Static<typeof CatalogErrorSchema>
