import { maxJournalChanges } from '../../src/contract/bodies/journal.ts'
import { maxResourceIds } from '../../src/contract/limits.ts'
import type { RouteName } from '../../src/contract/routes.ts'
import { newGeoservice, square } from './catalog.ts'
import { rule } from './resources.ts'
import { createAsk } from './server.ts'

/** Sends a request as the administrator and returns the JSON of the response; throws if it is an error. */
type AskJson = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** What heavy requests work on. */
interface HeavyWorld {
  readonly ask: AskJson
  /** Two groups with as many groups below each. */
  readonly groups: readonly { readonly id: number; readonly children: readonly number[] }[]
  readonly points: number
  readonly polygons: number
  /** A WFS service of both layers. */
  readonly service: number
  /** An upload with the points of the layer. */
  readonly upload: object
  readonly size: HeavySize
}

/** A request: method, path and body. */
type HeavyRequest = readonly [method: string, path: string, body?: unknown]

/** Size of the world: resources below each group, features, and positions of a polygon. */
export interface HeavySize {
  readonly resources: number
  readonly points: number
  readonly positions: number
}

/** A polygon of many positions, 100 wide: a comb, so that no position is on a line between its neighbours. */
function comb(count: number): string {
  const teeth = Array.from({ length: count }, (_, at) => `${(100 * at) / count} ${at % 2}`)
  return `POLYGON ((0 -80, ${teeth.join(', ')}, 100 -80, 0 -80))`
}

/** As many changes as an entry of the journal can have. */
const journalChanges = Array.from({ length: maxJournalChanges }, (_, at) => ({
  ...{ action: 'create', key: `key-${at}`, cls: 'resource_group', display_name: `Group ${at}` },
}))

/**
 * The requests that give a database most to do, at or near the limits of their routes, in the order in which they can
 * be sent: those that delete come last.
 */
