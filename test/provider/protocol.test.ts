import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import plugin from '@pulumi/pulumi/proto/plugin_pb.js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signatureKey, signatures } from '../../src/provider/property_values.ts'
import { providerSchema } from '../../src/provider/provider_schema.ts'
import { useHttpFilter } from '../support/http_filter.ts'
import {
  check,
  configure,
  create,
  diff,
  type Engine,
  invoke,
  readState,
  startConfigured,
  startEngine,
  update,
  urnOf,
  type Wire,
} from '../support/pulumi_engine.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { makeShapefile } from '../support/shapefile.ts'
import { makeZip } from '../support/zip.ts'

const useFilter = useHttpFilter()
const asset = (content: Wire) => ({ [signatureKey]: signatures.asset, ...content })
const archive = (content: Wire) => ({ [signatureKey]: signatures.archive, ...content })

describeServer('the protocol of a Pulumi provider', (start) => {
  let server: TestServer
  let engine: Engine
  let folder: string
  beforeAll(async () => {
    server = await start()
    folder = await mkdtemp(join(tmpdir(), 'landform-protocol-'))
    engine = await startConfigured(server.url, {}, folder)
  })
  afterAll(async () => {
    await engine.stop()
    await rm(folder, { recursive: true })
    expect(engine.errors).toEqual([])
  })

  test('tells the version, the schema, and that it maps no other provider', async () => {
    const info = await engine.call<plugin.PluginInfo>('getPluginInfo', new empty.Empty())
    const version = info.getVersion()
    expect(version).toMatch(/^\d+\.\d+\.\d+/)
    const answer = await engine.call<pb.GetSchemaResponse>('getSchema', new pb.GetSchemaRequest())
    expect(JSON.parse(answer.getSchema())).toEqual(JSON.parse(JSON.stringify(providerSchema(version))))
    const mapping = await engine.call<pb.GetMappingResponse>(
      'getMapping',
      new pb.GetMappingRequest().setKey('terraform'),
    )
    expect(mapping.toObject()).toEqual({ provider: '', data: '' })
    const mappings = await engine.call<pb.GetMappingsResponse>(
      'getMappings',
      new pb.GetMappingsRequest().setKey('terraform'),
    )
    expect(mappings.getProvidersList()).toEqual([])
  })

  test('sends its warnings to the engine that attaches', async () => {
    const other = await startEngine()
    try {
      await engine.call('attach', new plugin.PluginAttach().setAddress(other.logAddress))
      const xml =
        '<map><layer><class><style><color red="1" green="2" blue="3"/><blink/></style></class></layer></map>'
      const { failures } = await check(engine, urnOf('MapsrvStyle', 'odd'), {
        parent: 'trees',
        mapsrv_style: { xml },
      })
      expect(failures.map(({ property }) => property)).toEqual(['parent'])
      // The log has no answer to wait for: the engine receives the warning when it comes.
      while (other.warnings.length === 0) await once(other.logged, 'message')
      expect(other.warnings).toEqual([expect.stringContaining('blink')])
      await engine.call('attach', new plugin.PluginAttach().setAddress(engine.logAddress))
    } finally {
      await other.stop()
    }
  })

  test('lists as many resources as the engine asks for', async () => {
    for (const name of ['list a', 'list b', 'list c']) {
      const urn = urnOf('ResourceGroup', name)
      await create(engine, urn, (await check(engine, urn, {})).inputs)
    }
    const list = async (limit: number) => {
      const found: string[] = []
      const request = new pb.ListRequest().setToken('landform:index:ResourceGroup').setLimit(limit)
      for await (const answer of engine.stream<pb.ListResponse>('list', request))
        found.push(answer.getResult()?.getName() ?? '')
      return found
    }
    const all = await list(0)
    expect(all).toEqual(expect.arrayContaining(['list a', 'list b', 'list c']))
    expect(await list(2)).toEqual(all.slice(0, 2))
    const unknown = engine.stream('list', new pb.ListRequest().setToken('landform:index:WebMap'))
    await expect(unknown[Symbol.asyncIterator]().next()).rejects.toThrow(/Webmap/)
  })

  test('loads the layer of an archive, and sees a changed part', async () => {
    const urn = urnOf('VectorLayer', 'towns')
    const files = makeShapefile('UTF-8')
    for (const { name, content } of files) await writeFile(join(folder, name), content)
    const news = (): Wire => ({
      data: archive({
        assets: Object.fromEntries(files.map(({ name }) => [name, asset({ path: join(folder, name) })])),
      }),
    })
    const { inputs, failures } = await check(engine, urn, news())
    expect(failures).toEqual([])
    const { id } = await create(engine, urn, inputs)
    const features = async () => (await invoke(engine, 'landform:index:getLayer', { name: 'towns' })).features
    expect(await features()).toBe(2)
    expect((await diff(engine, urn, [inputs, (await check(engine, urn, news())).inputs])).paths).toEqual({})
    const sql = ['-sql', 'SELECT * FROM towns LIMIT 1']
    execFileSync('ogr2ogr', ['-overwrite', ...sql, join(folder, 'less'), join(folder, 'towns.shp')])
    const { inputs: next } = await check(engine, urn, { data: archive({ path: 'less' }) })
    expect((await diff(engine, urn, [inputs, next])).paths).toEqual({ data: pb.PropertyDiff.Kind.UPDATE })
    await expect(update(engine, urn, { id, olds: inputs, news: next })).rejects.toThrow(
      /2 → 1 features.*list "towns" in landform:allow_delete, or set data/s,
    )
    const zipped = { source: archive({ path: 'less' }), mode: 'replace' }
    const { inputs: allowed } = await check(engine, urn, { data: zipped })
    await configure(engine, { server: server.url, password: adminPassword, allow_delete: '["towns"]' })
    await update(engine, urn, { id, olds: inputs, news: allowed })
    expect(await features()).toBe(1)
  })

  test('stores the file of a form, and sees that it changed here or on the server', async () => {
    const urn = urnOf('FormbuilderForm', 'form')
    const layer = urnOf('VectorLayer', 'surveyed')
    const geometry = { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } } }
    await create(engine, layer, (await check(engine, layer, geometry)).inputs)
    const path = join(folder, 'form.ngfp')
    const write = (text: string) =>
      writeFile(path, makeZip([{ name: 'form.json', content: Buffer.from(text) }]))
    const news = { parent: 'surveyed', file: asset({ path: 'form.ngfp' }) }
    await write('{"title":"first"}')
    const { inputs, failures } = await check(engine, urn, news)
    expect(failures).toEqual([])
    const { id } = await create(engine, urn, inputs)
    const download = async () =>
      Buffer.from(await (await server.admin('GET', `/api/resource/${id}/ngfp`)).arrayBuffer())
    expect(await download()).toEqual(await readFile(path))
    expect((await readState(engine, urn, { id, inputs })).inputs).toEqual(inputs)
    await write('{"title":"second"}')
    const { inputs: next } = await check(engine, urn, news)
    expect((await diff(engine, urn, [inputs, next])).paths).toEqual({ file: pb.PropertyDiff.Kind.UPDATE })
    await configure(engine, { server: server.url, password: adminPassword, allow_delete: '["form"]' })
    await update(engine, urn, { id, olds: inputs, news: next })
    expect(await download()).toEqual(await readFile(path))
    const { id: sent } = await (
      await server.admin(
        'PUT',
        '/api/component/file_upload/upload',
        makeZip([{ name: 'form.json', content: '{}' }]),
      )
    ).json<{ readonly id: string }>()
    const edited = { formbuilder_form: { file_upload: { id: sent } } }
    expect((await server.admin('PUT', `/api/resource/${id}`, edited)).status).toBe(200)
    await configure(engine, { server: server.url, password: adminPassword })
    const { inputs: drifted } = await readState(engine, urn, { id, inputs: next })
    expect((await diff(engine, urn, [drifted, next])).paths).toEqual({ file: pb.PropertyDiff.Kind.UPDATE })
  })

  test('cancels a creation while its data are sent, and leaves nothing', async () => {
    const filter = await useFilter(server.url)
    const second = await startConfigured(filter.url, {}, folder)
    const key = 'cancelled'
    const urn = urnOf('VectorLayer', key)
    try {
      const { inputs } = await check(second, urn, { data: asset({ text: 'lon,lat\n1,2\n' }) })
      const reached = Promise.withResolvers<void>()
      const held = Promise.withResolvers<undefined>()
      filter.beforeResponse = (method, path) => {
        if (!/^(PUT|POST|PATCH) .*\/file_upload/.test(`${method} ${path}`)) return Promise.resolve(undefined)
        reached.resolve()
        return held.promise
      }
      const creation = create(second, urn, inputs).then(
        () => 'made',
        (error: Error) => error.message,
      )
      await reached.promise
      await second.call('cancel', new empty.Empty())
      expect(await creation).toMatch(/abort|cancel/i)
      held.resolve(undefined)
      const left = await server.admin('GET', `/api/resource/search/?keyname=${encodeURIComponent(key)}`)
      expect(await left.json()).toEqual([])
    } finally {
      await second.stop()
    }
  })
})
