import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { describeServers } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'
import { applyAll, type Blocks, planAll, renameTop, type Sandbox, useSandboxes } from '../support/sandbox.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
/** The drivers have the same SQL: most cases run on the quicker one. */
const numRuns = { postgres: soak ? 1000 : 50, pglite: soak ? 50 : 3 }

/** Only who has time for many cases waits that long. */
const patience = soak ? { timeout: 7_200_000 } : {}

/** What another manifest sets of a resource of the first. */
const setting = fc.record({
  chosen: fc.nat(3).map((one) => one === 0),
  description: fc.option(fc.constantFrom('<b>about</b>', 'x', 'theirs'), { nil: undefined }),
  meta: fc.option(fc.constantFrom('own', 'source', 'year'), { nil: undefined }),
})
const settings = fc.array(setting, { minLength: 27, maxLength: 27 })
type Settings = typeof settings extends fc.Arbitrary<infer S> ? S : never

describeServers('two manifests on a server', (start, driver) => {
  const runs = { seed: 20_261_129, numRuns: numRuns[driver], endOnFailure: !soak }
  const sandbox = useSandboxes(start)

  it('do not change what belongs to the other, whichever of them is applied', patience, async () => {
    const trees = fc.tuple(...[1, 2, 3, 4].map(() => arbitraryTree('T')))
    await fc.assert(
      fc.asyncProperty(trees, fc.boolean(), fc.boolean(), async (all, isInside, atomic) => {
        const box = await sandbox()
        const [first = {}, second = {}, firstAfter = {}, secondAfter = {}] = all
        await applyAll(box.api, box.of(first), { atomic })
        for (const [one, two] of [
          [first, second],
          [firstAfter, second],
          [firstAfter, secondAfter],
          [firstAfter, {}],
        ] as const) {
          const manifests = [box.of(one), secondOf(box, two, isInside)]
          for (const manifest of manifests) await applyAll(box.api, manifest, { atomic })
          for (const manifest of manifests) {
            const { issues, ...plan } = await planAll(box.api, manifest)
            expect([tell({ issues, ...plan }), issues]).toEqual([[], []])
          }
        }
      }),
      runs,
    )
  })

  it('refuse to set the same field, unless one takes it from the other', patience, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), settings, async (blocks, drawn) => {
        const { api, of, top } = await sandbox()
        const first = of(blocks)
        await applyAll(api, first)
        const { second, contested } = settingOf(first, drawn, top)
        const refused = await planAll(api, second)
        expect(foreignKeys(refused.issues)).toEqual(contested)
        const keys = new Set(second.resources.keys())
        await applyAll(api, second, { take: keys })
        expect(tell(await planAll(api, second))).toEqual([])
        const again = await planAll(api, first)
        expect(foreignKeys(again.issues)).toEqual(contested)
        if (contested.length === 0) expect(tell(again)).toEqual([])
        await applyAll(api, first, { take: keys })
        expect(tell(await planAll(api, first))).toEqual([])
        expect(foreignKeys((await planAll(api, second)).issues)).toEqual(contested)
      }),
      runs,
    )
  })
})

/** The second manifest: with a group of its own beside that of the first, or inside it. */
function secondOf({ top }: Sandbox, blocks: Blocks, isInside: boolean): Manifest {
  const own = `${top}-second`
  const outer: Record<string, Block> = isInside ? { [top]: { existing: true } } : {}
  const group = { displayName: own, ...(isInside ? { parent: top } : {}) }
  return manifestOf({ ...outer, [own]: group, ...renameTop(blocks, own) }, own)
}

/** A manifest that sets fields of resources of another, and the keys of those whose fields the other sets otherwise. */
function settingOf(first: Manifest, drawn: Settings, top: string) {
  const blocks: Record<string, Block> = {}
  const contested: string[] = []
  for (const [at, wanted] of [...first.resources.values()].entries()) {
    const { chosen, description, meta } = drawn[at % drawn.length] ?? {}
    if (wanted.existing || !chosen) continue
    const resmeta = meta === undefined ? {} : { resmeta: { [meta]: 'theirs' } }
    blocks[wanted.key] = { existing: true, ...(description === undefined ? {} : { description }), ...resmeta }
    const isDescribed = description !== undefined && wanted.description !== undefined
    const isOther = isDescribed && wanted.description !== description
    // Whoever manages a resource sets all of its metadata, or none.
    const isAdded = meta !== undefined && wanted.resmeta !== undefined && wanted.resmeta[meta] !== 'theirs'
    if (isOther || isAdded) contested.push(wanted.key)
  }
  return { second: manifestOf(blocks, `${top}-second`), contested: contested.sort() }
}

const foreignKeys = (issues: readonly { readonly code: string; readonly message: string }[]) => [
  ...new Set(
    issues
      .flatMap(({ code, message }) =>
        code === 'plan/foreign' ? (/of "([^"]+)" too/.exec(message)?.[1] ?? []) : [],
      )
      .sort(),
  ),
]
