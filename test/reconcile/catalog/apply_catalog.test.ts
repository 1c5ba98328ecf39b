import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { type CatalogRecords, readCatalog } from '../../../src/api/read_catalog.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { ApplyOptions } from '../../../src/reconcile/apply/apply_options.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Report } from '../../../src/reconcile/apply/outcome.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { type ProxyOptions, startProxy, type TestProxy } from '../../api/proxy.ts'
import { newGeoservice } from '../../support/catalog.ts'
import { adminPassword, describeServer, startTestServer, type TestServer } from '../../support/server.ts'
import { createUser, userPassword } from '../../support/users.ts'
import { catalogOf, type ServiceBlock } from '../support/catalog_literals.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'

const path = '/api/component/catalog/'
const open: { close(): Promise<void> }[] = []
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-catalog-'))
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
  { url }: Pick<TestServer, 'url'>,
  decide?: ProxyOptions['decide'],
): Promise<{ api: Api; proxy: TestProxy }> {
  const proxy = await startProxy({ target: url, ...(decide ? { decide } : {}) })
  open.push(proxy)
  return { api: connect(proxy.url), proxy }
}

interface Parts {
  readonly services?: Readonly<Record<string, ServiceBlock>>
  readonly icons?: Readonly<Record<string, ServiceBlock>>
  readonly blocks?: Readonly<Record<string, Block>>
}

/** Makes a manifest with records, and with resources if there are blocks. */
function manifestWith(id: string, { services = {}, icons = {}, blocks }: Parts): Manifest {
  const resources = blocks === undefined ? new Map() : manifestOf(blocks, id).resources
  return { id, resources, catalog: catalogOf(services, icons, folder) }
}

const draw = (name: string, color: string) =>
  writeFile(
    join(folder, `${name}.svg`),
    `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><circle cx="12" cy="12" r="9" fill="${color}"/></svg>`,
  )

interface Meeting extends Partial<ApplyOptions> {
  readonly allow?: Partial<PlanOptions>
  readonly meanwhile?: () => Promise<unknown>
}

async function apply(
  api: Api,
  manifest: Manifest,
  { allow, meanwhile, ...more }: Meeting = {},
): Promise<Report> {
  const plan = await planManifest({ api, manifest, options: { ...safeOptions, fuse: 1, ...allow } })
  await meanwhile?.()
  return applyPlan({ api, plan, ...more })
}

async function waiting(api: Api, manifest: Manifest): Promise<string[]> {
  return tell(await planManifest({ api, manifest, options: { ...safeOptions, fuse: 1, prune: true } }))
}

async function readAll(api: Api): Promise<CatalogRecords> {
  const reading = await readCatalog(api)
  if (typeof reading === 'string') throw new Error(reading)
  return reading
}

const findService = async (api: Api, keyname: string) =>
  (await readAll(api)).geoservices.find((one) => one.keyname === keyname)

/** What became of each change: `created a`, `failed b: apply/stale`, `skipped c after b`. */
const tellOutcomes = ({ outcomes }: Report) =>
  outcomes.map(({ change, outcome, problem, because }) => {
    const fault = problem === undefined ? '' : `: ${problem.code}`
    return `${outcome} ${change.key}${fault}${because === undefined ? '' : ` after ${because}`}`
  })

const url = 'https://tile.example.org/{z}/{x}/{y}.png'
const boundary = 'POLYGON((10 59, 11 59, 11 60, 10 60, 10 59))'

