import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findGeojsonStreamFault } from '../../src/catalog/geojson_stream.ts'
import { findGeojsonFault } from '../../src/geo/geojson_fault.ts'
import { inPieces } from '../support/pieces.ts'

const run = { seed: 20_240_611, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 })

const names = fc.constantFrom('type', 'features', 'geometry', 'properties', 'coordinates', 'bbox', 'x')
const feature = fc.record(
  {
    type: fc.constantFrom('Feature', 'Point'),
    properties: fc.constant({}),
    geometry: fc.constantFrom(null, 1, { type: 'Point', coordinates: [1, 2] }),
  },
  { requiredKeys: ['type', 'properties'] },
)
const collection = fc.record({
  type: fc.constant('FeatureCollection'),
  features: fc.array(feature, { maxLength: 4 }),
  bbox: fc.constantFrom(undefined, [1, 2, 3, 4], 0),
})
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('Feature', 'FeatureCollection', 'Point', 0, -1.5e3, null, true, 'é"\\[{,'),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(names, tie('node'), { maxKeys: 5 }),
    feature,
    collection,
  ),
}))

/** The first fault of a document that is in memory, or that it is not JSON. */
function findFault(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  return findGeojsonFault(value)
}

const findFaultInPieces = (text: string, cuts: readonly number[]) =>
  findGeojsonStreamFault(inPieces(Buffer.from(text), cuts)).catch(() => 'not JSON')

describe('findGeojsonStreamFault', () => {
  test('finds what is found in memory, however the document is split and in whatever order its members are', async () => {
    await fc.assert(
      fc.asyncProperty(node, sizes, fc.nat(3), async (value, cuts, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(await findFaultInPieces(text, cuts)).toEqual(findFault(text))
      }),
      run,
    )
  })

  test('refuses every text that JSON.parse refuses', async () => {
    await fc.assert(
      fc.asyncProperty(node, fc.nat(), fc.constantFrom(...'[]{}",:\\ 1'), sizes, async (...parts) => {
        const [value, place, character, cuts] = parts
        const good = JSON.stringify(value)
        const at = place % (good.length + 1)
        const text = good.slice(0, at) + character + good.slice(at + 1)
        expect(await findFaultInPieces(text, cuts)).toEqual(findFault(text))
      }),
      run,
    )
  })
})
