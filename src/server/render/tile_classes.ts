import { problem } from '../../contract/problems.ts'
import { tileWidth } from '../../geo/tile.ts'
import type { TileRequest } from '../../render/vector_tile/tile_grid.ts'
import { classAttribute, type TileClasses } from '../../render/vector_tile/tile_layer.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import type { TrackedLayer } from '../../store/layer/stored_layer.ts'
import { scaleDenomOf } from '../../style/match_rules.ts'
import { compileClasses, type FindClass } from '../../style/style_classes.ts'
import type { Style } from '../../style/style_model.ts'
import type { ServerContext } from '../context.ts'
import { findHotSources } from '../hot/hot_reads.ts'
import { findLabelTables, tablesKey } from '../map/label_tables.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { notFound } from '../resource/require_permission.ts'
import { findStyle } from './sources/feature_source.ts'

/** Styles whose symbols the features of a tile name. */
export interface TileStyles {
  /** Changes with the styles. */
  readonly key: readonly unknown[]
  /** By resource id of the layer. */
  readonly classes: ReadonlyMap<number, TileClasses>
}

/** A tile whose features name no symbols. */
export const noTileStyles: TileStyles = { key: [], classes: new Map() }

/** Side of a tile in pixels, for the scale of styles. */
const tileSide = 256

/** Styles of layers of a tile. */
interface StyleRequest {
  readonly layers: readonly TrackedLayer[]
  readonly ids: readonly number[]
  readonly caller: PermissionSubject
}

/**
 * Finds the styles of layers of a tile.
 *
 * @throws {Problem} resource/not-found; request/invalid for a resource that is not a style of one of the layers, for two styles
 *   of a layer, and for a layer with a field that has the name of the attribute
 */
export async function findTileStyles(
  context: ServerContext,
  { layers, ids, caller }: StyleRequest,
  { address }: Pick<TileRequest, 'address'>,
): Promise<TileStyles> {
  if (ids.length === 0) return noTileStyles
  const sources = await findHotSources(context, ids)
  const tables = await findLabelTables(context, caller, layers)
  const classes = new Map<number, TileClasses>()
  const key: unknown[] = []
  const scaleDenom = scaleDenomOf(tileWidth(address.z) / tileSide)
  for (const id of ids) {
    const source = sources.get(id)
    if (source === undefined) throw notFound(id)
    const layer = layers.find(({ resourceId }) => resourceId === renderedLayerId(source))
    if (layer === undefined || layer.resourceId === id)
      throw invalid(`resource id = ${id} is not a style of a layer of the tile`)
    if (classes.has(layer.resourceId))
      throw invalid(`layer ${layer.resourceId} has more than one style in the list`)
    if (layer.fields.some(({ keyname }) => keyname === classAttribute))
      throw invalid(`layer ${layer.resourceId} has a field "${classAttribute}"`)
    const find = classesOf(await findStyle(context, { resource: source, layer, tables }))
    classes.set(layer.resourceId, (feature) => find({ ...feature, scaleDenom }))
    key.push(id, source.version, ...tablesKey(layer, tables).flat())
  }
  return { key, classes }
}

const compiled = new WeakMap<Style, FindClass>()

/** Compiles a style once: a warm tile is found without its styles. */
function classesOf(style: Style): FindClass {
  const known = compiled.get(style) ?? compileClasses(style)
  compiled.set(style, known)
  return known
}

const invalid = (fault: string) => problem('request/invalid', `style: ${fault}.`)
