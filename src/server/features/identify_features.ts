import { hasPermission } from '../../access/permission_mask.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { descriptorOf } from '../../contract/registry.ts'
import { type Found, type LayerFindings, maxFoundDescription } from '../../contract/routes/identify.ts'
import { isProblem } from '../../core/problem.ts'
import type { Database } from '../../database/database.ts'
import { placeOnMap } from '../../geo/on_map.ts'
import { formatWkt } from '../../geo/wkt.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'
import { importanceSql } from '../../render/vector_tile/importance.ts'
import { findRenderSources } from '../../store/classes/render_source.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import {
  type IdentifiedFeature,
  type IdentifyQuery,
  identifyFeatures,
} from '../../store/feature/identify_features.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findResourceNames } from '../../store/resource/resource_name.ts'
import { findImportantField } from '../../style/importance.ts'
import { findDatabases } from '../geodb/geodb_session.ts'
import type { ApiRequest } from '../http/handler.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { findStyle, importanceOf } from '../render/sources/feature_source.ts'
import { limitToScale } from '../render/sources/scale_filter.ts'
import { sanitiseDescription } from '../resource/description.ts'
import { type FieldLabels, type FieldValue, type FindFieldLabels, openFieldLabels } from './field_labels.ts'
import { type FoundInImage, openIdentifiedImages, type Spot, spotOf } from './identify_images.ts'

/** Maximum number of features of a layer in one answer. */
const limit = 100

/** Which features of a layer are found, and which first. */
type SeenFeatures = Pick<IdentifyQuery, 'where' | 'rank'>

/**
 * Finds the features of layers that intersect a geometry; of rasters, the values of the pixel in the middle of it; of layers of
 * web map services, what the service finds there. A layer that cannot be queried has an error in the result.
 *
 * @throws {Problem} feature/invalid for an invalid geometry, request/invalid for an unknown reference system
 */
export async function identify(
  request: ApiRequest<'feature.identify'>,
): Promise<Record<string, LayerFindings | number>> {
  const { context, caller, body } = request
  const ids = [...new Set(body.layers)]
  const place = await readPlace(request)
  const masks = await context.permissions.findMasks(caller, ids)
  const permitted = ids.filter((id) => hasPermission(masks.get(id) ?? 0, needed))
  const layers = await findLayers(context.database, permitted)
  const names = await findResourceNames(context.database, [...masks.keys()])
  const databases = await findDatabases(context, [...layers.values()])
  const seen = await findSeenFeatures(request, layers)
  const findLabels = await openFieldLabels(request, [...layers.values()])
  const images = await openIdentifiedImages(request, { ids: permitted, spot: place.spot, limit })
  // In parallel, so that external databases do not wait for each other.
  const found = await Promise.all(
    ids.map(async (id): Promise<[id: number, LayerFindings]> => {
      const layer = layers.get(id)
      const database = databases.get(id)
      const image = images.get(id)
      if (image !== undefined) return [id, await identifyInImage(id, image, names.get(id)?.displayName)]
      if (layer === undefined || database === undefined) return [id, { error: errorOf(id) }]
      const query = { ...place, ...seen.get(id) }
      const name = names.get(id)?.displayName
      return [id, await identifyInLayer(database, { layer, query, findLabels, name })]
    }),
  )
  const counts = found.map(([, one]) => ('featureCount' in one ? one.featureCount : 0))
  return { ...Object.fromEntries(found), featureCount: counts.reduce((sum, count) => sum + count, 0) }

  function errorOf(id: number): string {
    const mask = masks.get(id)
    const cls = names.get(id)?.cls
    if (mask === undefined || cls === undefined) return 'Not found'
    // A readable resource that is not a layer is not forbidden.
    const permission = descriptorOf(cls).scopes.includes('data') ? needed : 'resource.read'
    return hasPermission(mask, permission) ? 'Not implemented' : 'Forbidden'
  }
}

const needed: PermissionName = 'data.read'

interface Place {
  readonly wkt: string
  readonly spot: Spot
  readonly srs: number
  readonly limit: number
}

