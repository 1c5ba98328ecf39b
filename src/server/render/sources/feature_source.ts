import type { LabelChoice } from '../../../contract/formats/image_format.ts'
import { geometryParts } from '../../../contract/geometry.ts'
import { problem } from '../../../contract/problems.ts'
import { type Queryable, queriesUntil } from '../../../database/database.ts'
import type { Bbox } from '../../../geo/bbox.ts'
import { mercatorWorld } from '../../../geo/mercator.ts'
import { moveBox } from '../../../geo/world.ts'
import { maxDisplacement } from '../../../render/draw/displacement.ts'
import { symbolReach } from '../../../render/draw/layer.ts'
import type { FeatureJobLayer, JobFeatures } from '../../../render/image/draw_job.ts'
import {
  copiesOf,
  type ImageFrame,
  measureImage,
  readImageFeatures,
} from '../../../render/image/image_features.ts'
import { noFeatures } from '../../../render/image/no_features.ts'
import { hasLabels } from '../../../render/label/label_spec.ts'
import type { Importance } from '../../../render/vector_tile/importance.ts'
import type { FilteredLayer } from '../../../render/vector_tile/tile_source.ts'
import { isForeign } from '../../../store/feature/feature_table.ts'
import { checkFilterCost } from '../../../store/feature/filter_cost.ts'
import { expressionSql, type FilterExpression } from '../../../store/feature/filter_expression.ts'
import type { Layer, TrackedLayer } from '../../../store/layer/stored_layer.ts'
import type { Heatmap } from '../../../style/heatmap.ts'
import { findImportantField, type ImportantField } from '../../../style/importance.ts'
import { countSymbols, selectSymbols } from '../../../style/legend_entries.ts'
import { isInScale, scaleDenomOf } from '../../../style/match_rules.ts'
import type { PointGroups } from '../../../style/point_groups.ts'
import type { Rule, Style } from '../../../style/style_model.ts'
import { hasVertexMarkers } from '../../../style/style_symbols.ts'
import type { ServerContext } from '../../context.ts'
import { readJsonFilter } from '../../features/json_filter.ts'
import { findDatabase } from '../../geodb/geodb_session.ts'
import { findHotLayers } from '../../hot/hot_reads.ts'
import {
  bindLabelTables,
  findLabelTables,
  type LabelTables,
  noLabelTables,
  tablesKey,
} from '../../map/label_tables.ts'
import { fieldsOfLabels, fieldsOfStyle, readStyle, renderedLayerId } from '../../map/layer_style.ts'
import { styleKey } from '../../map/style_cache.ts'
import { notFound } from '../../resource/require_permission.ts'
import { clipMargin, findMetatiles, labelAreas } from '../metatile.ts'
import { heatmapReach, readDensity } from './density_source.ts'
import type { DrawnResource, LabelledSource, OpenedSource, SourceKind } from './drawn_source.ts'
import { groupFrames, readGroups } from './group_source.ts'
import { limitToScale } from './scale_filter.ts'

/** Layers with features, and their styles. */
export const featureSources: SourceKind = {
  classes: ['mapsrv_style', 'desk_vector_style', 'vector_layer', 'geodb_layer'],
  async open(context, resources, caller) {
    const layers = await findHotLayers(context, resources.map(renderedLayerId))
    const tables = await findLabelTables(context, caller, layers.values())
    return resources.map((resource) => openFeatures(context, resource, { layers, tables }))
  },
}

/** Layers, and the lookup tables of their fields that the caller may read. */
export interface OpenedLayers {
  readonly layers: ReadonlyMap<number, TrackedLayer>
  readonly tables: LabelTables
}

/**
 * Opens a layer with features, or a style of one.
 *
 * @throws {Problem} resource/not-found without its layer; request/invalid for a filter
 */
