import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { ApplyOptions } from '../../../src/reconcile/apply/apply_options.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { ApplyEvent, Report } from '../../../src/reconcile/apply/outcome.ts'
import { planManifest, readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { type ProxyOptions, startProxy, type TestProxy } from '../../api/proxy.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { adminPassword, describeServer, startTestServer, type TestServer } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'

const batchPath = '/api/component/landform/batch'
const journalPath = '/api/component/landform/journal/'
const open: { close(): Promise<void> }[] = []
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-at-once-'))
})

afterAll(async () => {
  for (const one of open.reverse()) await one.close()
  await rm(folder, { recursive: true })
})

function connect(url: string, credentials = { login: 'administrator', password: adminPassword }): Api {
  const api = createApi({ url, credentials, retry: { times: 2, firstDelayMs: 1, maxDelayMs: 5 } })
  open.push(api)
  return api
}

async function stand(
  { url }: TestServer,
  decide: ProxyOptions['decide'],
): Promise<{ api: Api; proxy: TestProxy }> {
  const proxy = await startProxy({ target: url, ...(decide ? { decide } : {}) })
  open.push(proxy)
  return { api: connect(proxy.url), proxy }
}

async function apply(
  api: Api,
  manifest: Manifest,
  more: Partial<ApplyOptions> & { readonly meanwhile?: () => Promise<unknown> } = {},
): Promise<Report> {
  const plan = await planManifest({ api, manifest, options: { ...everything, prune: true } })
  await more.meanwhile?.()
  return applyPlan({ api, plan, ...more })
}

const everything = {
  prune: false,
  fuse: 1,
  allowDelete: new Set<string>(),
  replace: new Set<string>(),
  overwriteData: new Set<string>(),
  allowLoss: new Set<string>(),
  adopt: false,
  sendSecrets: new Set<string>(),
  only: new Set<string>(),
  take: new Set<string>(),
}

/** What became of each change: `created a`, `failed b: apply/stale`, `skipped c after b`. */
function tellOutcomes({ outcomes }: Report): string[] {
  return outcomes.map(({ change, outcome, problem, because }) => {
    const fault = problem === undefined ? '' : `: ${problem.code}`
    return `${outcome} ${change.key}${fault}${because === undefined ? '' : ` after ${because}`}`
  })
}

async function waiting(api: Api, manifest: Manifest): Promise<string[]> {
  return tell(await planManifest({ api, manifest, options: { ...everything, prune: true } }))
}

/** Number of reads of all resources. */
const countReads = ({ seen }: TestProxy) => seen.filter((line) => /^GET .*\/tree(\?|$)/.test(line)).length

const countPrepared = async ({ database }: TestServer) =>
  (await database.query('select from prepared_source')).length

/** Writes a file of points with two properties, and gives the block that loads it. */
async function layerOf(name: string, names: readonly string[], more: Partial<Block> = {}): Promise<Block> {
  const path = join(folder, name)
  const features = names.map((one, at) => ({
    type: 'Feature',
    properties: { name: one, size: at },
    geometry: { type: 'Point', coordinates: [at, at] },
  }))
  await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features }))
  return { cls: 'vector_layer', data: { path, source: name, options: {} }, ...more }
}

async function badLayer(name: string): Promise<Block> {
  const path = join(folder, name)
  await writeFile(path, 'this is no data')
  return { cls: 'vector_layer', data: { path, source: name, options: {} } }
}

