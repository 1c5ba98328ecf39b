import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { describeServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'
import { applyAll, type Blocks, planAll, renameTop, type Sandbox, useSandboxes } from '../support/sandbox.ts'

/** Applies of a run. */
const steps = 5

/** What another manifest sets of a resource of the first. */
const setting = fc.record({
  chosen: fc.nat(3).map((one) => one === 0),
  description: fc.option(fc.constantFrom('<b>about</b>', 'x', 'theirs'), { nil: undefined }),
  meta: fc.option(fc.constantFrom('own', 'source', 'year'), { nil: undefined }),
})
const settings = fc.array(setting, { minLength: 27, maxLength: 27 })
type Settings = typeof settings extends fc.Arbitrary<infer S> ? S : never

describeServer('two manifests on a server', (start, driver) => {
  const runs = { seed: 20_261_129, cases: casesOn[driver], steps }
  const sandbox = useSandboxes(start)

  it('do not change what belongs to the other, whichever of them is applied', patience, async () => {
    const step = fc.record({ isFirst: fc.boolean(), blocks: arbitraryTree('T'), atomic: fc.boolean() })
    await assertLaw(
      fc.asyncProperty(stepsOf(step, steps), fc.boolean(), async (all, isInside) => {
        const box = await sandbox()
        const wanted = { first: box.of({}), second: secondOf(box, {}, isInside) }
        for (const manifest of Object.values(wanted)) await applyAll(box.api, manifest)
        for (const { isFirst, blocks, atomic } of all) {
          if (isFirst) wanted.first = box.of(blocks)
          else wanted.second = secondOf(box, blocks, isInside)
          await applyAll(box.api, isFirst ? wanted.first : wanted.second, { atomic })
          for (const manifest of Object.values(wanted)) {
            const { issues, ...plan } = await planAll(box.api, manifest)
            expect([tell({ issues, ...plan }), issues]).toEqual([[], []])
          }
        }
      }),
      runs,
    )
  })

  it('refuse to set the same field, unless one takes it from the other', patience, async () => {
    await assertLaw(
      fc.asyncProperty(arbitraryTree('T'), stepsOf(settings, steps), async (blocks, all) => {
        const { api, of, top } = await sandbox()
        const first = of(blocks)
        await applyAll(api, first)
        // Each version of the other takes fields, and the first takes them back.
        for (const drawn of all) {
          const { second, contested } = settingOf(first, drawn, `${top}-second`)
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
        }
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
function settingOf(first: Manifest, drawn: Settings, id: string) {
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
  return { second: manifestOf(blocks, id), contested: contested.sort() }
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
