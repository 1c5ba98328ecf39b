import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signatureKey, signatures } from '../../src/provider/property_values.ts'
import { useHttpFilter } from '../support/http_filter.ts'
import {
  check,
  configure,
  create,
  diff,
  type Engine,
  invoke,
  none,
  read,
  readInitFailure,
  remove,
  startConfigured,
  update,
  urnOf,
} from '../support/pulumi_engine.ts'
import { treesOf } from '../support/pulumi_trees.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'

const useFilter = useHttpFilter()

describeServer('a Pulumi provider', (start, driver) => {
  let server: TestServer
  let engine: Engine
  beforeAll(async () => {
    server = await start()
    engine = await startConfigured(server.url)
  })
  afterAll(async () => {
    await engine.stop()
    expect(engine.errors).toEqual([])
  })

  const group = (name: string) => urnOf('ResourceGroup', name)
  const layer = urnOf('VectorLayer', 'trees')

  test('loads data from assets, and sees changes of their content and on the server', async () => {
    const { inputs, failures } = await check(engine, layer, treesOf([1, 2]))
    expect(failures).toEqual([])
    const { id } = await create(engine, layer, inputs)
    const found = await invoke(engine, 'landform:index:getLayer', { name: 'trees' })
    expect(found).toMatchObject({ key: 'trees', cls: 'vector_layer', features: 2, resource_id: Number(id) })
    expect(await read(engine, layer, { id, inputs })).toEqual({ id, inputs })

    const { inputs: next } = await check(engine, layer, treesOf([1, 2, 3]))
    expect((await diff(engine, layer, [inputs, next])).paths).toEqual({ data: pb.PropertyDiff.Kind.UPDATE })
    await update(engine, layer, { id, olds: inputs, news: next })
    expect(await invoke(engine, 'landform:index:getLayer', { name: id })).toMatchObject({ features: 3 })

    const feature = { geom: 'POINT(0 0)', fields: { n: 4 } }
    expect((await server.admin('POST', `/api/resource/${id}/feature/`, feature)).status).toBe(200)
    await configure(engine, { server: server.url, password: adminPassword })
    const { inputs: drifted } = await read(engine, layer, { id, inputs: next })
    expect((await diff(engine, layer, [drifted, next])).paths).toEqual({ data: pb.PropertyDiff.Kind.UPDATE })
    await expect(update(engine, layer, { id, olds: drifted, news: next })).rejects.toThrow(/mode: replace/)
  })

  test('deletes features only if they are named, and protected resources never', async () => {
    const { id } = await read(engine, layer, { id: 'trees', inputs: {} })
    await expect(remove(engine, layer, id)).rejects.toThrow(/4 features.*allow_delete/)
    await configure(engine, { server: server.url, password: adminPassword, allow_delete: '["trees"]' })
    await remove(engine, layer, id)
    const urn = group('kept')
    const { inputs } = await check(engine, urn, { protect: true })
    const kept = await create(engine, urn, inputs)
    await expect(remove(engine, urn, kept.id)).rejects.toThrow(/protected/)
  })

  test('keeps secrets in members secret, in inputs, outputs, and on the server', async () => {
    const urn = urnOf('GeodbConnection', 'db')
    const password = { [signatureKey]: signatures.secret, value: 'hunter2hunter2' }
    const connection = { hostname: 'db.example.org', database: 'gis', username: 'reader' }
    const news = { geodb_connection: { ...connection, password } }
    const { inputs } = await check(engine, urn, news)
    expect(inputs.geodb_connection).toMatchObject({ password })
    const { id, outputs } = await create(engine, urn, inputs)
    expect(outputs.geodb_connection).toMatchObject({ password })
    const clear = JSON.stringify([inputs, outputs]).replaceAll(JSON.stringify(password), '')
    expect(clear).not.toContain('hunter2')
    expect((await read(engine, urn, { id, inputs })).inputs).toEqual(inputs)
    const imported = await read(engine, urn, { id, inputs: {} })
    expect(JSON.stringify(imported)).not.toContain('hunter2')
    const plain = { geodb_connection: { ...connection, password: 'hunter2hunter2', hostname: 7 } }
    const wrong = await check(engine, urn, { ...plain, descripton: 'hunter2hunter2' })
    expect(wrong.failures.length).toBeGreaterThan(0)
    expect(JSON.stringify(wrong.failures)).not.toMatch(/password.*hunter2hunter2/)
  })

  test('stores files of paths, patterns and assets, and sees changed, removed and foreign ones', async () => {
    const urn = urnOf('FileBucket', 'plans')
    const made = await mkdtemp(join(tmpdir(), 'landform-plans-'))
    const second = await startConfigured(server.url, {}, made)
    const asset = (text: string) => ({ [signatureKey]: signatures.asset, text })
    const note = { path: asset('# All'), name: 'about/readme.md', mime_type: 'text/markdown' }
    const news = { files: ['plans/*.txt', note] }
    try {
      await mkdir(join(made, 'plans'))
      for (const name of ['north', 'south', 'west']) await writeFile(join(made, `plans/${name}.txt`), name)
      const { inputs, failures } = await check(second, urn, news)
      expect(failures).toEqual([])
      const names = ['about/readme.md', 'north.txt', 'south.txt', 'west.txt']
      expect(inputs.files).toMatchObject(
        names.map((name) => ({ name, digest: expect.stringMatching(/^\w{64}$/) })),
      )
      const { id } = await create(second, urn, inputs)
      const stored = await server.admin('GET', `/api/resource/${id}/file/about/readme.md`)
      expect([stored.headers.get('content-type'), await stored.text()]).toEqual(['text/markdown', '# All'])
      expect((await read(second, urn, { id, inputs })).inputs).toEqual(inputs)
      await writeFile(join(made, 'plans/north.txt'), 'changed')
      await rm(join(made, 'plans/south.txt'))
      const { inputs: next } = await check(second, urn, news)
      const { UPDATE, DELETE } = pb.PropertyDiff.Kind
      expect((await diff(second, urn, [inputs, next])).paths).toEqual({
        'files[1]': UPDATE,
        'files[2]': DELETE,
      })
      await update(second, urn, { id, olds: inputs, news: next })
      // Somebody removes a file and adds another one.
      const kept = [{ name: 'about/readme.md' }, { name: 'north.txt' }]
      const { id: sent } = await (
        await server.admin('PUT', '/api/component/file_upload/upload', 'mine')
      ).json<Sent>()
      const files = [...kept, { id: sent, name: 'mine.txt' }]
      await server.admin('PUT', `/api/resource/${id}`, { file_bucket: { files } })
      await configure(second, { server: server.url, password: adminPassword })
      const { inputs: drifted } = await read(second, urn, { id, inputs: next })
      expect((await diff(second, urn, [drifted, next])).paths).toEqual({
        'files[2]': UPDATE,
      })
      const { inputs: few } = await check(second, urn, { files: [note] })
      const loss = { id, olds: drifted, news: few, preview: true }
      await expect(update(second, urn, loss)).rejects.toThrow(
        /lose 2 of 3 files.*list "plans" in landform:allow_delete/,
      )
      const { failures: missing } = await check(second, urn, {
        files: ['no/*.txt', { path: 'no.txt', nam: 'a' }],
      })
      expect(missing).toEqual([{ property: 'files[1].nam', reason: expect.stringContaining('"name"') }])
      const { failures: empty } = await check(second, urn, { files: ['no/*.txt', { path: asset('a') }] })
      expect(empty).toEqual([{ property: 'files[1].name', reason: expect.stringContaining('StringAsset') }])
      await expect(remove(second, urn, id)).rejects.toThrow(/3 files.*LANDFORM_ALLOW_DELETE/)
    } finally {
      await second.stop()
      await rm(made, { recursive: true })
    }
  })

  test('lists the resources of a class, and their permissions', async () => {
    const found: string[] = []
    const request = new pb.ListRequest().setToken('landform:index:ResourceGroup')
    for await (const answer of engine.stream<pb.ListResponse>('list', request))
      found.push(answer.getResult()?.getName() ?? '')
    expect(found).toContain('kept')
    const { permissions } = await invoke(engine, 'landform:index:getPermissions', { name: 'kept' })
    expect(permissions).toMatchObject({ resource: { read: true } })
  })

  test('reads the tree once for a refresh, and writes concurrent creations together', async () => {
    const filter = await useFilter(server.url)
    await configure(engine, { server: filter.url, password: adminPassword })
    const many = driver === 'postgres' || process.env.LANDFORM_SOAK ? 1000 : 200
    const urns = Array.from({ length: many }, (_, at) => group(`many ${at}`))
    const made = await inParallel(8, urns, async (urn) => {
      const { inputs } = await check(engine, urn, { description: 'one of many' })
      return { urn, inputs, ...(await create(engine, urn, inputs)) }
    })
    expect(new Set(made.map(({ id }) => id)).size).toBe(many)
    const count = (pattern: RegExp) => filter.requests.filter((one) => pattern.test(one)).length
    expect(count(/^GET .*\/tree/)).toBe(1)
    expect(count(/^POST .*\/batch/)).toBeLessThan(many / 2)
    await configure(engine, { server: filter.url, password: adminPassword })
    filter.requests.length = 0
    await inParallel(8, made, async ({ urn, id, inputs }) => {
      expect(await read(engine, urn, { id, inputs })).toEqual({ id, inputs })
      expect((await diff(engine, urn, [inputs, inputs])).changes).toBe(none)
    })
    expect(filter.requests.length).toBe(1)
  })

  test('a creation that fails does not fail those that are sent with it', async () => {
    const names = ['good a', 'bad', 'good b']
    const all = await Promise.all(
      names.map(async (name) => {
        const more = name === 'bad' ? { display_name: 'good a' } : {}
        const { inputs } = await check(engine, group(name), more)
        return { name, inputs }
      }),
    )
    const done = await Promise.allSettled(all.map(({ name, inputs }) => create(engine, group(name), inputs)))
    expect(done.map(({ status: state }) => state).filter((state) => state === 'rejected')).toHaveLength(1)
  })

  test('creates layers with data at the same time below a group that was just created', async () => {
    const { inputs } = await check(engine, group('fresh'), {})
    await create(engine, group('fresh'), inputs)
    const made = ['a', 'b', 'c'].map(async (name) => {
      const urn = urnOf('VectorLayer', `fresh ${name}`)
      const checked = await check(engine, urn, { ...treesOf([1]), parent: 'fresh' })
      return (await create(engine, urn, checked.inputs)).id
    })
    expect(new Set(await Promise.all(made)).size).toBe(3)
  })

  test('two stacks on one server keep apart', async () => {
    const other = 'urn:pulumi:prod::city::landform:index:ResourceGroup::shared'
    const { inputs } = await check(engine, group('shared'), {})
    const { id } = await create(engine, group('shared'), inputs)
    const second = await startConfigured(server.url)
    try {
      await check(second, other, {})
      await expect(create(second, other, inputs)).rejects.toThrow(/import: "shared"/)
      const news = { ...inputs, description: 'theirs' }
      await update(second, group('shared'), { id, olds: inputs, news })
      const mine = { ...news, protect: true }
      // The first one has read the server before that: it reads again, and compares with what is there.
      await update(engine, group('shared'), { id, olds: inputs, news: mine })
      await configure(engine, { server: server.url, password: adminPassword })
      expect((await read(engine, group('shared'), { id, inputs: mine })).inputs).toEqual(mine)
    } finally {
      await second.stop()
    }
  })

  test('adopts what an interrupted creation has left', async () => {
    const { inputs } = await check(engine, group('again'), {})
    const first = await create(engine, group('again'), inputs)
    const second = await startConfigured(server.url)
    try {
      expect((await create(second, group('again'), inputs)).id).toBe(first.id)
    } finally {
      await second.stop()
    }
  })

  test('waits when the server asks for it, and reports one that is away', async () => {
    const filter = await useFilter(server.url)
    let refusals = 1
    filter.answer = (method, path) => {
      if (!path.includes('/batch') || method !== 'POST' || refusals === 0) return undefined
      refusals -= 1
      return { status: 429, headers: { 'retry-after': '0' }, body: { message: 'slow down' } }
    }
    const second = await startConfigured(filter.url)
    try {
      const { inputs } = await check(second, group('limited'), {})
      expect(Number((await create(second, group('limited'), inputs)).id)).toBeGreaterThan(0)
      expect(refusals).toBe(0)
      await configure(second, { server: 'http://127.0.0.1:9', password: adminPassword })
      const away = { code: status.UNAVAILABLE, details: expect.stringContaining('127.0.0.1:9') }
      await expect(check(second, group('limited'), {})).rejects.toMatchObject(away)
      filter.answer = () => ({ status: 404, body: {} })
      await configure(second, { server: filter.url, password: adminPassword })
      await expect(check(second, group('limited'), {})).rejects.toThrow(/not a landform or NextGIS/)
    } finally {
      await second.stop()
    }
  })

  test('works with an older server, and reports half-made resources', async () => {
    const filter = await useFilter(server.url)
    const old = (path: string) => /\/(tree|batch|prepare|journal)\b/.test(path) || path.endsWith('/route')
    let broken = false
    filter.answer = (method, path) => {
      if (old(path)) return { status: 404, body: { message: 'no such route' } }
      return broken && method === 'PUT' && path.startsWith('/api/resource/')
        ? { status: 403, body: { message: 'not today' } }
        : undefined
    }
    const second = await startConfigured(filter.url)
    const urn = urnOf('VectorLayer', 'half')
    try {
      const { inputs } = await check(second, group('old'), {})
      const { id } = await create(second, group('old'), inputs)
      expect((await read(second, group('old'), { id, inputs })).inputs).toEqual(inputs)
      const { inputs: layerInputs } = await check(second, urn, { ...treesOf([1]), display_name: 'Half' })
      broken = true
      const failed = await create(second, urn, layerInputs).catch((error: unknown) => error)
      const detail = readInitFailure(failed)
      expect(detail).toMatchObject({ reasonsList: [expect.stringContaining('not today')] })
      broken = false
      const made = { id: String(detail?.id), olds: {}, news: layerInputs }
      await update(second, urn, made)
      expect(await invoke(second, 'landform:index:getLayer', { name: made.id })).toMatchObject({
        features: 1,
      })
    } finally {
      await second.stop()
    }
  })

  test('stops when the engine cancels', async () => {
    const second = await startConfigured(server.url)
    try {
      const { inputs } = await check(second, group('late'), {})
      await second.call('cancel', new empty.Empty())
      await expect(create(second, group('late'), inputs)).rejects.toThrow()
      const found = await server.admin('GET', '/api/resource/search/?keyname=late')
      expect(await found.json()).toEqual([])
    } finally {
      await second.stop()
    }
  })
})

interface Sent {
  readonly id: string
}

async function inParallel<T, R>(
  width: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const rest = items.entries()
  const results: R[] = []
  const run = async () => {
    for (const [at, item] of rest) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: width }, run))
  return results
}
