import { isDeepStrictEqual } from 'node:util'
import { tileLimits } from '../../../src/contract/limits.ts'
import { type DecodedFeature, decodeFeatures, findDifference } from '../../support/tile_match.ts'
import { seededRandom } from './tile_addresses.ts'

/** How the contents of two tiles compare. */
export type Comparison = 'equal' | 'beyond the limit' | 'different'

/**
 * Compares features of a tile of the server with those of PostgreSQL alone: attributes and, within a unit, geometries inside the
 * tile. In the margin, outlines along the edge of the world differ. Beyond the limit of features, the server thins.
 */
export function compareTiles(own: Uint8Array, floor: Uint8Array, layers: readonly number[]): Comparison {
  const found = layers.map((id) => compareLayers(...readBoth(own, floor, `svc:${id}`)))
  if (found.includes('different')) return 'different'
  return found.find((one) => one !== 'equal') ?? 'equal'
}

type Features = ReadonlyMap<number, DecodedFeature>

function readBoth(own: Uint8Array, floor: Uint8Array, name: string): [own: Features, floor: Features] {
  const read = (bytes: Uint8Array) =>
    new Map(decodeFeatures(bytes, name).map((feature) => [feature.id, feature]))
  return [read(own), read(floor)]
}

function compareLayers(own: Features, floor: Features): Comparison {
  if (floor.size > tileLimits.unsimplified) return 'beyond the limit'
  const random = seededRandom(floor.size)
  const ids = [...new Set([...own.keys(), ...floor.keys()])]
  // Comparing the geometries of all regions in 300 tiles takes many times as long as the bench.
  const share = Math.min(1, maxCompared / ids.length)
  const chosen = ids.filter(() => random() < share)
  return chosen.every((id) => isEqual(own.get(id), floor.get(id), random)) ? 'equal' : 'different'
}

/** Number of features of a layer of a tile that are compared, on average. */
const maxCompared = 5

function isEqual(
  own: DecodedFeature | undefined,
  floor: DecodedFeature | undefined,
  random: () => number,
): boolean {
  const type = own?.type ?? floor?.type ?? 0
  const [ours, theirs] = [own?.parts ?? [], floor?.parts ?? []]
  if (own !== undefined && floor !== undefined && !isDeepStrictEqual(own.properties, floor.properties))
    return false
  return findDifference({ type, parts: ours }, { parts: theirs }, { range: [0, 4096], random }) === undefined
}
