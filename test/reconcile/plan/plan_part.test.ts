import { afterAll, expect, test } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { type Block, manifestOf, ruleOf, tell } from '../support/literals.ts'
import { planBothWays } from '../support/part_plans.ts'

const open: Api[] = []
afterAll(async () => {
  for (const api of open) await api.close()
})

function connect({ url }: TestServer): Api {
  const api = createApi({ url, credentials: { login: 'administrator', password: adminPassword } })
  open.push(api)
  return api
}

/** Applies a manifest, and expects that all of it is applied. */
async function apply(api: Api, manifest: Manifest): Promise<void> {
  const { outcomes } = await applyPlan({ api, plan: await planManifest({ api, manifest }) })
  expect(outcomes.filter(({ problem }) => problem !== undefined)).toEqual([])
}

const others = 200
const top = { parent: 'root' }
const names = Array.from({ length: others }, (_, at) => `other_${at}`)
const foreign = manifestOf(
  { others: top, ...Object.fromEntries(names.map((name) => [name, { parent: 'others' }])) },
  'foreign',
)

const point = { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' } }
const guests = (scope: string, permission: string, propagate = true) => ({
  permissions: { owns: 'all' as const, rules: [ruleOf('guest', { scope, permission, propagate })] },
})
const wms = { srs: { id: 3857 }, wmslayers: 'a', imgformat: 'image/png' }
const city: Record<string, Block> = {
  city: { ...top, ...guests('resource', 'read', false) },
  service: {
    ...{ parent: 'city', cls: 'wmsclient_connection' },
    members: { wmsclient_connection: { url: 'https://maps.example.org/', version: '1.3.0' } },
  },
  layer: {
    ...{ parent: 'city', cls: 'vector_layer' },
    members: point,
  },
  style: { parent: 'layer', cls: 'mapsrv_style' },
  plan: { parent: 'city', cls: 'webmap', members: { webmap: { bookmark_resource: null } } },
}
const layers = [{ item_type: 'layer', display_name: 'City', layer_style_id: 'style', layer_enabled: true }]
const theirs: Record<string, Block> = {
  ...Object.fromEntries(['city', 'service', 'style'].map((key) => [key, { existing: true }])),
  region: { ...top, ...guests('', '') },
  map: {
    ...{ parent: 'region', cls: 'webmap' },
    members: { webmap: { root_item: { item_type: 'root', children: layers } } },
  },
  image: {
    ...{ parent: 'region', cls: 'wmsclient_layer' },
    members: { wmsclient_layer: { connection: 'service', ...wms } },
  },
  marks: {
    ...{ parent: 'region', cls: 'vector_layer', displayName: 'Marks' },
    members: point,
  },
  below: { parent: 'city', displayName: 'Taken' },
}

describeServer('a plan of a small part of a server', (start) => {
  test('reads the resources of the manifest, and what its changes depend on', async () => {
    const server = await start()
    const api = connect(server)
    await apply(api, foreign)
    const plan = async (...[manifest, options]: [Manifest, object?]) => {
      const { part, whole, reads } = await planBothWays(api, manifest, options)
      expect(part).toEqual(whole)
      return { ...part, told: tell(part), reads }
    }
    const own = { town: top, roads: { parent: 'town' }, parks: { parent: 'roads' } }
    const shared = { other_7: { existing: true as const, description: 'Ours, too' } }
    const mine = manifestOf({ ...own, ...shared }, 'mine')
    const all = (await server.database.query('select from resource')).length
    // The root, and a resource of the other manifest with its parent: no other has the new keys and names.
    expect((await plan(mine)).reads).toEqual(['part 3', 'part 3'])
    await apply(api, mine)

    // The root, three resources, and a resource of the other manifest with its parent.
    const again = await plan(mine)
    expect([again.told, again.reads, again.unchanged]).toEqual([[], ['part 6'], 5])

    const changed = await plan(
      manifestOf({ ...own, ...shared, roads: { ...own.roads, description: 'New' } }, 'mine'),
    )
    expect([changed.reads, changed.told.length]).toEqual([['part 6'], 1])
    const orphaned = await plan(manifestOf({ town: top, ...shared }, 'mine'))
    expect(orphaned.issues.map(({ code }) => code)).toEqual(['plan/orphan'])
    const left = await plan(manifestOf(own, 'mine'))
    expect(left.issues.map(({ code }) => code)).toEqual(['plan/left-behind'])
    const pruned = await plan(mine, { prune: true })
    expect([pruned.told, pruned.reads]).toEqual([[], ['part 6']])
    // A manifest of most of the server reads all at once.
    expect((await plan(foreign)).reads).toEqual([`part ${all + 3}`])
    // Names in options that nothing has are compared with those of all resources.
    const misspelt = await plan(mine, { prune: true, allowLoss: new Set(['other_6', 'othr']) })
    expect(misspelt.reads.map((read) => read.split(' ')[0])).toEqual(['part', 'all'])
  })

  test('finds what other manifests have to do with its changes', async () => {
    const server = await start()
    const api = connect(server)
    await apply(api, foreign)
    const open = { owns: 'listed' as const, rules: [ruleOf('guest')] }
    await apply(api, manifestOf({ root: { existing: true, id: 0, permissions: open } }, 'open'))
    await apply(api, manifestOf(city, 'city'))
    await apply(api, manifestOf(theirs, 'region'))
    const found = await api.call('resource.search', { more: [['keyname__in', 'plan,marks']] })
    const [marks, plan] = found.map(({ resource }) => (resource as { id: number }).id)
    await api.call('resource.update', {
      params: { id: plan ?? 0 },
      body: { webmap: { bookmark_resource: { id: marks } } },
    })

    const compare = async (blocks: Record<string, Block>, more: object = {}) => {
      const { part, whole, reads } = await planBothWays(api, manifestOf(blocks, 'city'), {
        ...safeOptions,
        ...more,
      })
      expect(part).toEqual(whole)
      expect(reads.filter((read) => !read.startsWith('part'))).toEqual([])
      return part
    }
    const { style: _, ...withoutStyle } = city
    const deleted = await compare(withoutStyle, { prune: true, fuse: 1 })
    expect(deleted.changes.flatMap(({ takes }) => takes?.referrers?.map(({ key }) => key) ?? [])).toEqual([
      'map',
    ])
    expect(deleted.issues.map(({ code }) => code)).toEqual(['plan/referenced'])

    const gained = async (blocks: Record<string, Block>) =>
      (await compare(blocks)).access?.changes.flatMap(({ resources }) => resources.map(({ key }) => key))
    expect(await gained({ ...city, service: { ...city.service, ...guests('', '') } })).toContain('image')
    expect(await gained({ ...city, city: { ...top, ...guests('resource', 'read') } })).toContain('below')

    const sameName = await compare({ ...city, more: { parent: 'city', displayName: 'Taken' } })
    expect(sameName.issues.map(({ code }) => code)).toEqual(['resource/name-taken'])
    const sameKey = await compare({ ...city, other_3: { parent: 'city' } })
    expect(sameKey.issues.map(({ code }) => code)).toEqual(['plan/foreign'])
    const named = (await compare(city)).changes.flatMap(({ edits }) => edits.map(({ from }) => from))
    expect(named).toMatchObject([{ title: 'marks' }])
  })
})