export function openFeatures(
  context: ServerContext,
  resource: DrawnResource,
  { layers, tables }: OpenedLayers,
): OpenedSource {
  const known = layers.get(renderedLayerId(resource))
  if (known === undefined) throw notFound(resource.id)
  const filter = readFilter(known, resource)
  const layer = filter === undefined ? known : filterLayer(known, filter)
  const source = { resource, layer, tables }
  const checkCost = async () => {
    if (filter === undefined) return
    const database = await findDatabase(context, known)
    await checkFilterCost(filter, () => context.layerCaches.count(database, known))
  }
  return {
    // Changes of foreign tables are not tracked.
    ...(isForeign(layer)
      ? { key: undefined }
      : {
          key: stableKeyOf(source),
          shown: { layer: known, findAreas: (frame) => findAreas(context, source, frame) },
        }),
    read: async (frame, { signal, labels }) => {
      await checkCost()
      return readFeatures(context, { ...source, signal, labels }, frame)
    },
    findLabels: (scaleDenom) => findLabels(context, source, scaleDenom),
  }
}

/** @throws {Problem} request/invalid */
function readFilter(layer: TrackedLayer, { id, filter }: DrawnResource): FilterExpression | undefined {
  return filter === undefined ? undefined : readJsonFilter(layer, `filter[${id}]`, filter)
}

function filterLayer(layer: TrackedLayer, filter: FilterExpression): StyledSource['layer'] {
  return { ...layer, filter: (bindings) => expressionSql(layer, filter, bindings) }
}

/** Returns everything that an image of a source depends on but the data of the layer. */
// Replacing data changes the table, and renaming fields changes what filters select, without a new data version.
function stableKeyOf({ resource, layer, tables }: StyledSource): readonly unknown[] {
  const { resourceId, tableName, fields } = layer
  const names = fields.map(({ columnName, keyname }) => [columnName, keyname])
  const { symbols, filter } = resource
  const chosen = symbols === undefined && filter === undefined ? [] : [symbols && [...symbols], filter]
  return [resource.id, resource.version, resourceId, tableName, names, ...chosen, ...tablesKey(layer, tables)]
}

const keyOf = (source: StyledSource) => [...stableKeyOf(source), source.layer.dataVersion]

/** A resource and the layer that it draws. */
export interface StyledSource {
  readonly resource: DrawnResource
  readonly layer: FilteredLayer & TrackedLayer
  /** Lookup tables with the labels of its fields. */
  readonly tables: LabelTables
}

interface ReadSource extends StyledSource {
  /** Aborted when the clients of the image are gone. */
  readonly signal: AbortSignal
  readonly labels: LabelChoice
}

async function readFeatures(
  context: ServerContext,
  source: ReadSource,
  frame: ImageFrame,
): Promise<FeatureJobLayer> {
  const { layer, signal, labels } = source
  const style = chooseSymbols(await findStyle(context, source), source.resource)
  const { heatmap, groups } = style
  if (heatmap !== undefined) return readHeatmap(context, source, { style, heatmap, frame })
  if (groups !== undefined) return readGrouped(context, source, { style, groups, frame })
  const reach = reachOf(style, frame)
  const database = queriesUntil(signal, await findDatabase(context, layer))
  const hasOwnLabels = readsLabels({ style, frame, labels })
  const fields = [...fieldsOfStyle(style), ...(hasOwnLabels ? fieldsOfLabels(style) : [])]
  const importance = importanceOf(layer, findImportantField(style))
  const features = await readImageFeatures(database, limitToScale(layer, style, scaleOf(frame)), {
    ...{ frame, reach, fields, importance, keepsVertices: hasVertexMarkers(style) },
  })
  return { style, features }
}

/** Tells whether an image needs the features of labels; those of tiles have features of their own. */
function readsLabels({ style, frame, labels }: Pick<LabelledImage, 'style' | 'frame' | 'labels'>): boolean {
  return labels !== 'no' && hasLabels(style, scaleOf(frame)) && findMetatiles(frame).length === 0
}