describeServer('an apply in one transaction', (start) => {
  it('is one request besides that of the journal, and reports its outcomes', async () => {
    const { api, proxy } = await stand(await start(), undefined)
    const manifest = manifestOf({ one: {}, 'one.a': { parent: 'one' }, 'one.b': { parent: 'one.a' } }, 'one')
    const report = await apply(api, manifest)
    const tree = await readActualTree(api)
    expect(tellOutcomes(report)).toEqual(['created one', 'created one.a', 'created one.b'])
    expect(report.outcomes.map(({ id }) => id)).toEqual(
      ['one', 'one.a', 'one.b'].map((key) => tree.byKeyname.get(key)?.id),
    )
    expect(report).toMatchObject({ atomic: true, interrupted: false })
    expect(proxy.seen.filter((line) => !line.startsWith('GET'))).toEqual([
      `POST ${journalPath}`,
      `POST ${batchPath}`,
    ])
    expect(await waiting(api, manifest)).toEqual([])
  })

  it('changes nothing if one change fails, and names that change', async () => {
    const server = await start()
    const api = connect(server.url)
    const manifest = manifestOf(
      { bad: {}, 'bad.a': { displayName: 'Taken' }, 'bad.b': { parent: 'bad' } },
      'bad',
    )
    const report = await apply(api, manifest, {
      meanwhile: () =>
        server.admin('POST', '/api/resource/', {
          resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'Taken' },
        }),
    })
    expect(tellOutcomes(report)).toEqual([
      'skipped bad after bad.a',
      'failed bad.a: resource/name-taken',
      'skipped bad.b after bad.a',
    ])
    expect((await readActualTree(api)).byKeyname.has('bad')).toBe(false)
  })

  it('reports a key of a resource that the account cannot see', async () => {
    const server = await start()
    const ada = await createUser(server.database, 'ada')
    const administrators = await principalId(server.database, 'administrators')
    const only = { propagate: false }
    const read = rule('allow resource.read', ada, only)
    const shelf = await createGroup(server.admin, 0, {
      display_name: 'Shelf',
      permissions: [
        read,
        rule('allow resource.manage_children', ada, only),
        rule('allow', ada, { identity: 'resource_group' }),
      ],
    })
    const permissions = [rule('allow', administrators), read]
    await server.admin('PUT', '/api/resource/0', { resource: { permissions } })
    const api = connect(server.url, { login: 'ada', password: userPassword })
    const blocks = { shelf: { existing: true, id: shelf }, unseen: { parent: 'shelf' } }
    const report = await apply(api, manifestOf(blocks, 'unseen'), {
      meanwhile: () =>
        server.admin('POST', '/api/resource/', {
          resource: { cls: 'webmap', parent: { id: 0 }, display_name: 'Other', keyname: 'unseen' },
        }),
    })
    expect(report.outcomes[0]?.problem).toMatchObject({
      code: 'resource/key-taken',
      message: 'The key "unseen" is in use by a resource that this account cannot see.',
    })
  })

  it('sends single requests on request', async () => {
    const { api, proxy } = await stand(await start(), undefined)
    const report = await apply(api, manifestOf({ told: {} }, 'told'), { atomic: false })
    expect(report.atomic).toBe(false)
    expect(proxy.seen).not.toContain(`POST ${batchPath}`)
  })
})

