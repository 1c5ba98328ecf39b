import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { planManifest, readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { type ProxyOptions, startProxy, type TestProxy } from '../../api/proxy.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'

let server: TestServer
const open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  server = await startTestServer('pglite')
})

afterAll(async () => {
  for (const one of open.reverse()) await one.close()
  await server.stop()
})

const blocksOf = (id: string): Record<string, Block> => ({
  [id]: { displayName: id, resmeta: { note: 'kept' } },
  [`${id}.layer`]: {
    cls: 'vector_layer',
    parent: id,
    displayName: 'Layer',
    members: {
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
      feature_layer: { fields: [{ keyname: 'x', datatype: 'STRING' }] },
    },
  },
  [`${id}.style`]: {
    cls: 'mapsrv_style',
    parent: `${id}.layer`,
    displayName: 'Style',
    members: { mapsrv_style: { xml: '<map><layer/></map>' } },
  },
  [`${id}.map`]: {
    cls: 'webmap',
    parent: id,
    displayName: 'Map',
    members: {
      webmap: {
        root_item: {
          item_type: 'root',
          children: [
            {
              item_type: 'layer',
              display_name: 'L',
              layer_style_id: `${id}.style`,
              layer_min_scale_denom: '1 : 5000',
            },
          ],
        },
      },
    },
  },
})

async function stand(options: Omit<ProxyOptions, 'target'>): Promise<{ api: Api; proxy: TestProxy }> {
  const proxy = await startProxy({ target: server.url, ...options })
  const api = createApi({
    url: proxy.url,
    credentials: { login: 'administrator', password: adminPassword },
    retry: { times: 2, firstDelayMs: 1, maxDelayMs: 5 },
  })
  open.push(proxy, api)
  return { api, proxy }
}

async function applyTwice(api: Api, id: string) {
  const manifest = manifestOf(blocksOf(id), id)
  const report = await applyPlan({ api, plan: await planManifest({ api, manifest }), atomic: false })
  expect(report.atomic).toBe(false)
  const again = await planManifest({ api, manifest })
  return {
    outcomes: report.outcomes.map(({ outcome, problem }) => problem?.message ?? outcome),
    again: tell(again),
  }
}

const created = ['created', 'created', 'created', 'created']