const requests: Partial<Record<RouteName, (world: HeavyWorld) => HeavyRequest | Promise<HeavyRequest>>> = {
  'resource.tree': () => ['GET', '/api/component/landform/tree'],
  'resource.tree_part': ({ groups }) => [
    'POST',
    '/api/component/landform/tree',
    {
      manifest: 'heavy',
      below: groups.slice(0, 1).map(({ id }) => id),
      referrers: groups.flatMap(({ children }) => children).slice(0, 10_000),
    },
  ],
  'resource.attributes': ({ groups }) => [
    'POST',
    '/api/component/resource/attr',
    {
      resources: groups.flatMap(({ children }) => children).slice(0, 10_000),
      attributes: ['parents', 'is_deletable', 'children_creatable', 'children'].map((name) => [
        `resource.${name}`,
      ]),
    },
  ],
  'feature.list': ({ points }) => ['GET', `/api/resource/${points}/feature/`],
  'feature.search': ({ points }) => [
    'POST',
    `/api/resource/${points}/feature/search?order_by=-name`,
    { intersects: 'POLYGON ((-2e7 -2e7, 2e7 -2e7, 2e7 2e7, -2e7 2e7, -2e7 -2e7))' },
  ],
  'feature.digest': ({ points }) => ['GET', `/api/resource/${points}/feature_digest?key=name`],
  'feature.extensions': async ({ ask, points, size }) => {
    const described = Array.from({ length: Math.min(20_000, size.points) }, (_, at) => ({
      id: at + 1,
      extensions: { description: `<p>${'A long description. '.repeat(20)}${at}</p>` },
    }))
    await ask('PATCH', `/api/resource/${points}/feature/`, described)
    return ['GET', `/api/resource/${points}/feature_extensions?key=name`]
  },
  'feature.geojson': ({ points }) => ['GET', `/api/resource/${points}/geojson`],
  'feature.export': ({ points }) => ['GET', `/api/resource/${points}/export?format=GPKG`],
  'wfs.get': ({ service }) => [
    'GET',
    `/api/resource/${service}/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=points&sortBy=name`,
  ],
  'ogcapi.items': ({ service }) => [
    'GET',
    `/api/resource/${service}/ogcapi/collections/points/items?limit=10000&sortby=name&filter=CASEI(name)%20LIKE%20'%25a%25'`,
  ],
  'wfs.post': ({ service, size }) => [
    'POST',
    `/api/resource/${service}/wfs`,
    `<Transaction service="WFS" version="1.1.0"><Insert>${'<points><name>new</name></points>'.repeat(Math.min(20_000, size.points))}</Insert></Transaction>`,
  ],
  'feature.identify': ({ points, size }) => [
    'POST',
    '/api/feature_layer/identify',
    { srs: 4326, geom: comb(size.positions), layers: [points] },
  ],
  'feature.create': ({ polygons, size }) => [
    'POST',
    `/api/resource/${polygons}/feature/`,
    { geom: comb(4 * size.positions), fields: {} },
  ],
  'feature.update': ({ polygons, size }) => [
    'PUT',
    `/api/resource/${polygons}/feature/1`,
    { geom: comb(4 * size.positions) },
  ],
  'feature.patch': ({ points, size }) => [
    'PATCH',
    `/api/resource/${points}/feature/`,
    Array.from({ length: Math.min(20_000, size.points) }, (_, at) => ({
      id: at + 1,
      fields: { name: `new ${at}` },
    })),
  ],
  'resource.create': ({ upload }) => [
    'POST',
    '/api/resource/',
    {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'From an upload' },
      vector_layer: { source: upload, srs: { id: 3857 } },
    },
  ],
  'source.prepare': ({ upload }) => ['POST', '/api/component/landform/prepared', prepared(upload)],
  'source.discard': async ({ ask, upload }) => {
    const { id } = await ask<{ id: string }>('POST', '/api/component/landform/prepared', prepared(upload))
    return ['DELETE', `/api/component/landform/prepared/${id}`]
  },
  'resource.update': ({ groups: [first] }) => [
    'PUT',
    `/api/resource/${first?.id}`,
    { resmeta: { items: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key ${at}`, at])) } },
  ],
  'resource.batch': ({ groups }) => [
    'POST',
    '/api/component/landform/batch',
    {
      operations: groups
        .flatMap(({ children }) => children)
        .map((id) => ({ op: 'update', id, body: { resource: { display_name: `Renamed ${id}` } } })),
    },
  ],
  'resource.contents': ({ groups, points, polygons }) => [
    'POST',
    '/api/component/landform/contents',
    {
      resources: [points, polygons, ...groups.flatMap(({ id, children }) => [id, ...children])].slice(
        0,
        maxResourceIds,
      ),
    },
  ],
  'journal.begin': () => [
    'POST',
    '/api/component/landform/journal/',
    { manifest: 'heavy', changes: journalChanges },
  ],
  'journal.finish': async ({ ask }) => {
    const body = { manifest: 'heavy', changes: journalChanges }
    const { id } = await ask<{ id: number }>('POST', '/api/component/landform/journal/', body)
    const outcomes = journalChanges.map(() => ({ outcome: 'created', id: 1 }))
    return ['PUT', `/api/component/landform/journal/${id}`, { result: 'applied', outcomes }]
  },
  'catalog.batch': ({ size }) => [
    'POST',
    '/api/component/catalog/',
    {
      operations: Array.from({ length: 2 * size.resources }, (_, at) =>
        newGeoservice(`Service ${at}`, {
          boundary: square((at % 360) - 180, (Math.floor(at / 360) % 180) - 90),
        }),
      ),
    },
  ],
  'catalog.records': () => ['GET', '/api/component/catalog/'],
  'catalog.geoservices': () => ['GET', '/api/v1/geoservices/'],
  'feature.delete_many': ({ points }) => ['DELETE', `/api/resource/${points}/feature/`],
  'resource.delete_many': ({ groups: [first] }) => ['POST', `/api/resource/delete?resources=${first?.id}`],
  'resource.delete': ({ groups: [, second] }) => ['DELETE', `/api/resource/${second?.id}`],
}

const prepared = (upload: object) => ({
  cls: 'vector_layer',
  vector_layer: { source: upload, srs: { id: 3857 } },
})

/** Routes with a heavy request. */
export const heavyRoutes = Object.keys(requests) as RouteName[]

/** Creates what the heavy requests work on. */
async function createWorld(ask: AskJson, size: HeavySize): Promise<HeavyWorld> {
  const features = Array.from(
    { length: size.points },
    (_, at) =>
      `{"type":"Feature","properties":{"name":"point ${at}"},"geometry":{"type":"Point","coordinates":[${(at % 3600) / 10 - 180},${(Math.floor(at / 3600) % 1600) / 10 - 80}]}}`,
  )
  const collection = `{"type":"FeatureCollection","features":[${features.join(',')}]}`
  const upload = await ask<object>('PUT', '/api/component/file_upload/', collection)
  const layer = async (display_name: string, members: object) =>
    (
      await ask<{ id: number }>('POST', '/api/resource/', {
        resource: { cls: 'vector_layer', parent: { id: 0 }, display_name },
        vector_layer: { srs: { id: 3857 }, ...members },
      })
    ).id
  const group = async (display_name: string) => {
    const operations = [
      { op: 'create', name: 'top', body: groupOf(display_name, 0) },
      ...Array.from({ length: size.resources }, (_, at) => ({
        op: 'create',
        name: `${at}`,
        body: groupOf(`${display_name} ${at}`, 'top'),
      })),
    ]
    const { results } = await ask<{ results: { id: number }[] }>('POST', '/api/component/landform/batch', {
      operations,
    })
    const [id = 0, ...children] = results.map((result) => result.id)
    return { id, children }
  }
  const groups = [await group('First'), await group('Second')]
  const points = await layer('Points', { source: upload })
  const polygons = await layer('Polygons', { geometry_type: 'POLYGON', fields: [] })
  return {
    ask,
    groups,
    points,
    polygons,
    service: await createService(ask, { points, polygons }),
    upload,
    size,
  }
}

async function createService(ask: AskJson, layers: Readonly<Record<string, number>>): Promise<number> {
  const entries = Object.entries(layers).map(([keyname, id]) => ({
    keyname,
    display_name: keyname,
    resource_id: id,
  }))
  const { id } = await ask<{ id: number }>('POST', '/api/resource/', {
    resource: { cls: 'wfsserver_service', parent: { id: 0 }, display_name: 'Service' },
    wfsserver_service: { layers: entries },
  })
  return id
}

/** Lets guests read the root. */
async function admitGuests(ask: AskJson): Promise<void> {
  const users = await ask<{ id: number; keyname: string }[]>('GET', '/api/component/auth/user/')
  const { resource } = await ask<{ resource: { permissions: object[] } }>('GET', '/api/resource/0')
  const guest = users.find(({ keyname }) => keyname === 'guest')?.id ?? 0
  const permissions = [...resource.permissions, rule('allow resource.read', guest)]
  await ask('PUT', '/api/resource/0', { resource: { permissions } })
}

const groupOf = (display_name: string, parent: number | string) => ({
  resource: { cls: 'resource_group', parent: { id: parent }, display_name },
})

/** What others waited for while a heavy request ran. */
export interface Wait {
  readonly route: RouteName
  /** How long the request took, in milliseconds. */
  readonly ms: number
  /** Reads of one resource that were answered meanwhile. */
  readonly reads: number
  /** The longest of these reads, in milliseconds. */
  readonly longestMs: number
}

/** Prepares a heavy request. On a slow machine, the limit of time for a statement may end what it takes. */
async function prepare(route: RouteName, world: HeavyWorld): Promise<HeavyRequest> {
  for (;;)
    try {
      return (await requests[route]?.(world)) ?? ['GET', '/']
    } catch (error) {
      if (!(error as Error).message.includes('database/timeout')) throw error
    }
}

/**
 * Sends every heavy request as the administrator, with one light read of a guest after another beside it, and measures
 * what the guest waits for.
 */
export async function* measureWaits(
  { url, password }: { readonly url: string; readonly password: string },
  size: HeavySize,
): AsyncGenerator<Wait> {
  const client = createAsk(url, { authorization: `Basic ${btoa(`administrator:${password}`)}` })
  const ask: AskJson = async (method, path, body) => {
    const answer = await client(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    return answer.headers.get('content-type')?.startsWith('application/json')
      ? JSON.parse(bytes.toString())
      : undefined
  }
  const guest = createAsk(url, {})
  const world = await createWorld(ask, size)
  await admitGuests(ask)
  const read = async () => {
    const answer = await guest('GET', '/api/resource/0')
    if (answer.status !== 200) throw new Error(`a read of a guest: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  for (const route of heavyRoutes) {
    const [method, path, body] = await prepare(route, world)
    let isDone = false
    let failure: Error | undefined
    const start = performance.now()
    // On a slow machine, the limit of time for a statement may end the request: it must not make others wait either.
    const asked = ask(method, path, body)
      .catch((error: Error) => {
        if (!error.message.includes('database/timeout')) failure = error
      })
      .finally(() => {
        isDone = true
      })
    let [reads, longestMs] = [0, 0]
    while (!isDone) {
      const before = performance.now()
      await read()
      longestMs = Math.max(longestMs, performance.now() - before)
      reads += 1
    }
    await asked
    if (failure !== undefined) throw failure
    yield { route, ms: performance.now() - start, reads, longestMs }
  }
}