describeServer('an apply of records', (start) => {
  it('creates icons and services in one request, and the second plan is empty', async () => {
    const { api, proxy } = await stand(await start())
    await draw('pin', '#c33')
    const services = {
      tiles: { type: 'tms', name: 'Tiles', url, z_max: 9, icon: 'pin', boundary },
      maps: { type: 'wms', name: 'Maps', layers: 'a,b', format: 'image/png', epsg: 4326 },
      parcels: { type: 'wfs', name: 'Parcels', layer: 'ns:parcels', boundary: `SRID=3857;${boundary}` },
      places: { name: 'Places', desc: '', license_url: null },
    }
    const manifest = manifestWith('all', { services, icons: { pin: { name: 'Pin' } } })
    const report = await apply(api, manifest)
    expect(tellOutcomes(report)).toEqual([
      'created pin',
      'created tiles',
      'created maps',
      'created parcels',
      'created places',
    ])
    const { icons, geoservices } = await readAll(api)
    expect(report.outcomes.map(({ id }) => id)).toEqual([...icons, ...geoservices].map(({ id }) => id))
    expect(geoservices[0]).toMatchObject({ icon: icons[0]?.id, keyname: 'tiles', manifest: 'all' })
    expect(proxy.seen.filter((line) => line.startsWith('POST'))).toEqual([`POST ${path}`])
    expect(await waiting(api, manifest)).toEqual([])
  })

  it('changes, renames, replaces and deletes records, and the second plan is empty', async () => {
    const api = connect((await start()).url)
    await draw('old', '#3c3')
    const before = { a: { name: 'A1' }, b: { name: 'B1', icon: 'old' }, c: { name: 'C1' }, d: { name: 'D1' } }
    await apply(api, manifestWith('change', { services: before, icons: { old: {} } }))
    await draw('old', '#33c')
    await draw('new', '#cc3')
    const services = {
      a: { name: 'B1', icon: 'new' },
      b2: { was: 'b', name: 'A1', icon: 'old' },
      c: { name: 'C1', type: 'wms' },
    }
    const manifest = manifestWith('change', { services, icons: { old: {}, new: {} } })
    const allow = { prune: true, replace: new Set(['c']) }
    expect(tellOutcomes(await apply(api, manifest, { allow }))).toEqual([
      'updated old',
      'created new',
      'updated a',
      'updated b2',
      'replaced c',
      'deleted d',
    ])
    expect(await waiting(api, manifest)).toEqual([])
    const { geoservices } = await readAll(api)
    const own = geoservices.filter((one) => one.manifest === 'change')
    expect(own.map(({ keyname, name, type }) => [keyname, name, type])).toEqual([
      ['a', 'B1', 'geojson'],
      ['b2', 'A1', 'geojson'],
      ['c', 'C1', 'wms'],
    ])
  })

  it('comes before the resources, which are skipped if it fails', async () => {
    const server = await start()
    const { api, proxy } = await stand(server)
    const blocks = { both: {} }
    const manifest = manifestWith('both', { services: { s: { name: 'Both' } }, blocks })
    const [operation] = [newGeoservice('Both')]
    const meanwhile = () => api.call('catalog.batch', { body: { operations: [operation] } })
    const report = await apply(api, manifest, { meanwhile })
    expect(tellOutcomes(report)).toEqual(['failed s: catalog/name-taken', 'skipped both after s'])
    expect(report.atomic).toBe(true)
    const other = manifestWith('both', { services: { s: { name: 'Another' } }, blocks: { more: {} } })
    expect(tellOutcomes(await apply(api, other, { atomic: false }))).toEqual(['created s', 'created more'])
    const posts = proxy.seen.filter((line) => line.startsWith('POST'))
    expect(posts.at(-2)).toBe(`POST ${path}`)
    expect(await waiting(api, other)).toEqual([])
  })

  it('creates a geoservice before the base map that names it', async () => {
    const api = connect((await start()).url)
    const basemap = { cls: 'basemap_layer', members: { basemap_layer: { qms: 'named' } } } as const
    const named = { name: 'Named', type: 'tms', url: 'https://example.org/{z}/{x}/{y}' }
    const manifest = manifestWith('base', { services: { named }, blocks: { basemap } })
    expect(tellOutcomes(await apply(api, manifest))).toEqual(['created named', 'created basemap'])
    expect(await waiting(api, manifest)).toEqual([])
  })

  it('refuses a record that changed since the plan, and names it', async () => {
    const api = connect((await start()).url)
    const before = { s1: { name: 'S1' }, s2: { name: 'S2' } }
    await apply(api, manifestWith('stale', { services: before }))
    const services = { s1: { name: 'S1', epsg: 3857 }, s2: { name: 'S2', epsg: 3857 } }
    const manifest = manifestWith('stale', { services })
    const { id = 0 } = (await findService(api, 's1')) ?? {}
    const operation = { op: 'update', kind: 'geoservice', id, body: { desc: 'meanwhile' } } as const
    const meanwhile = () => api.call('catalog.batch', { body: { operations: [operation] } })
    const report = await apply(api, manifest, { meanwhile })
    expect(tellOutcomes(report)).toEqual(['failed s1: apply/stale', 'skipped s2 after s1'])
    expect(report.outcomes[0]?.problem?.message).toBe(
      '"s1" was changed on the server since the plan was made.',
    )
    const partial = await apply(api, manifest, { meanwhile, partial: true })
    expect(tellOutcomes(partial)).toEqual(['failed s1: apply/stale', 'updated s2'])
    expect(tellOutcomes(await apply(api, manifest))).toEqual(['updated s1'])
  })

  it('reports a key that somebody has created since the plan, and a value that the server refuses', async () => {
    const api = connect((await start()).url)
    const taken = manifestWith('taken', { services: { k: { name: 'K' } } })
    const other = manifestWith('taken', { services: { k: { name: 'K2' } } })
    const report = await apply(api, taken, { meanwhile: () => apply(api, other) })
    expect(tellOutcomes(report)).toEqual(['failed k: apply/stale'])
    const crossing = 'POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))'
    const services = { x: { name: 'X', boundary: crossing }, y: { name: 'Y' } }
    const refused = await apply(api, manifestWith('refused', { services }))
    expect(tellOutcomes(refused)).toEqual(['failed x: catalog/invalid', 'skipped y after x'])
    expect(refused.outcomes[0]?.problem?.message).toMatch(/^boundary: Self-intersection/)
  })

  it('runs exactly once if the response is lost', async () => {
    const fates = ['cut after', 'cut before'] as const
    let lost = 0
    const { api } = await stand(await start(), (method, at) => {
      if (method !== 'POST' || at !== path) return 'pass'
      lost += 1
      return fates[(lost - 1) % 2] ?? 'pass'
    })
    const first = manifestWith('once', { services: { once: { name: 'Once' } } })
    expect(tellOutcomes(await apply(api, first))).toEqual(['created once'])
    const second = manifestWith('once', { services: { once: { name: 'Once', epsg: 3857 } } })
    expect(tellOutcomes(await apply(api, second))).toEqual(['updated once'])
    expect((await findService(api, 'once'))?.version).toBe(2)
    const last = manifestWith('once', { services: { other: { name: 'Other' } } })
    const outcomes = tellOutcomes(await apply(api, last, { allow: { prune: true } }))
    expect(outcomes).toEqual(['created other', 'deleted once'])
  })

  it('reports an image that is not readable any longer, and sends nothing', async () => {
    const { api, proxy } = await stand(await start())
    await draw('gone', '#000')
    const manifest = manifestWith('gone', {
      icons: { gone: {} },
      services: { g: { name: 'G', icon: 'gone' } },
    })
    const report = await apply(api, manifest, { meanwhile: () => rm(join(folder, 'gone.svg')) })
    expect(tellOutcomes(report)).toEqual(['failed gone: file/not-found', 'skipped g after gone'])
    expect(proxy.seen).not.toContain(`POST ${path}`)
  })
})

