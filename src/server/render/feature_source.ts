import { queriesUntil } from '../../database/database.ts'
import { symbolReach } from '../../render/draw/layer.ts'
import type { FeatureJobLayer } from '../../render/image/draw_job.ts'
import { type ImageFrame, readImageFeatures } from '../../render/image/image_features.ts'
import type { Importance } from '../../render/vector_tile/importance.ts'
import type { RenderSource } from '../../store/classes/render_source.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findImportantField, type ImportantField } from '../../style/importance.ts'
import type { Style } from '../../style/style_model.ts'
import type { ServerContext } from '../context.ts'
import { findDatabases } from '../geodb/geodb_session.ts'
import { fieldsOfStyle, readStyle, renderedLayerId } from '../map/layer_style.ts'
import { notFound } from '../resource/require_permission.ts'
import type { SourceKind } from './drawn_source.ts'

/** Layers with features, and their styles. */
export const featureSources: SourceKind = {
  classes: ['mapsrv_style', 'desk_vector_style', 'vector_layer', 'geodb_layer'],
  async open(context, resources) {
    const layers = await findLayers(context.database, resources.map(renderedLayerId))
    return resources.map((resource) => {
      const layer = layers.get(renderedLayerId(resource))
      if (layer === undefined) throw notFound(resource.id)
      return {
        // Changes of foreign tables are not tracked.
        key: isForeign(layer) ? undefined : keyOf(resource, layer),
        read: (frame, signal) => readFeatures(context, { resource, layer, signal }, frame),
      }
    })
  },
}

// Replacing data changes the table, and renaming fields changes what filters select, without a new data version.
function keyOf(resource: RenderSource, layer: Layer): readonly unknown[] {
  const { resourceId, tableName, dataVersion, fields } = layer
  const names = fields.map(({ columnName, keyname }) => [columnName, keyname])
  return [resource.id, resource.version, resourceId, tableName, dataVersion, names]
}

/** A resource and the layer that it draws. */
interface StyledSource {
  readonly resource: RenderSource
  readonly layer: Layer
  /** Aborted when the clients of the image are gone. */
  readonly signal: AbortSignal
}

async function readFeatures(
  context: ServerContext,
  source: StyledSource,
  frame: ImageFrame,
): Promise<FeatureJobLayer> {
  const { layer, signal } = source
  const databases = await findDatabases(context, [layer])
  const style = await findStyle(context, source)
  const { box, width, pixelRatio = 1 } = frame
  const reach = pixelRatio * symbolReach(style, width / pixelRatio / (box[2] - box[0]))
  const database = queriesUntil(signal, databases.get(layer.resourceId) ?? context.database)
  const features = await readImageFeatures(database, layer, {
    ...{ frame, reach, fields: fieldsOfStyle(style) },
    importance: importanceOf(layer, findImportantField(style)),
  })
  return { style, features }
}

/** Returns the field that a style names as important, if the layer has it. */
function importanceOf({ fields }: Layer, important: ImportantField | undefined): Importance | undefined {
  const field = fields.find(({ keyname }) => keyname === important?.name)
  return important && field && { field, isHighFirst: important.isHighFirst }
}

async function findStyle({ database, layerCaches }: ServerContext, source: StyledSource): Promise<Style> {
  const { resource, layer } = source
  const names = layer.fields.map(({ keyname }) => keyname)
  const key = JSON.stringify([resource.id, resource.version, layer.geometryType, names])
  const known = layerCaches.styles.get(key)
  if (known !== undefined) return known
  const style = await readStyle(database, resource, layer)
  layerCaches.styles.set(key, style)
  return style
}