describeServer('a resource that has changed since the plan', (start) => {
  /** A tree where b takes the name of a, c is by itself, and d is to go; then a is changed, or deleted. */
  async function meet(id: string, method: 'PUT' | 'DELETE', partial = false) {
    const server = await start()
    const { api, proxy } = await stand(server, undefined)
    const below = (key: string, displayName: string) => ({
      [`${id}.${key}`]: { parent: id, displayName },
    })
    const before = { ...below('a', 'A'), ...below('b', 'B'), ...below('c', 'C'), ...below('d', 'D') }
    await apply(api, manifestOf({ [id]: {}, ...before }, id))
    const wanted = { ...below('a', 'A2'), ...below('b', 'A'), ...below('c', 'C2') }
    const manifest = manifestOf({ [id]: {}, ...wanted }, id)
    const there = (await readActualTree(api)).byKeyname.get(`${id}.a`)
    const body = method === 'PUT' ? { resource: { description: 'changed meanwhile' } } : undefined
    const meanwhile = () => server.admin(method, `/api/resource/${there?.id}`, body)
    const report = await apply(api, manifest, { partial, meanwhile })
    expect(countReads(proxy)).toBe(3)
    return { report, api, manifest }
  }

  it('stops the apply, and is named', async () => {
    const { report, api, manifest } = await meet('stale', 'PUT')
    expect(tellOutcomes(report)).toEqual([
      'failed stale.a: apply/stale',
      'skipped stale.b after stale.a',
      'skipped stale.c after stale.a',
      'skipped stale.d after stale.a',
    ])
    expect(report.outcomes[0]?.problem).toMatchObject({
      message: '"stale.a" was changed on the server since the plan was made.',
      hint: 'Plan again, or skip it with --partial.',
    })
    expect(tellOutcomes(await apply(api, manifest))).toEqual([
      'updated stale.a',
      'updated stale.b',
      'updated stale.c',
      'deleted stale.d',
    ])
    expect(await waiting(api, manifest)).toEqual([])
  })

  it('stops the apply if it was deleted', async () => {
    const { report } = await meet('gone', 'DELETE')
    expect(report.outcomes[0]?.problem?.message).toBe(
      '"gone.a" was deleted on the server since the plan was made.',
    )
  })

  it.each(['PUT', 'DELETE'] as const)('is left out with what depends on it when told: %s', async (method) => {
    const id = `partial-${method.toLowerCase()}`
    const { report, api, manifest } = await meet(id, method, true)
    expect(tellOutcomes(report)).toEqual([
      `failed ${id}.a: apply/stale`,
      `skipped ${id}.b after ${id}.a`,
      `updated ${id}.c`,
      `skipped ${id}.d after ${id}.a`,
    ])
    // The advice to leave it out would be no advice: it was left out.
    expect(report.outcomes[0]?.problem?.hint).toBe('Plan again.')
    expect(tellOutcomes(await apply(api, manifest))).toEqual([
      `${method === 'PUT' ? 'updated' : 'created'} ${id}.a`,
      `updated ${id}.b`,
      `deleted ${id}.d`,
    ])
    expect(await waiting(api, manifest)).toEqual([])
  })
})

describeServer('data of an apply in one transaction', (start) => {
  const fields = [
    { keyname: 'size', datatype: 'BIGINT', display_name: 'Größe', grid_visibility: false },
    { keyname: 'note', datatype: 'STRING' },
  ]
  const members = { feature_layer: { fields } }

  it.each([
    ['in one transaction', true],
    ['request by request', false],
  ])('get the fields of the manifest: %s', async (_, atomic) => {
    const server = await start()
    const api = connect(server.url)
    const id = `fields-${atomic}`
    const load = async (names: readonly string[]) =>
      manifestOf({ [id]: await layerOf(`${id}.geojson`, names, { members }) }, id)
    expect(tellOutcomes(await apply(api, await load(['a', 'b']), { atomic }))).toEqual([`created ${id}`])
    expect(await waiting(api, await load(['a', 'b']))).toEqual([])
    const layer = await load(['a', 'b', 'c'])
    expect(tellOutcomes(await apply(api, layer, { atomic }))).toEqual([`updated ${id}`])
    expect(await waiting(api, layer)).toEqual([])
    const there = (await readActualTree(api)).byKeyname.get(id)
    expect(there?.members.feature_layer).toMatchObject({
      fields: [
        { keyname: 'size', display_name: 'Größe', grid_visibility: false },
        { keyname: 'note', display_name: 'note' },
      ],
    })
    const answer = await server.admin('GET', `/api/resource/${there?.id}/feature/`)
    expect((await answer.json<{ fields: object }[]>()).map((feature) => feature.fields)).toEqual([
      { size: 0, note: null },
      { size: 1, note: null },
      { size: 2, note: null },
    ])
  })

  it('are discarded if others are refused, each of which is named', async () => {
    const server = await start()
    const api = connect(server.url)
    const blocks = {
      'refused.good': await layerOf('good.geojson', ['a']),
      'refused.one': await layerOf('one.geojson', ['b']),
      'refused.two': await layerOf('two.geojson', ['c']),
    }
    // The plan reads the sources.
    const meanwhile = () => Promise.all([badLayer('one.geojson'), badLayer('two.geojson')])
    const report = await apply(api, manifestOf(blocks, 'refused'), { meanwhile })
    expect(tellOutcomes(report).sort()).toEqual([
      'failed refused.one: source/unreadable',
      'failed refused.two: source/unreadable',
      expect.stringMatching(/^skipped refused.good after refused\./),
    ])
    expect((await readActualTree(api)).byKeyname.has('refused.good')).toBe(false)
    expect(await countPrepared(server)).toBe(0)
  })

  it('are discarded if the apply is interrupted before the request', async () => {
    const server = await start()
    const api = connect(server.url)
    const stop = new AbortController()
    const events: string[] = []
    const onEvent = (event: ApplyEvent) => {
      events.push(event.type)
      if (event.type === 'prepared') stop.abort()
    }
    const manifest = manifestOf({ stopped: await layerOf('stopped.geojson', ['a']) }, 'stopped')
    const report = await apply(api, manifest, { signal: stop.signal, onEvent })
    expect(report).toMatchObject({ interrupted: true, outcomes: [{ outcome: 'skipped' }] })
    expect(events.filter((type) => !['uploading', 'loading'].includes(type))).toEqual([
      'started',
      'prepared',
      'undone',
    ])
    expect(await countPrepared(server)).toBe(0)
    expect(await waiting(api, manifest)).toEqual(['create stopped'])
  })

  it('of a deleted layer are skipped with --partial, and the others are loaded', async () => {
    const server = await start()
    const api = connect(server.url)
    const manifest = async (names: readonly string[]) =>
      manifestOf(
        { 'left.a': await layerOf('left.geojson', names), 'left.b': await layerOf('right.geojson', names) },
        'left',
      )
    await apply(api, await manifest(['a']))
    const id = (await readActualTree(api)).byKeyname.get('left.a')?.id
    const meanwhile = () => server.admin('DELETE', `/api/resource/${id}`)
    const report = await apply(api, await manifest(['a', 'b']), { partial: true, meanwhile })
    expect(tellOutcomes(report)).toEqual(['failed left.a: apply/stale', 'updated left.b'])
    expect(await countPrepared(server)).toBe(0)
  })
})