describe('access to the catalog', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer('postgres')
  })
  afterAll(() => server.stop())

  it('is enough for editors: the tree of resources is not read', async () => {
    const id = await createUser(server.database, 'clerk')
    const group = { keyname: 'catalog_editors', display_name: 'Catalog editors', members: [id] }
    await server.admin('POST', '/api/component/auth/group/', group)
    const proxy = await startProxy({ target: server.url })
    open.push(proxy)
    const api = connect(proxy.url, { login: 'clerk', password: userPassword })
    const manifest = manifestWith('clerk', { services: { mine: { name: 'Mine' } } })
    expect(tellOutcomes(await apply(api, manifest))).toEqual(['created mine'])
    expect(await waiting(api, manifest)).toEqual([])
    expect(proxy.seen.filter((line) => line.includes('/api/resource/'))).toEqual([])
  })

  it('makes records unknown for others, never new', async () => {
    await createUser(server.database, 'visitor')
    const api = connect(server.url, { login: 'visitor', password: userPassword })
    const plan = await planManifest({ api, manifest: manifestWith('clerk', { services: { mine: {} } }) })
    expect(plan.changes).toEqual([])
    expect(plan.unknown).toMatchObject([{ key: 'mine', reason: 'this account cannot manage the catalog' }])
    expect(plan.issues.map(({ code }) => code)).toEqual(['plan/unknown'])
    await expect(applyPlan({ api, plan })).rejects.toMatchObject({ code: 'apply/failed' })
  })

  it('is not requested without records in the manifest', async () => {
    const { api, proxy } = await stand(server)
    await planManifest({ api, manifest: manifestOf({ plain: {} }, 'plain') })
    expect(proxy.seen.filter((line) => line.includes('catalog'))).toEqual([])
  })

  it('is a clear issue on servers without a catalog, before anything changes', async () => {
    const { api, proxy } = await stand(server, (_, at) => (at.startsWith(path) ? 'unknown' : 'pass'))
    const manifest = manifestWith('bare', { services: { s: {} }, blocks: { bare: {} } })
    const plan = await planManifest({ api, manifest })
    expect(plan.issues.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'catalog/absent: the server has no catalog of geoservices',
    ])
    await expect(applyPlan({ api, plan })).rejects.toMatchObject({ code: 'apply/failed' })
    expect(proxy.seen.filter((line) => !line.startsWith('GET'))).toEqual([])
  })
})