describe('a server without the extensions of landform', () => {
  it('is read by search, and matches the manifest after the apply', async () => {
    const { api, proxy } = await stand({
      decide: (_, path) => (path.startsWith('/api/component/landform/') ? 'unknown' : 'pass'),
    })
    expect(await applyTwice(api, 'plain')).toEqual({ outcomes: created, again: [] })
    expect(api.dialect).toBe('document')
    expect(proxy.seen.some((line) => line.includes('/search/?serialization=full'))).toBe(true)
  })

  it('may use the NextGIS dialect and paths', async () => {
    const { api, proxy } = await stand({
      headers: { 'x-api-dialect': 'ngw' },
      decide: (_, path) => (/^\/api\/component\/(landform|core)\//.test(path) ? 'unknown' : 'pass'),
    })
    expect(await applyTwice(api, 'nextgis')).toEqual({ outcomes: created, again: [] })
    expect(api.dialect).toBe('nextgis')
    expect(proxy.seen).toContain('GET /api/component/pyramid/pkg_version')
    const tree = await readActualTree(api)
    expect(tree.byKeyname.get('nextgis.style')?.cls).toBe('mapsrv_style')
    expect(tree.byKeyname.get('nextgis')?.resmeta).toEqual({ note: 'kept' })
  })

  it('swaps keys once, and keeps the metadata', async () => {
    const { api } = await stand({
      headers: { 'x-api-dialect': 'ngw' },
      decide: (_, path) => (/^\/api\/component\/(landform|core)\//.test(path) ? 'unknown' : 'pass'),
    })
    const block = (name: string, was?: string): Block => ({
      ...{ displayName: name, resmeta: { note: name } },
      ...(was === undefined ? {} : { was }),
    })
    const apply = async (blocks: Record<string, Block>) => {
      const manifest = manifestOf(blocks, 'swap')
      const { outcomes } = await applyPlan({
        api,
        plan: await planManifest({ api, manifest }),
        atomic: false,
      })
      const { byKeyname } = await readActualTree(api)
      const names = ['swap.a', 'swap.b'].map((key) => {
        const { displayName, resmeta, manager } = byKeyname.get(key) ?? {}
        return [displayName, resmeta, manager]
      })
      return { outcomes: outcomes.map(({ outcome, problem }) => problem?.message ?? outcome), names }
    }
    await apply({ 'swap.a': block('One'), 'swap.b': block('Two') })
    const swapped = { 'swap.a': block('Two', 'swap.b'), 'swap.b': block('One', 'swap.a') }
    const names = [
      ['Two', { note: 'Two' }, 'swap'],
      ['One', { note: 'One' }, 'swap'],
    ]
    expect(await apply(swapped)).toEqual({ outcomes: ['updated', 'updated'], names })
    expect(await apply(swapped)).toEqual({ outcomes: [], names })
  })

  it('is distinguished from other HTTP servers', async () => {
    const { api } = await stand({ decide: () => 'unknown' })
    await expect(readActualTree(api)).rejects.toMatchObject({
      code: 'http/unexpected',
      message: `${api.url} is not a landform or NextGIS Web server.`,
    })
  })
})

describe('an unreliable network', () => {
  it('does not lead to duplicates when the response to a creation is lost', async () => {
    let cuts = 0
    const { api } = await stand({
      decide: (method, path) => {
        if (method !== 'POST' || !path.startsWith('/api/resource/') || cuts >= 2) return 'pass'
        cuts += 1
        return 'cut after'
      },
    })
    expect(await applyTwice(api, 'lost')).toEqual({ outcomes: created, again: [] })
    expect(cuts).toBe(2)
  })

  it('is handled by one layer of retries, without nested retries', async () => {
    let sent = 0
    const { api } = await stand({
      decide: (method, path) => {
        if (method !== 'POST' || !path.startsWith('/api/resource/')) return 'pass'
        sent += 1
        return 'cut before'
      },
    })
    const manifest = manifestOf({ alone: { displayName: 'Alone' } }, 'alone')
    const plan = await planManifest({ api, manifest })
    const { outcomes } = await applyPlan({ api, plan, atomic: false })
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed'])
    // The first try, and the two repetitions of the client.
    expect(sent).toBe(3)
  })

  it('leads to a retry when a creation did not reach the server', async () => {
    let cuts = 0
    const { api } = await stand({
      decide: (method) => {
        if (method !== 'POST' || cuts >= 2) return 'pass'
        cuts += 1
        return 'cut before'
      },
    })
    expect(await applyTwice(api, 'again')).toEqual({ outcomes: created, again: [] })
  })
})

describe('the second of two concurrent first applies', () => {
  it.each([true, false])(
    'reports that the resource was created in the meantime; atomic: %s',
    async (atomic) => {
      const [first, second] = [(await stand({})).api, (await stand({})).api]
      const id = `twice-${atomic}`
      const manifest = manifestOf({ [id]: {}, [`${id}.a`]: { parent: id } }, id)
      const plan = await planManifest({ api: second, manifest })
      await applyPlan({ api: first, plan: await planManifest({ api: first, manifest }) })
      const report = await applyPlan({ api: second, plan, atomic })
      expect(report.outcomes[0]?.problem).toMatchObject({
        code: 'apply/stale',
        message: `"${id}" was created on the server by the manifest "${id}" since the plan was made.`,
        hint: 'Plan again.',
      })
      expect(tell(await planManifest({ api: second, manifest }))).toEqual([])
    },
  )
})

describe('a stale plan', () => {
  it('does not overwrite rules that were changed in the meantime', async () => {
    const { api } = await stand({})
    const rule = {
      action: 'allow',
      principal: 'guest',
      identity: '',
      scope: 'resource',
      permission: 'read',
      propagate: false,
    } as const
    const manifest = manifestOf({
      root: { existing: true, id: 0, permissions: { owns: 'listed', rules: [rule] } },
    })
    const plan = await planManifest({ api, manifest })
    await server.admin('PUT', '/api/resource/0', { resource: { description: 'changed meanwhile' } })
    const report = await applyPlan({ api, plan, atomic: false })
    expect(report.outcomes[0]?.problem?.code).toBe('apply/stale')
    expect(tell(await planManifest({ api, manifest }))).toEqual(['update root /permissions'])
  })
})
