import { type GeometryType, geometryParts } from '../../src/contract/geometry.ts'
import type { Database, Queryable } from '../../src/database/database.ts'
import { lonLatOfMercator } from '../../src/geo/mercator.ts'
import { type TileAddress, tileBbox } from '../../src/geo/tile.ts'
import { ensureFeatureTable } from '../../src/store/layer/layer_table.ts'
import { findLayers, type Layer, lockLayer } from '../../src/store/layer/stored_layer.ts'
import { createTestLayer, everyDatatype } from './layers.ts'

/** Features that are scattered over a tile and its surroundings. */
export interface RandomLayer {
  readonly geometryType: GeometryType
  readonly srs: 3857 | 4326
  readonly around: TileAddress
  readonly count: number
  /** Returns numbers from 0 to 1. */
  readonly random: () => number
}

/** A position as fractions of the tile, from its bottom left corner. */
type Position = readonly [x: number, y: number]

/** Creates a layer of random features of all sizes with random values and nulls. */
export async function createRandomLayer(database: Database, wanted: RandomLayer): Promise<Layer> {
  const { geometryType, srs } = wanted
  const name = `${geometryType} ${srs} ${JSON.stringify(wanted.around)}`
  const id = await createTestLayer(database, { name, geometryType, srs, fields: everyDatatype })
  await database.transaction((tx) => fill(tx, id, wanted))
  const layer = (await findLayers(database, [id])).get(id)
  if (layer === undefined) throw new Error('the layer does not exist')
  return layer
}

async function fill(tx: Queryable, id: number, wanted: RandomLayer): Promise<void> {
  const locked = await lockLayer(tx, id)
  if (locked === undefined) throw new Error('the layer does not exist')
  const { tableName, fields } = await ensureFeatureTable(tx, locked)
  const columns = fields.map(({ columnName }) => columnName)
  for (let at = 0; at < wanted.count; at += 1) {
    const values = columns.map((_, field) => randomValues[field]?.(wanted.random) ?? null)
    const bound = columns.map((_, field) => `$${field + 2}`)
    await tx.query(
      `insert into ${tableName} (geom, ${columns}) values (ST_GeomFromText($1, ${wanted.srs}), ${bound})`,
      [randomWkt(wanted), ...values],
    )
  }
}

type Random = RandomLayer['random']

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T

/** Values of the fields of `everyDatatype`. */
const randomValues = [
  (random: Random) => pick([null, 0, -1, 7, 2 ** 31 - 1, -(2 ** 31)], random),
  (random: Random) =>
    pick([null, 0, -5, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 3_000_000_000], random),
  (random: Random) => pick([null, 0, -0.5, 1e300, 12, 0.1], random),
  (random: Random) => pick([null, '', 'Ω', 'true', '12', `"'\\$1`], random),
  (random: Random) => pick([null, '2020-01-02', '0001-12-31', '9999-01-01'], random),
  (random: Random) => pick([null, '00:00:00', '23:59:59'], random),
  (random: Random) => pick([null, '2020-01-02 03:04:05', '1969-12-31 23:59:59'], random),
] as const

function randomWkt(wanted: RandomLayer): string {
  const { random } = wanted
  const { family, isMulti } = geometryParts(wanted.geometryType)
  const parts = Array.from({ length: isMulti ? 1 + Math.floor(random() * 3) : 1 }, (_, at) => {
    // Parts of a geometry do not overlap.
    const centre: Position = [random() * 1.4 - 0.2, random() * 1.4 - 0.2 + at * 5]
    // From a tenth of a unit to a few tiles.
    const radius = 10 ** (random() * 5 - 4.6)
    return randomPart(wanted, family, { centre, radius })
  })
  const [one] = parts
  const type = wanted.geometryType.replace(/Z$/, ' Z')
  return `${type} ${isMulti ? `(${parts.join()})` : one}`
}

interface Place {
  readonly centre: Position
  readonly radius: number
}

function randomPart(wanted: RandomLayer, family: string, place: Place): string {
  const { random } = wanted
  const write = (positions: readonly Position[]) =>
    `(${positions.map((one) => writePosition(wanted, one)).join()})`
  if (family === 'POINT') return write([place.centre])
  const count = 3 + Math.floor(random() * 12)
  if (family === 'LINESTRING') return write(randomStar(place, count, random).toSorted(() => random() - 0.5))
  const ring = randomStar(place, count, random)
  // A star without its second corner may cross itself where its order is changed.
  if (count > 5 && random() < 0.1) ring.splice(1, 2, ...ring.slice(1, 3).reverse())
  const hole = ring.map(([x, y]): Position => {
    const [cx, cy] = place.centre
    return [cx + (x - cx) * 0.4, cy + (y - cy) * 0.4]
  })
  const close = (open: readonly Position[]) => [...open, ...open.slice(0, 1)]
  return `(${write(close(ring))}${random() < 0.4 ? `,${write(close(hole.reverse()))}` : ''})`
}

/** Returns the corners of a ring around a centre, in either direction. */
function randomStar({ centre: [x, y], radius }: Place, count: number, random: Random): Position[] {
  const corners = Array.from({ length: count }, (_, at): Position => {
    const angle = ((at + random() * 0.8) / count) * 2 * Math.PI
    const reach = radius * (0.4 + 0.6 * random())
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)]
  })
  return random() < 0.5 ? corners : corners.reverse()
}

function writePosition({ around, srs, geometryType }: RandomLayer, [x, y]: Position): string {
  const [minX, minY, maxX, maxY] = tileBbox(around)
  const place = [minX + x * (maxX - minX), minY + y * (maxY - minY)] as const
  const [first, second] = srs === 3857 ? place : lonLatOfMercator(...place)
  return `${first} ${second}${geometryType.endsWith('Z') ? ' 5' : ''}`
}
