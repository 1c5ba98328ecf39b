import type { RouteDescriptor } from '../../contract/route.ts'
import { ogcApiRoutes } from '../../contract/routes/ogc_api.ts'
import type { FeatureApi } from './feature_api.ts'
import { pageSize } from './item_query.ts'

const base = ogcApiRoutes['ogcapi.landing'].path

/** Parameters of the list of features. */
const itemParameters = [
  ['limit', { type: 'integer', minimum: 1, maximum: pageSize.max, default: pageSize.default }],
  ['offset', { type: 'integer', minimum: 0, default: 0 }],
  ['bbox', { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } }],
  ['bbox-crs', { type: 'string', format: 'uri' }],
  ['crs', { type: 'string', format: 'uri' }],
  ['datetime', { type: 'string' }],
  ['filter', { type: 'string' }],
  ['filter-lang', { type: 'string', enum: ['cql2-text'], default: 'cql2-text' }],
  ['filter-crs', { type: 'string', format: 'uri' }],
  ['properties', { type: 'array', items: { type: 'string' } }],
  ['sortby', { type: 'array', items: { type: 'string' } }],
  ['skipGeometry', { type: 'boolean', default: false }],
  ['f', { type: 'string', enum: ['json', 'html'] }],
] as const

/** Describes the API of a service, derived from the operations. @see OpenAPI Specification 3.0.3, OGC 17-069r4 clause 9 */
export function definitionDocument({ title, url }: FeatureApi, version: string) {
  const paths = Object.entries(ogcApiRoutes).map(([name, route]) => [
    route.path.slice(base.length) || '/',
    { get: operationOf(name, route) },
  ])
  return {
    openapi: '3.0.3',
    info: { title, version },
    servers: [{ url }],
    paths: Object.fromEntries(paths),
  }
}

function operationOf(name: string, { summary, params, query }: RouteDescriptor) {
  const inPath = Object.entries(params?.properties ?? {})
    .filter(([parameter]) => parameter !== 'id')
    .map(([parameter, schema]) => parameterOf(parameter, 'path', schema))
  const inQuery =
    name === 'ogcapi.items'
      ? itemParameters.map(([parameter, schema]) => parameterOf(parameter, 'query', schema))
      : Object.entries(query?.properties ?? {}).map(([parameter, schema]) =>
          parameterOf(parameter, 'query', schema),
        )
  return {
    operationId: name,
    summary,
    parameters: [...inPath, ...inQuery],
    responses: {
      '200': { description: 'Success' },
      default: { description: 'Error', content: { 'application/json': {} } },
    },
  }
}

function parameterOf(name: string, place: 'path' | 'query', schema: object) {
  // Arrays are comma-separated lists.
  const style = 'type' in schema && schema.type === 'array' ? { style: 'form', explode: false } : {}
  return { name, in: place, required: place === 'path', schema, ...style }
}
