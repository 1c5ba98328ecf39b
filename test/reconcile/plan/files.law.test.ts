import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { formatManifest, type WrittenBlock } from '../../../src/manifest/rewrite.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { computePlan } from '../../../src/reconcile/plan/compute_plan.ts'
import { assertLaw, isSoak } from '../../support/law_runs.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, treeOf } from '../support/literals.ts'
import { loadTexts } from '../support/written.ts'

const runs = { seed: 20_240_603, cases: isSoak ? 1000 : 50 }

describe('a plan', () => {
  it('is the same regardless of the order of files and keys', async () => {
    const cuts = fc.array(fc.nat(3), { minLength: 20, maxLength: 20 })
    await assertLaw(
      fc.asyncProperty(arbitraryTree('top'), cuts, fc.gen(), async (blocks, files, gen) => {
        const keys = Object.keys(blocks)
        const shuffled = gen(fc.shuffledSubarray, keys, { minLength: keys.length })
        const one = await loadTexts({ 'a.yaml': write(blocks, keys) })
        const parts = [0, 1, 2, 3].map((file) =>
          shuffled.filter((_, at) => files[at % files.length] === file),
        )
        const texts = parts.map((part, at) => [`${at}.yaml`, write(blocks, part, at === 0)])
        const many = await loadTexts(
          Object.fromEntries(texts.filter(([, text]) => text?.includes('resources'))),
        )
        expect(fingerprintOf(many)).toBe(fingerprintOf(one))
      }),
      runs,
    )
  })
})

function fingerprintOf(manifest: Manifest): string {
  const files = new Map()
  const input = { manifest, actual: treeOf([]), server: '', files, counts: new Map(), options: safeOptions }
  return computePlan(input).plan.fingerprint
}

function write(blocks: Readonly<Record<string, Block>>, keys: readonly string[], withTop = true): string {
  const top = {
    root: { existing: true, id: 0 },
    top: { cls: 'resource_group', parent: 'root', display_name: 'Top' },
  }
  const written = keys.map((key) => [key, writeBlock(blocks[key] ?? {})])
  const resources = { ...(withTop ? top : {}), ...Object.fromEntries(written) }
  return Object.keys(resources).length === 0 ? '' : formatManifest({ manifest: 'law', resources })
}

function writeBlock({
  cls,
  parent,
  displayName,
  description,
  resmeta,
  permissions,
  members,
}: Block): WrittenBlock {
  return {
    cls,
    parent,
    display_name: displayName,
    ...(description === undefined ? {} : { description }),
    ...(resmeta === undefined ? {} : { resmeta }),
    ...(permissions === undefined ? {} : { permissions: permissions.rules }),
    ...members,
  }
}
