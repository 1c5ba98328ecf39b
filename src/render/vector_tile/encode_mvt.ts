import { setImmediate } from 'node:timers/promises'
import { PbfWriter } from 'pbf'
import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Sequence } from '../../geo/geometry.ts'
import { type TileGeometry, tidyGeometry } from '../../geo/tile_geometry.ts'

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
  readonly geometry: TileGeometry
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
}

/** An encoded layer. */
export interface EncodedLayer {
  /** No bytes for a layer without features. */
  readonly bytes: Uint8Array
  /** False if features were left out because of the size limit. */
  readonly isComplete: boolean
}

/** Features and bytes that are encoded before other requests get their turn. */
const batch = { features: 128, bytes: 64 * 2 ** 10 }

/**
 * Encodes a layer as a tile; the concatenated bytes of several layers are a tile, too. Features whose geometry collapses
 * at the resolution of the tile are left out, and so are the first feature that exceeds the size limit and those after it.
 *
 * @see https://github.com/mapbox/vector-tile-spec/tree/master/2.1
 */
export async function encodeTileLayer(
  layer: TileLayer,
  limitBytes = Number.POSITIVE_INFINITY,
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
    if (count % batch.features !== 0 && sizeBytes - batchStart < batch.bytes) continue
    batchStart = sizeBytes
    await setImmediate()
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
const commands = { moveTo: 1, lineTo: 2, closePath: 7 }

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
  const { geometry: whole, corner } = parts.feature
  const geometry = encodeGeometry(tidyGeometry(whole), corner)
  if (geometry.length === 0) return
  writer.writeMessage(tags.features, writeFeatureMessage, { ...parts, geometry })
}

function writeFeatureMessage(
  { feature, keys, values, geometry }: FeatureParts & { readonly geometry: number[] },
  writer: PbfWriter,
): void {
  writer.writeVarintField(tags.id, feature.id)
  const pairs: number[] = []
  for (const [at, key] of keys.entries()) {
    const value = feature.values[at]
    if (value !== null && value !== undefined) pairs.push(at, values.indexOf(value, key.kind))
  }
  writer.writePackedVarint(tags.tags, pairs)
  writer.writeVarintField(tags.type, typeNumbers[feature.geometry.family])
  writer.writePackedVarint(tags.geometry, geometry)
}

/** Returns the commands of a tidy geometry: command integers, and zigzag-encoded coordinate differences. */
function encodeGeometry(
  { family, parts }: TileGeometry,
  [x, y] = [0, 0] as readonly [number, number],
): number[] {
  const pen: Pen = { out: [], x, y }
  if (family === 'POINT') {
    if (parts.length > 0) pen.out.push(command(commands.moveTo, parts.length))
    for (const part of parts) for (const point of part) drawTo(pen, point, 0)
    return pen.out
  }
  for (const part of parts) {
    for (const sequence of part) {
      drawSequence(pen, sequence)
      if (family === 'POLYGON') pen.out.push(command(commands.closePath, 1))
    }
  }
  return pen.out
}

interface Pen {
  readonly out: number[]
  x: number
  y: number
}

function drawSequence(pen: Pen, sequence: Sequence): void {
  pen.out.push(command(commands.moveTo, 1))
  drawTo(pen, sequence, 0)
  pen.out.push(command(commands.lineTo, sequence.length / 2 - 1))
  for (let at = 2; at < sequence.length; at += 2) drawTo(pen, sequence, at)
}

function drawTo(pen: Pen, sequence: Sequence, at: number): void {
  const [x, y] = [sequence[at] ?? 0, sequence[at + 1] ?? 0]
  pen.out.push(zigzag(x - pen.x), zigzag(y - pen.y))
  pen.x = x
  pen.y = y
}

const command = (id: number, count: number) => (id & 7) | (count << 3)

const zigzag = (value: number) => ((value << 1) ^ (value >> 31)) >>> 0

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