/** Returns the margin around an image from which symbols reach into it, in device pixels. */
function reachOf(style: Style, { box, width, pixelRatio = 1 }: ImageFrame): number {
  return pixelRatio * symbolReach(style, width / pixelRatio / (box[2] - box[0]))
}

/** Finds the areas that `readFeatures` and the labels of a frame read. */
async function findAreas(
  context: ServerContext,
  source: StyledSource,
  frame: ImageFrame,
): Promise<readonly Bbox[] | undefined> {
  const style = chooseSymbols(await findStyle(context, source), source.resource)
  const { heatmap, groups } = style
  const reach = heatmap === undefined ? reachOf(style, frame) : heatmapReach(heatmap, frame)
  if (reach === undefined || frame.system !== undefined) return undefined
  const areaOf = (one: ImageFrame) => measureImage(one, { reach: Math.max(reach, labelReach), cell: 1 }).box
  const areasOf = (one: ImageFrame) => {
    const area = areaOf(one)
    return copiesOf(one, area).map(({ copy }) => moveBox(area, -copy, mercatorWorld))
  }
  const grouped =
    groups === undefined ? [] : groupFrames({ frame, reach: groupReach({ style, groups, frame }) })
  const metatiles = hasLabels(style, scaleOf(frame)) ? findMetatiles(frame) : []
  return [...[frame, ...grouped].flatMap(areasOf), ...metatiles.flatMap(labelAreas)]
}

/** Margin around an image in which the features of labels lie if its symbols are those of groups or heatmaps, in device pixels. */
const labelReach = 2

interface GroupedImage {
  readonly style: Style
  readonly groups: PointGroups
  readonly frame: ImageFrame
}

/** Reads the points that a style groups, and their features where they are labelled. */
async function readGrouped(
  context: ServerContext,
  { resource, layer, tables, signal, labels }: ReadSource,
  { style, groups, frame }: GroupedImage,
): Promise<FeatureJobLayer> {
  const database = await findDatabase(context, layer)
  const limited = queriesUntil(signal, database)
  const isDrawn = drawsPoints({ style, layer, frame, labels })
  const [blocks, features] = await Promise.all([
    isDrawn
      ? readGroups({
          ...{ layer, frame, database, fields: fieldsOfStyle(style) },
          reach: groupReach({ style, groups, frame }),
          key: stableKeyOf({ resource, layer, tables }),
          signal,
          blocks: context.layerCaches.blocks,
        })
      : [],
    readLabelled(limited, { style, layer, frame, labels }),
  ])
  return { style, features, groups: blocks }
}

/** Returns how far symbols reach from the middle of their group, in pixels of 1/96 inch. */
function groupReach({ style, groups, frame: { box, width, pixelRatio = 1 } }: GroupedImage): number {
  const rules = [...style.rules, { ...emptyRule, symbol: groups.symbol }]
  const symbols = symbolReach({ rules }, width / pixelRatio / (box[2] - box[0]))
  return symbols + (groups.displacement === undefined ? 0 : maxDisplacement)
}

const emptyRule: Rule = { isElse: false, isDrawn: true, labels: [], children: [] }

interface LabelledImage {
  readonly style: Style
  readonly layer: FilteredLayer
  readonly frame: ImageFrame
  readonly labels: LabelChoice
}

/** Tells whether points are drawn as groups or a heatmap. */
function drawsPoints({ style, layer, frame, labels }: LabelledImage): boolean {
  const isShown = labels !== 'only' && isInScale(style, scaleOf(frame))
  return isShown && geometryParts(layer.geometryType).family === 'POINT'
}

/** Reads the features of labels where the image needs them. */
async function readLabelled(
  limited: Queryable,
  { style, layer, frame, labels }: LabelledImage,
): Promise<JobFeatures> {
  if (!readsLabels({ style, frame, labels })) return noFeatures()
  const fields = [...fieldsOfStyle(style), ...fieldsOfLabels(style)]
  return readImageFeatures(limited, layer, { frame, reach: labelReach, fields })
}

