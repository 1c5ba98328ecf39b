import { maxResourceId } from '../limits.ts'
import { query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const time = (description: string) =>
  Type.String({ description: `${description}: UTC, ISO 8601 without time zone.` })

const counts = (description: string) =>
  Type.Object({ attachments: Type.Integer(), descriptions: Type.Integer() }, { description })

/** Data that the server keeps for an undo. */
export const keptRoutes = {
  'kept.list': {
    route: 'landform.kept',
    path: '/api/component/landform/kept/',
    method: 'GET',
    forUsers: true,
    summary:
      'Lists replaced and deleted data of layers, newest first, that the caller may restore: of existing layers with `data.write`, of deleted ones as administrator or who deleted them.',
    query: query({
      resource: Type.Integer({ minimum: 0, maximum: maxResourceId, description: 'Layer that had the data.' }),
    }),
    response: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'For `source.kept` of the layer.' }),
        resource: Type.Integer({ description: 'Layer that had the data.' }),
        display_name: Type.String({ description: 'Its display name at that time.' }),
        deleted: Type.Boolean({ description: 'Whether the layer was deleted.' }),
        data_version: Type.Integer({ description: 'Version that the data had.' }),
        features: Type.Integer({ description: 'Number of features.' }),
        only_kept: Type.Optional(
          counts('Number of attachments and descriptions of features that the layer does not have.'),
        ),
        only_layer: Type.Optional(
          counts('Number of attachments and descriptions of features that only the layer has.'),
        ),
        bytes: Type.Number({ description: 'Size, with attachments.' }),
        kept: time('Since when'),
        written: Type.Optional(
          Type.Object(
            {
              at: time('When'),
              user: Type.Union([Type.String(), Type.Null()], {
                description: 'Who; null if the user was deleted.',
              }),
            },
            {
              description:
                'Last write of features of the layer, their descriptions and attachments, by another request than a load; absent without one since these data were kept.',
            },
          ),
        ),
        expires: time('Until when, unless the data exceed the size that the server keeps'),
      }),
    ),
  },
} as const satisfies Record<string, RouteDescriptor>
