import { setImmediate } from 'node:timers/promises'
import { PbfWriter } from 'pbf'
import type { GeometryFamily } from '../../contract/geometry.ts'
import type { PackedGeometry } from '../../geo/packed_geometry.ts'
import { tidyGeometry } from '../../geo/tile_geometry.ts'
import { writeCommands } from './mvt_commands.ts'

/** Kind of the values of an attribute, which determines their encoding. */
export type TileValueKind = 'integer' | 'real' | 'text'

/** An attribute of a tile layer. */
export interface TileKey {
  readonly name: string
  readonly kind: TileValueKind
}

/** A feature of a tile layer. */
export interface TileFeature {
  /** At least 0. */
  readonly id: number
  /** May be used again for the next feature: encoding changes it. */
  readonly geometry: PackedGeometry
  /** Top left corner of the tile in the units of the geometry; 0, 0 if it is missing. */
  readonly corner?: readonly [x: number, y: number]
  /** One value per key of the layer; null omits the attribute. */
  readonly values: readonly (number | string | null)[]
}

/** A layer of a tile. */
export interface TileLayer {
  readonly name: string
  /** Units along a side of the tile. */
  readonly extent: number
  readonly keys: readonly TileKey[]
  readonly features: Iterable<TileFeature>
  /** Tells after each feature whether other requests get their turn before the next one, since finding it takes long. */
  readonly isTurnOver?: () => boolean
}

/** An encoded layer. */
export interface EncodedLayer {
  /** No bytes for a layer without features. */
  readonly bytes: Uint8Array
  /** False if features were left out because of the size limit. */
  readonly isComplete: boolean
}

/** Limits of encoding. */
export interface EncodingLimits {
  readonly limitBytes?: number
  /** Ends the work. */
  readonly signal?: AbortSignal | undefined
}

/** Features and bytes that are encoded before other requests get their turn. */
const batch = { features: 128, bytes: 64 * 2 ** 10 }

/**
 * Encodes a layer as a tile; the concatenated bytes of several layers are a tile, too. Features whose geometry collapses
 * at the resolution of the tile are left out, and so are the first feature that exceeds the size limit and those after it.
 *
 * @throws the reason of the signal
 * @see https://github.com/mapbox/vector-tile-spec/tree/master/2.1
 */
export async function encodeTileLayer(
  layer: TileLayer,
  { limitBytes = Number.POSITIVE_INFINITY, signal }: EncodingLimits = {},
): Promise<EncodedLayer> {
  const values = new ValueTable()
  const features = new PbfWriter()
  let isComplete = true
  let [count, batchStart] = [0, 0]
  for (const feature of layer.features) {
    const before = { featuresEnd: features.pos, values: values.mark() }
    writeFeature(features, { feature, keys: layer.keys, values })
    const sizeBytes = features.pos + values.sizeBytes
    if (sizeBytes > limitBytes) {
      features.pos = before.featuresEnd
      values.truncate(before.values)
      isComplete = false
      break
    }
    count += 1
    const isBatch = count % batch.features === 0 || sizeBytes - batchStart >= batch.bytes
    if (!isBatch && layer.isTurnOver?.() !== true) continue
    batchStart = sizeBytes
    await setImmediate()
    signal?.throwIfAborted()
  }
  if (features.pos === 0) return { bytes: new Uint8Array(), isComplete }
  const writer = new PbfWriter(new Uint8Array(features.pos + 1024))
  writer.writeMessage(tags.layer, writeLayer, { layer, features: features.finish(), values })
  return { bytes: writer.finish(), isComplete }
}

// Field numbers of the specification's vector_tile.proto.
const tags = {
  layer: 3,
  version: 15,
  name: 1,
  features: 2,
  keys: 3,
  values: 4,
  extent: 5,
  id: 1,
  tags: 2,
  type: 3,
  geometry: 4,
  text: 1,
  double: 3,
  uint: 5,
  sint: 6,
}
const typeNumbers: Record<GeometryFamily, number> = { POINT: 1, LINESTRING: 2, POLYGON: 3 }

interface LayerParts {
  readonly layer: TileLayer
  /** Feature messages with their tags. */
  readonly features: Uint8Array
  readonly values: ValueTable
}

function writeLayer({ layer, features, values }: LayerParts, writer: PbfWriter): void {
  writer.writeVarintField(tags.version, 2)
  writer.writeStringField(tags.name, layer.name)
  writeRaw(writer, features)
  for (const key of layer.keys) writer.writeStringField(tags.keys, key.name)
  writeRaw(writer, values.bytes())
  writer.writeVarintField(tags.extent, layer.extent)
}

function writeRaw(writer: PbfWriter, bytes: Uint8Array): void {
  writer.realloc(bytes.length)
  writer.buf.set(bytes, writer.pos)
  writer.pos += bytes.length
}

interface FeatureParts {
  readonly feature: TileFeature
  readonly keys: readonly TileKey[]
  readonly values: ValueTable
}

function writeFeature(writer: PbfWriter, parts: FeatureParts): void {
  if (tidyGeometry(parts.feature.geometry).count > 0)
    writer.writeMessage(tags.features, writeFeatureMessage, parts)
}

function writeFeatureMessage({ feature, keys, values }: FeatureParts, writer: PbfWriter): void {
  writer.writeVarintField(tags.id, feature.id)
  const pairs: number[] = []
  for (const [at, key] of keys.entries()) {
    const value = feature.values[at]
    if (value !== null && value !== undefined) pairs.push(at, values.indexOf(value, key.kind))
  }
  writer.writePackedVarint(tags.tags, pairs)
  writer.writeVarintField(tags.type, typeNumbers[feature.geometry.family])
  writer.writeMessage(tags.geometry, writeCommands, feature)
}

interface TableEnd {
  readonly sizeBytes: number
  readonly count: number
}

/** The distinct values of a layer. */
class ValueTable {
  readonly #places = { integer: new Map(), real: new Map(), text: new Map() } satisfies Record<
    TileValueKind,
    Map<number | string, number>
  >
  readonly #writer = new PbfWriter()
  #count = 0

  indexOf(value: number | string, kind: TileValueKind): number {
    const places: Map<number | string, number> = this.#places[kind]
    const known = places.get(value)
    if (known !== undefined) return known
    const place = this.#count
    this.#writer.writeMessage(tags.values, writeValue, { value, kind })
    places.set(value, place)
    this.#count += 1
    return place
  }

  /** Size of the encoded values. */
  get sizeBytes(): number {
    return this.#writer.pos
  }

  /** Returns the current end of the table. */
  mark(): TableEnd {
    return { sizeBytes: this.#writer.pos, count: this.#count }
  }

  /** Removes the values after a mark. Values cannot be added afterwards. */
  truncate({ sizeBytes, count }: TableEnd): void {
    this.#writer.pos = sizeBytes
    this.#count = count
  }

  bytes(): Uint8Array {
    return this.#writer.finish()
  }
}

function writeValue(
  { value, kind }: { readonly value: number | string; readonly kind: TileValueKind },
  writer: PbfWriter,
): void {
  if (typeof value === 'string') writer.writeStringField(tags.text, value)
  else if (kind === 'real') writer.writeDoubleField(tags.double, value)
  else if (value < 0) writer.writeSVarintField(tags.sint, value)
  else writer.writeVarintField(tags.uint, value)
}
