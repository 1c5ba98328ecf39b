import { quadkeyOf } from '../geo/tile.ts'

/** Address of a tile as OpenLayers has it; x counts from the west, y from the north. */
export type TilePlace = readonly [z: number, x: number, y: number]

/** Returns the URL of a tile of a geoservice or base map; `{-y}` counts from the south whatever `{y}` does. */
export function tileUrl(template: string, [z, x, y]: TilePlace, isFromTop: boolean): string {
  const fromSouth = 2 ** z - 1 - y
  const row = isFromTop ? y : fromSouth
  return template
    .replaceAll('{-y}', String(fromSouth))
    .replaceAll('{q}', () => quadkeyOf({ z, x, y }))
    .replaceAll('{z}', String(z))
    .replaceAll('{x}', String(x))
    .replaceAll('{y}', String(row))
}

/** Swaps the axes of the bounding box in the URL of a map. */
export function swapBbox(url: string): string {
  const swapped = new URL(url)
  for (const name of [...swapped.searchParams.keys()]) {
    const sides = swapped.searchParams.get(name)?.split(',') ?? []
    const [first, second, third, fourth] = sides
    if (name.toUpperCase() === 'BBOX' && sides.length === 4)
      swapped.searchParams.set(name, [second, first, fourth, third].join(','))
  }
  return swapped.href
}
