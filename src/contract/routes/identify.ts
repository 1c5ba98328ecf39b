import type { Static } from 'typebox'
import { maxFilterWkt, maxLayers } from '../limits.ts'
import type { RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'
import { AttachmentSchema } from './attachment.ts'

/** Maximum number of attachments of a found feature. */
export const maxFoundAttachments = 50

/** Maximum number of characters of the description of a found feature; the rest is left out. */
export const maxFoundDescription = 10_000

const FoundSchema = Type.Object({
  id: Type.Integer({ description: 'Identifier; a number in the list for what is found in images.' }),
  layerId: Type.Integer({ description: 'Layer.' }),
  label: Type.String({ description: 'Value of the label field, or its label; else the id.' }),
  fields: Type.Record(Type.String(), Type.Unknown(), { description: 'Value by keyname.' }),
  labels: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Labels of values by keyname, from the lookup tables of fields that the caller may read.',
    }),
  ),
  description: Type.Optional(
    Type.String({
      description: `Description as sanitized HTML, of its first ${maxFoundDescription.toLocaleString('en')} characters.`,
    }),
  ),
  attachments: Type.Optional(
    Type.Array(AttachmentSchema, {
      maxItems: maxFoundAttachments,
      description: `The first ${maxFoundAttachments} attachments.`,
    }),
  ),
  parent: Type.Optional(Type.String({ description: 'Name of the layer.' })),
})

const LayerFindingsSchema = Type.Union([
  Type.Object({ error: Type.String({ description: 'Why the layer could not be searched.' }) }),
  Type.Object({ featureCount: Type.Integer(), features: Type.Array(FoundSchema) }),
])

/** What is found in a layer: a feature, the values of a pixel, or what another service finds. */
export type Found = Static<typeof FoundSchema>

/** What is found in a layer, or why it could not be searched. */
export type LayerFindings = Static<typeof LayerFindingsSchema>

/** Operations that find what layers show at a place. */
export const identifyRoutes = {
  'feature.identify': {
    route: 'feature_layer.identify',
    method: 'POST',
    path: '/api/feature_layer/identify',
    summary:
      'Finds features of several layers that intersect a polygon, values of rasters and features of WMS layers in its middle.',
    body: Type.Object({
      srs: Type.Integer({ minimum: 1, description: 'EPSG code of geom.' }),
      geom: Type.String({ maxLength: maxFilterWkt, description: 'WKT polygon.' }),
      layers: Type.Array(Type.Integer(), { maxItems: maxLayers, description: 'Layers to search.' }),
      styles: Type.Optional(
        Type.Array(Type.Integer(), {
          maxItems: maxLayers,
          description:
            'Styles of the layers: features that their classes hide at the scale, by numbers of a field, are not found, and the most important ones are first.',
        }),
      ),
      scale_denom: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: 'Denominator of the scale; required for styles.' }),
      ),
    }),
    response: Type.Unsafe<Readonly<Record<string, LayerFindings | number>>>({
      type: 'object',
      required: ['featureCount'],
      properties: { featureCount: Type.Integer({ description: 'Number of features of all layers.' }) },
      patternProperties: { '^-?[0-9]+$': LayerFindingsSchema },
    }),
  },
} as const satisfies Record<string, RouteDescriptor>
