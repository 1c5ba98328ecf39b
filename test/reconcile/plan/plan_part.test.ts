import { afterAll, expect, test } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planFrom } from '../../../src/reconcile/plan/plan_manifest.ts'
import { liveReader, type PlanReader } from '../../../src/reconcile/plan/plan_reader.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'
import { manifestOf, tell } from '../support/literals.ts'

const open: Api[] = []
afterAll(async () => {
  for (const api of open) await api.close()
})

/** Plans as the commands do, and counts the reads of the tree with their resources. */
async function plan({ url }: TestServer, manifest: Manifest, more: Partial<PlanOptions> = {}) {
  const api = createApi({ url, credentials: { login: 'administrator', password: adminPassword } })
  open.push(api)
  const reader = liveReader(api, undefined)
  const reads: string[] = []
  const counted = async <T>(name: string, read: (count: () => void) => Promise<T>) => {
    let resources = 0
    const result = await read(() => {
      resources += 1
    })
    reads.push(`${name} ${resources}`)
    return result
  }
  const counting: PlanReader = {
    ...reader,
    readTree: (take) =>
      counted('all', (count) =>
        reader.readTree((one) => {
          count()
          take(one)
        }),
      ),
    readPart: (part, take) =>
      counted('part', (count) => {
        if (reader.readPart === undefined) throw new Error('the reader reads no part')
        return reader.readPart(part, (one) => {
          count()
          take(one)
        })
      }),
  }
  const options = { ...safeOptions, ...more }
  const made = await planFrom({ reader: counting, manifest, options, readsPart: true })
  return { api, made, reads, told: tell(made) }
}

const others = 200

describeServers('a plan of a small part of a server', (start) => {
  test('reads the resources of the manifest only, unless something differs', async () => {
    const server = await start()
    const top = { parent: 'root' }
    const inner = (parent: string) => ({ parent })
    const names = Array.from({ length: others }, (_, at) => `other_${at}`)
    const foreign = manifestOf(
      { others: top, ...Object.fromEntries(names.map((name) => [name, inner('others')])) },
      'foreign',
    )
    const { api, made: creation } = await plan(server, foreign)
    expect((await applyPlan({ api, plan: creation })).outcomes).toHaveLength(others + 1)
    const own = { town: top, roads: inner('town'), parks: inner('roads') }
    const shared = { other_7: { existing: true as const, description: 'Ours, too' } }
    const mine = manifestOf({ ...own, ...shared }, 'mine')
    const first = await plan(server, mine)
    const all = (await server.database.query('select from resource')).length
    expect(first.reads).toEqual(['part 3', `all ${all}`])
    await applyPlan({ api: first.api, plan: first.made })

    // The root, three resources, and a resource of the other manifest with its parent.
    const again = await plan(server, mine)
    expect([again.told, again.reads]).toEqual([[], ['part 6']])
    expect(again.made.unchanged).toBe(5)

    const whole = `all ${all + 3}`
    const changed = await plan(
      server,
      manifestOf({ ...own, ...shared, roads: { ...own.roads, description: 'New' } }, 'mine'),
    )
    expect(changed.reads).toEqual(['part 6', whole])
    expect(changed.told).toHaveLength(1)
    const orphaned = await plan(server, manifestOf({ town: top, ...shared }, 'mine'))
    expect(orphaned.made.issues.map(({ code }) => code)).toEqual(['plan/orphan'])
    const left = await plan(server, manifestOf(own, 'mine'))
    expect(left.made.issues.map(({ code }) => code)).toEqual(['plan/left-behind'])
    const pruned = await plan(server, mine, { prune: true })
    expect([pruned.told, pruned.reads]).toEqual([[], [whole]])
    // A manifest of most of the server reads all at once.
    expect((await plan(server, foreign)).reads).toEqual([`part ${all + 3}`])
  })
})
