import type { ServerContext } from '../../src/server/context.ts'
import type { Answer } from '../../src/server/http/handler.ts'
import { createLayerCaches } from '../../src/server/layer_caches.ts'
import type { CurrentCache } from '../../src/server/map/current_cache.ts'
import { answerTile, readTileRequest } from '../../src/server/map/vector_tile.ts'
import { answerImage } from '../../src/server/render/answer_image.ts'
import { tileFrame } from '../../src/server/render/frame.ts'
import type { TileStore } from '../../src/server/tile_store/tile_store.ts'
import { counted, groups } from './gallery/group_entries.ts'
import { heatmap } from './gallery/heatmap_entries.ts'
import { createTestLayer } from './layers.ts'
import { uploadContent } from './samples.ts'
import type { TestServer } from './server.ts'
import { createResource } from './tree.ts'

/** A tile of layers or styles, or an image of four tiles. */
export interface ShownTile {
  readonly kind: 'vector' | 'image' | 'four'
  readonly ids: readonly number[]
  readonly z: number
  readonly x: number
  readonly y: number
}

const noTiles: TileStore = {
  find: async () => undefined,
  keep: () => undefined,
  count: async () => [],
  purge: () => undefined,
  counted: Promise.resolve(),
  close: async () => undefined,
}

/** Returns the context of a server that remembers nothing. */
export function withoutCaches(context: ServerContext): ServerContext {
  const hot: ServerContext['hot'] = {
    get: (_, find) => find(),
    known: () => undefined,
    close: async () => undefined,
  }
  return { ...context, hot, layerCaches: createLayerCaches(), tileStore: noTiles }
}

/** What is found in the memory: counts of tiles and images, and of the labels and blocks of points that others are made of. */
export interface Found {
  whole: number
  parts: number
}

/** Returns a context that counts what is taken from the memory instead of made. */
export function observeFinding(context: ServerContext, found: Found): ServerContext {
  const observed = <T>({ find, get }: CurrentCache<T>, kind: keyof Found): CurrentCache<T> => ({
    find,
    async get(request, make) {
      let isMade = false
      const tile = await get(request, (signal) => {
        isMade = true
        return make(signal)
      })
      if (!isMade) found[kind] += 1
      return tile
    },
  })
  const { layerCaches } = context
  const { tiles, images, labels, blocks } = layerCaches
  const wholes = { tiles: observed(tiles, 'whole'), images: observed(images, 'whole') }
  const parts = { labels: observed(labels, 'parts'), blocks: observed(blocks, 'parts') }
  return { ...context, layerCaches: { ...layerCaches, ...wholes, ...parts } }
}

/** Reads a tile as requests do; returns its bytes in Base64. */
export async function readShown(
  context: ServerContext,
  { kind, ids, ...address }: ShownTile,
): Promise<string> {
  const caller = { id: 1, superuser: true, principalIds: [1] }
  const { signal } = new AbortController()
  const request = { context, caller, headers: {}, dialect: 'document', signal } as const
  if (kind === 'vector') return bytesOf(await answerTile(request, { ids }, readTileRequest(address)))
  const tile = tileFrame(address)
  const [minX, minY, maxX, maxY] = tile.box
  const frame =
    kind === 'image'
      ? tile
      : ({ box: [minX, minY, 2 * maxX - minX, 2 * maxY - minY], width: 512, height: 512 } as const)
  return bytesOf(await answerImage(request, ids, { frame, format: 'png', cache: true, nd: 200 }))
}

function bytesOf(answer: Answer): string {
  return 'bytes' in answer ? Buffer.from(answer.bytes).toString('base64') : ''
}

/** Layers, and tiles of them and their styles, which depend on features around them. */
export interface ShownTree {
  readonly points: number
  readonly polygons: number
  readonly degrees: number
  readonly shown: readonly ShownTile[]
}

/** Zoom level and number of the column and row of the tiles. */
export const shownAddress = { z: 4, x: 8, y: 8 }

const labelled = `<map><layer><labelitem>name</labelitem><class>
  <style><color red="9" green="90" blue="9"/><size>50</size></style>
  <label><size>14</size><color red="0" green="0" blue="0"/><position>ur</position></label></class></layer></map>`

const plain =
  '<map><layer><class><style><color red="200" green="9" blue="9"/><size>9</size></style></class></layer></map>'

/** Creates the layers and styles. */
export async function createShownTree({ admin, database }: TestServer): Promise<ShownTree> {
  const fields = { name: 'STRING', people: 'INTEGER' } as const
  const points = await createTestLayer(database, { name: 'points', geometryType: 'POINT', fields })
  const polygons = await createTestLayer(database, { name: 'polygons', geometryType: 'POLYGON', fields })
  const degrees = await createTestLayer(database, {
    name: 'degrees',
    geometryType: 'POINT',
    srs: 4326,
    fields,
  })
  const style = (name: string, parent: number, members: { xml: string; tile_cache?: object }) =>
    createResource(admin, {
      ...{ cls: 'mapsrv_style', parent, name },
      members: { mapsrv_style: { xml: members.xml }, tile_cache: members.tile_cache ?? {} },
    })
  const desk = async (name: string, content: string) => {
    const members = { desk_vector_style: { file_upload: await uploadContent(admin, content) } }
    return createResource(admin, { cls: 'desk_vector_style', parent: points, name, members })
  }
  const heat = (name: string, maximum: number) => {
    const attributes = `radius="20" radius_unit="2" max_value="${maximum}" weight_expression="people"`
    return desk(name, heatmap(attributes, { color1: '0,0,0,0', color2: '255,0,0,255', discrete: '0' }))
  }
  const styles = [
    await style('plain', points, { xml: plain, tile_cache: { enabled: true } }),
    await style('labelled', points, { xml: labelled }),
    await style('labelled degrees', degrees, { xml: labelled, tile_cache: { enabled: true } }),
    await style('labelled polygons', polygons, { xml: plain }),
    await heat('heat up to 5', 5),
    await heat('heat', 0),
    await desk('clusters', groups('type="pointCluster" tolerance="60" toleranceUnit="Pixel"', counted)),
  ]
  const composed = await style('composed', points, {
    xml: labelled,
    tile_cache: { enabled: true, image_compose: true },
  })
  const tile = (kind: ShownTile['kind'], ...ids: number[]) => ({ kind, ids, ...shownAddress })
  const shown = [
    ...[points, degrees, polygons].map((id) => tile('vector', id)),
    ...styles.map((id) => tile('image', id)),
    tile('image', ...styles.slice(0, 3)),
    tile('four', composed),
  ]
  return { points, polygons, degrees, shown }
}
