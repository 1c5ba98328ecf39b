import { readFileSync } from 'node:fs'
import type { Bbox } from '../../../src/geo/bbox.ts'
import { mercatorHalfWorld } from '../../../src/geo/mercator.ts'
import { cityColumns, citySource } from './cities.ts'

/** Address of a tile, as query parameters. */
export type TileQuery = `z=${number}&x=${number}&y=${number}`

/** Lists all tiles of the zoom levels from 0 on. */
export function allTiles(lastZoom: number): TileQuery[] {
  const zooms = Array.from({ length: lastZoom + 1 }, (_, z) => z)
  return zooms.flatMap((z) =>
    Array.from(
      { length: 4 ** z },
      (_, at): TileQuery => `z=${z}&x=${Math.floor(at / 2 ** z)}&y=${at % 2 ** z}`,
    ),
  )
}

/** Lists all tiles of the zoom levels from 0 on in a mixed order, the same in every run. */
export function mixedTiles(lastZoom: number): TileQuery[] {
  return shuffle(allTiles(lastZoom), seededRandom(20261123))
}

/** Lists up to `perZoom` tiles of each zoom level that touch a box in EPSG:3857, in a mixed order, the same in every run. */
export function tilesInBox(
  box: Bbox,
  { first, last, perZoom }: { readonly first: number; readonly last: number; readonly perZoom: number },
): TileQuery[] {
  const random = seededRandom(20261123)
  const zooms = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const found = zooms.flatMap((z) => shuffle(allInBox(z, box), random).slice(0, perZoom))
  return shuffle(found, random)
}

function allInBox(z: number, [minX, minY, maxX, maxY]: Bbox): TileQuery[] {
  const at = (distance: number) => Math.floor((distance / (2 * mercatorHalfWorld)) * 2 ** z)
  const [left, right] = [at(mercatorHalfWorld + minX), at(mercatorHalfWorld + maxX)]
  const [top, bottom] = [at(mercatorHalfWorld - maxY), at(mercatorHalfWorld - minY)]
  const [columns, rows] = [right - left + 1, bottom - top + 1]
  return Array.from(
    { length: columns * rows },
    (_, n): TileQuery => `z=${z}&x=${left + (n % columns)}&y=${top + Math.floor(n / columns)}`,
  )
}

function shuffle<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

const zoomLevels = { first: 4, last: 12 }

/**
 * Lists tiles of zoom levels, 4 to 12 by default, the same in every run, in a mixed order: half of them where a random city is, so that
 * dense places come more often, half of them where a city of a random country is.
 */
export function sampleTiles(perZoom: number, { first, last } = zoomLevels): TileQuery[] {
  const random = seededRandom(20261121)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const cities = readCities()
  const countries = [...Map.groupBy(cities, ({ country }) => country).values()]
  const found: TileQuery[] = []
  for (let z = first; z <= last; z += 1) {
    const tiles = new Set<TileQuery>()
    while (tiles.size < perZoom) tiles.add(tileOf(z, pick(tiles.size % 2 === 0 ? cities : pick(countries))))
    found.push(...tiles)
  }
  return shuffle(found, random)
}

/** Tiles of other zoom levels, so that a server that has just started has its code compiled and its connections open. */
export const otherTiles = sampleTiles(300, { first: 13, last: 16 })

interface City {
  readonly country: string
  readonly longitude: number
  readonly latitude: number
}

function readCities(): City[] {
  const [longitude, latitude, country] = ['longitude', 'latitude', 'country_code'].map((name) =>
    cityColumns.indexOf(name),
  )
  return readFileSync(citySource, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(({ length }) => length === cityColumns.length)
    .map((values) => ({
      country: values[country ?? 0] ?? '',
      longitude: Number(values[longitude ?? 0]),
      latitude: Number(values[latitude ?? 0]),
    }))
}

function tileOf(z: number, { longitude, latitude }: City): TileQuery {
  const sine = Math.sin((latitude * Math.PI) / 180)
  const [x, y] = [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)]
  const at = (part: number) => Math.min(2 ** z - 1, Math.max(0, Math.floor(part * 2 ** z)))
  return `z=${z}&x=${at(x)}&y=${at(y)}`
}

/** Returns random numbers from 0 to 1, the same for a seed. @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c (mulberry32) */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const last = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((last ^ (last >>> 14)) >>> 0) / 2 ** 32
  }
}
