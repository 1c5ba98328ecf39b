import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assembleManifest } from '../../src/manifest/assemble.ts'
import { type ManifestText, parseManifestText } from '../../src/manifest/load_manifest.ts'
import type { Manifest, WantedResource } from '../../src/manifest/manifest.ts'
import { formatManifest, type WrittenBlock } from '../../src/manifest/rewrite.ts'

const run = { seed: 20_240_603, numRuns: process.env.LANDFORM_SOAK ? 3000 : 100 }

/** A resource to write: `under` chooses its parent among the ones before it. */
const resource = fc.record({
  name: fc.constantFrom('alpha', 'beta', 'gamma', 'delta'),
  under: fc.nat(20),
  isNested: fc.boolean(),
  file: fc.nat(2),
  rank: fc.nat(1000),
})

type Plan = readonly { name: string; under: number; isNested: boolean; file: number; rank: number }[]

interface Placed {
  readonly key: string
  readonly parent: string
  readonly isNested: boolean
  readonly file: number
  readonly rank: number
}

function place(plan: Plan): Placed[] {
  return plan.map(({ name, under, isNested, file, rank }, index) => {
    const parent = index === 0 ? 0 : under % (index + 1)
    return {
      key: keyOf(name, index + 1),
      parent: keyOf(plan[parent - 1]?.name, parent),
      isNested,
      file,
      rank,
    }
  })
}

function keyOf(name: string | undefined, index: number): string {
  return index === 0 ? 'root' : `${name}_${index}`
}

/** Writes the resources to files: each nested under its parent or beside it, in the order of `rank`. */
function writeFiles(placed: readonly Placed[]): ManifestText[] {
  const sorted = placed.toSorted((a, b) => a.rank - b.rank)
  const fileOf = (key: string): number => placed.find((one) => one.key === key)?.file ?? 0
  const isInside = ({ isNested, file, parent }: Placed) => isNested && file === fileOf(parent)
  const blockOf = (one: Placed): WrittenBlock => ({
    cls: 'resource_group',
    display_name: one.key,
    ...(isInside(one) ? {} : { parent: one.parent }),
    children: childrenOf(one.key),
  })
  const childrenOf = (key: string): Record<string, WrittenBlock> =>
    Object.fromEntries(
      sorted.filter((one) => one.parent === key && isInside(one)).map((one) => [one.key, blockOf(one)]),
    )
  return [0, 1, 2].flatMap((file) => {
    const root = file === 0 ? { root: { existing: true, id: 0, children: childrenOf('root') } } : {}
    const others = sorted.filter((one) => one.file === file && !isInside(one))
    const resources = { ...root, ...Object.fromEntries(others.map((one) => [one.key, blockOf(one)])) }
    if (Object.keys(resources).length === 0) return []
    return [{ file: `${file}.yaml`, folder: '/', text: formatManifest({ manifest: 'law', resources }) }]
  })
}

function assemble(files: readonly ManifestText[]): Manifest {
  const sources = files.flatMap(
    (file) => parseManifestText(file, { env: {}, files: new Map(), showPath: String }).sources,
  )
  const { manifest, issues } = assembleManifest(sources, true)
  expect(issues).toEqual([])
  if (manifest === undefined) throw new Error('no manifest')
  return manifest
}

const withoutPlace = ({ spanOf: _, ...wanted }: WantedResource) => wanted

describe('a manifest', () => {
  const plans = fc.array(resource, { minLength: 1, maxLength: 15 })

  test('is the same, in the same order, regardless of the order and nesting of its files and keys', () => {
    const law = fc.property(
      plans,
      fc.array(fc.record({ rank: fc.nat(), file: fc.nat(2), isNested: fc.boolean() }), {
        minLength: 15,
        maxLength: 15,
      }),
      (plan, shuffle) => {
        const placed = place(plan)
        const shuffled = placed.map((one, index) => ({ ...one, ...shuffle[index] }))
        const first = assemble(writeFiles(placed))
        const second = assemble(writeFiles(shuffled).reverse())
        expect([...second.resources.values()].map(withoutPlace)).toEqual(
          [...first.resources.values()].map(withoutPlace),
        )
      },
    )
    fc.assert(law, run)
  })

  test('has parents before children and siblings by key', () => {
    const law = fc.property(plans, (plan) => {
      const { resources } = assemble(writeFiles(place(plan)))
      expect(resources.size).toBe(plan.length + 1)
      const seen = new Map<string | undefined, string>()
      for (const { key, parent } of resources.values()) {
        if (parent !== undefined)
          expect([...resources.keys()].indexOf(parent)).toBeLessThan([...resources.keys()].indexOf(key))
        expect((seen.get(parent) ?? '') < key).toBe(true)
        seen.set(parent, key)
      }
    })
    fc.assert(law, run)
  })
})