interface HeatmapImage {
  readonly style: Style
  readonly heatmap: Heatmap
  readonly frame: ImageFrame
}

/** Reads the points of a heatmap, and its features where they are labelled. */
async function readHeatmap(
  context: ServerContext,
  { resource, layer, tables, signal, labels }: ReadSource,
  { style, heatmap, frame }: HeatmapImage,
): Promise<FeatureJobLayer> {
  const database = await findDatabase(context, layer)
  const limited = queriesUntil(signal, database)
  const isDrawn = drawsPoints({ style, layer, frame, labels })
  const [density, features] = await Promise.all([
    isDrawn
      ? readDensity({
          ...{ heatmap, layer, frame, limited, database, filter: resource.filter },
          key: isForeign(layer) ? undefined : keyOf({ resource, layer, tables }),
          densities: context.layerCaches.densities,
        })
      : undefined,
    readLabelled(limited, { style, layer, frame, labels }),
  ])
  return { style, features, ...(density === undefined ? {} : { density }) }
}

/** Returns the field that a style names as important, if the layer has it. */
export function importanceOf(
  { fields }: Layer,
  important: ImportantField | undefined,
): Importance | undefined {
  const field = fields.find(({ keyname }) => keyname === important?.name)
  return important && field && { ...important, field }
}

const scaleOf = ({ box, width, pixelRatio = 1, system }: ImageFrame) =>
  scaleDenomOf(((box[2] - box[0]) / width) * pixelRatio * (system?.metresPerUnit ?? 1))

async function findLabels(
  context: ServerContext,
  source: StyledSource,
  scaleDenom: number,
): Promise<LabelledSource | undefined> {
  const style = chooseSymbols(await findStyle(context, source), source.resource)
  if (!hasLabels(style, scaleDenom)) return undefined
  const { layer } = source
  return {
    key: isForeign(layer) ? keyOf(source) : stableKeyOf(source),
    async read(frame, signal) {
      const database = queriesUntil(signal, await findDatabase(context, layer))
      const fields = [...fieldsOfStyle(style), ...fieldsOfLabels(style)]
      const importance = importanceOf(layer, findImportantField(style))
      // Frames of all of the world continue it themselves.
      const copies = frame.box[2] - frame.box[0] <= mercatorWorld ? 'all' : 'none'
      const request = { frame, reach: 0, clipMargin, fields, importance, copies } as const
      const limited = limitToScale(layer, style, scaleDenom)
      return { style, features: await readImageFeatures(database, limited, request) }
    },
  }
}

/** @throws {Problem} request/invalid if the style has no symbol at one of the positions */
function chooseSymbols(style: Style, { id, symbols }: DrawnResource): Style {
  if (symbols === undefined) return style
  const count = countSymbols(style)
  const unknown = [...symbols].find((index) => index >= count)
  if (unknown === undefined) return selectSymbols(style, symbols)
  throw problem(
    'request/invalid',
    `symbols[${id}]: the style has ${count} ${count === 1 ? 'symbol' : 'symbols'}, counted from 0, but none at position ${unknown}.`,
    { data: { location: ['query', `symbols[${id}]`] } },
  )
}

/** A resource whose style is read, and its layer. */
interface StyleSource {
  readonly resource: DrawnResource
  readonly layer: Layer
  /** Lookup tables with the labels of its fields; none by default, for what shows no values. */
  readonly tables?: LabelTables
}

/** Reads the style of a resource for its layer, once for each version. */
export async function findStyle(
  { database, layerCaches }: ServerContext,
  { resource, layer, tables = noLabelTables }: StyleSource,
): Promise<Style> {
  const { styles } = layerCaches
  const key = styleKey(resource, layer)
  const { style, issues } = await styles.get(key, () => readStyle(database, resource, layer))
  const labels = tablesKey(layer, tables)
  if (labels.length === 0) return style
  const bound = await styles.get([...key, labels], async () => {
    return { style: await bindLabelTables(database, style, { fields: layer.fields, tables }), issues }
  })
  return bound.style
}