describeServer('a batch on an unreliable network', (start) => {
  it.each([
    ['does not reach the server', 'cut before'],
    ['is done, and the answer is lost', 'cut after'],
  ] as const)('is done once when it %s', async (_, fate) => {
    let cuts = 0
    const { api } = await stand(await start(), (_method, path) => {
      if (path !== batchPath || cuts >= 1) return 'pass'
      cuts += 1
      return fate
    })
    const id = `net-${fate.replace(' ', '-')}`
    const manifest = manifestOf({ [id]: {}, [`${id}.a`]: { parent: id } }, id)
    const report = await apply(api, manifest)
    expect([cuts, ...tellOutcomes(report)]).toEqual([1, `created ${id}`, `created ${id}.a`])
    expect(report.outcomes[1]?.id).toBe((await readActualTree(api)).byKeyname.get(`${id}.a`)?.id)
    expect(await waiting(api, manifest)).toEqual([])
  })

  it('reports that the outcome is unknown if the connection is lost', async () => {
    const stop = new AbortController()
    const { api } = await stand(await start(), (_method, path) => {
      if (path === batchPath) stop.abort()
      return 'pass'
    })
    const manifest = manifestOf({ broken: {} }, 'broken')
    const report = await apply(api, manifest, { signal: stop.signal, breakOff: stop.signal })
    expect(report).toMatchObject({ interrupted: true, uncertain: true, outcomes: [{ outcome: 'skipped' }] })
    await apply(connect((await start()).url), manifest)
    expect(await waiting(api, manifest)).toEqual([])
  })
})

describe('a server with a small limit', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startTestServer('postgres', { bodyLimitBytes: 2000 })
  })

  afterAll(async () => {
    await server.stop()
  })

  it('rejects a request that is too large, and the error has a hint', async () => {
    const api = connect(server.url)
    const blocks = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`large.${at}`, {}]))
    const report = await apply(api, manifestOf(blocks, 'large'))
    expect(report.outcomes.every(({ outcome }) => outcome === 'skipped')).toBe(true)
    expect(report.problem).toMatchObject({
      code: 'request/too-large',
      hint: 'Send them one by one with --no-atomic, or raise the request limit of the server.',
    })
    const bit = await apply(api, manifestOf(blocks, 'large'), { atomic: false })
    expect(bit.outcomes.every(({ outcome }) => outcome === 'created')).toBe(true)
  })
})