async function readPlace({ context, body }: ApiRequest<'feature.identify'>): Promise<Place> {
  const { geometry, srs = body.srs } = parseWkt(body.geom)
  if (srs !== body.srs)
    throw problem('feature/invalid', `geom: is in EPSG:${srs}, the request in EPSG:${body.srs}`)
  await requireSrs(context.database, srs)
  return { wkt: formatWkt(placeOnMap(geometry, srs)), spot: spotOf(geometry, srs), srs, limit }
}

async function identifyInImage(
  id: number,
  find: () => Promise<readonly FoundInImage[]>,
  parent: string | undefined,
): Promise<LayerFindings> {
  try {
    const found = await find()
    const features = found.map(({ label, fields }, at) => ({
      id: at + 1,
      layerId: id,
      label,
      fields,
      ...(parent === undefined ? {} : { parent }),
    }))
    return { featureCount: features.length, features }
  } catch (error) {
    // A failing external service affects that layer only.
    if (isProblem(error)) return { error: error.message }
    throw error
  }
}

interface Target {
  readonly layer: Layer
  readonly query: IdentifyQuery
  readonly findLabels: FindFieldLabels
  readonly name: string | undefined
}

async function identifyInLayer(database: Database, target: Target): Promise<LayerFindings> {
  const { layer, query } = target
  let found: IdentifiedFeature[]
  try {
    found = await identifyFeatures(database, layer, query)
  } catch (error) {
    // A failing external database, or a place outside its reference system, affects that layer only.
    if (isForeign(layer) && isProblem(error)) return { error: error.message }
    throw error
  }
  const labels = await target.findLabels(
    found.flatMap(({ fields }) => layer.fields.map((field): FieldValue => [field, fields[field.keyname]])),
  )
  const features = found.map((feature) => describe(feature, { ...target, labels }))
  return { featureCount: features.length, features }
}

interface LabelledTarget extends Pick<Target, 'layer' | 'name'> {
  readonly labels: FieldLabels
}

function describe(feature: IdentifiedFeature, { layer, labels, name }: LabelledTarget): Found {
  const { id, fields, description, attachments } = feature
  const known = Object.fromEntries(
    layer.fields.flatMap((field) => {
      const label = labels.find(field, fields[field.keyname])
      return label === undefined ? [] : [[field.keyname, label] as const]
    }),
  )
  const labelField = layer.fields.find((field) => field.labelField)?.keyname ?? ''
  return {
    id,
    layerId: layer.resourceId,
    label: (Object.hasOwn(known, labelField) ? known[labelField] : undefined) ?? feature.label ?? `#${id}`,
    fields,
    ...(Object.keys(known).length > 0 ? { labels: known } : {}),
    ...(description === null ? {} : { description: sanitiseDescription(cut(description)) }),
    ...(attachments === null ? {} : { attachments }),
    ...(name === undefined ? {} : { parent: name }),
  }
}

function cut(description: string): string {
  const isCut = description.length > maxFoundDescription
  return isCut ? `${description.slice(0, maxFoundDescription)}…` : description
}

/**
 * Returns what the styles of a request show of their layers at its scale, by the id of the layer. Styles that the caller may
 * not read, and layers with several styles, are left out.
 */
async function findSeenFeatures(
  { context, caller, body }: ApiRequest<'feature.identify'>,
  layers: ReadonlyMap<number, Layer>,
): Promise<Map<number, SeenFeatures>> {
  const { styles = [], scale_denom: scaleDenom } = body
  if (styles.length === 0 || scaleDenom === undefined) return new Map()
  const masks = await context.permissions.findMasks(caller, styles)
  const readable = styles.filter((id) => hasPermission(masks.get(id) ?? 0, 'data.read'))
  const sources = [...(await findRenderSources(context.database, readable)).values()]
  const byLayer = Map.groupBy(sources, renderedLayerId)
  const found = [...byLayer].map(async ([id, [resource, ...others]]) => {
    const layer = layers.get(id)
    if (resource === undefined || layer === undefined || others.length > 0) return []
    const style = await findStyle(context, { resource, layer })
    const { filter: where } = limitToScale({ ...layer, filter: undefined }, style, scaleDenom)
    const important = importanceOf(layer, findImportantField(style))
    const rank = important && importanceSql(important)
    return [[id, { ...(where ? { where } : {}), ...(rank ? { rank } : {}) }] as const]
  })
  return new Map((await Promise.all(found)).flat())
}
