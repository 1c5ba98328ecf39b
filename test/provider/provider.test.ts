import pb from '@pulumi/pulumi/proto/provider_pb.js'
import { afterAll, describe, expect, test } from 'vitest'
import { unknownValue } from '../../src/provider/property_values.ts'
import {
  check,
  diff,
  type Engine,
  startEngine,
  toStruct,
  urnOf,
  type Wire,
} from '../support/pulumi_engine.ts'
import { adminPassword, describeServers } from '../support/server.ts'

describeServers('the Pulumi provider', (start) => {
  let starting: Promise<Engine> | undefined
  const connect = () => {
    starting ??= start().then(async ({ url }) => {
      const engine = await startEngine()
      await configure(engine, { server: url, password: adminPassword })
      return engine
    })
    return starting
  }
  afterAll(async () => (await starting)?.stop())

  const group = urnOf('ResourceGroup', 'town')
  const layer = urnOf('VectorLayer', 'trees')

  test('creates, reads, updates, refreshes, imports and deletes', async () => {
    const engine = await connect()
    const { admin } = await start()
    const { inputs, failures } = await check(engine, group, { description: 'A town' })
    expect(failures).toEqual([])
    expect(inputs).toEqual({ key: 'town', display_name: 'town', description: 'A town' })
    const preview = await create(engine, group, inputs, true)
    expect(preview).toEqual({ id: '', outputs: inputs })
    const { id, outputs } = await create(engine, group, inputs)
    expect(outputs).toEqual({ ...inputs, resource_id: Number(id) })
    expect(await diff(engine, group, [inputs, inputs])).toMatchObject({ changes: none, paths: {} })
    expect(await read(engine, group, { id, inputs })).toEqual({ id, inputs })

    const next = { ...inputs, description: 'A city' }
    expect(await diff(engine, group, [inputs, next])).toMatchObject({
      changes: some,
      paths: { description: pb.PropertyDiff.Kind.UPDATE },
    })
    const request = new pb.UpdateRequest().setId(id).setUrn(group)
    request.setOldInputs(toStruct(inputs)).setNews(toStruct(next))
    await engine.call('update', request)
    expect(await described(admin, id)).toBe('A city')

    await admin('PUT', `/api/resource/${id}`, { resource: { description: 'drifted' } })
    const refreshed = await refresh(engine, await start(), { id, inputs: next, urn: group })
    expect(refreshed.inputs).toEqual({ ...next, description: 'drifted' })
    const imported = await read(engine, group, { id: 'town', inputs: {} })
    expect(imported).toEqual({ id, inputs: { ...next, description: 'drifted' } })

    await engine.call('delete', new pb.DeleteRequest().setId(id).setUrn(group))
    expect((await admin('GET', `/api/resource/${id}`)).status).toBe(404)
    expect(await read(engine, group, { id, inputs: next })).toEqual({ id: '', inputs: {} })
  })

  test('replaces a layer whose geometry type changes', async () => {
    const engine = await connect()
    const { inputs, failures } = await check(engine, layer, layerOf('POINT'))
    expect(failures).toEqual([])
    const { id } = await create(engine, layer, inputs)
    expect((await read(engine, layer, { id, inputs })).inputs).toEqual(inputs)
    const { inputs: next } = await check(engine, layer, layerOf('POLYGON'))
    const found = await diff(engine, layer, [inputs, next])
    expect(found.replaces).toEqual(['vector_layer.geometry_type'])
    expect(found.paths).toEqual({ 'vector_layer.geometry_type': pb.PropertyDiff.Kind.UPDATE_REPLACE })
  })

  test('keeps a parent unknown until it is created', async () => {
    const engine = await connect()
    const urn = urnOf('ResourceGroup', 'quarter')
    const { inputs, failures } = await check(engine, urn, { parent: unknownValue })
    expect(failures).toEqual([])
    expect((await create(engine, urn, inputs, true)).outputs).toMatchObject({ parent: unknownValue })
  })

  test.each([
    ['a misspelt property', { descripton: 'x' }, 'descripton'],
    ['a wrong type', { protect: 'maybe' }, 'protect'],
    ['a missing parent', { parent: 'nowhere' }, 'parent'],
    ['a property that Pulumi has an option for', { existing: true }, 'existing'],
  ])('refuses %s at its property', async (_, news, property) => {
    const { failures } = await check(await connect(), urnOf('ResourceGroup', 'bad'), news)
    expect(failures).toEqual([{ property, reason: expect.stringMatching(/;|expected/) }])
  })

  test('keeps texts that look like expressions of manifests', async () => {
    const engine = await connect()
    const urn = urnOf('ResourceGroup', 'literal')
    const { inputs, failures } = await check(engine, urn, { description: '${env.HOME}' })
    expect(failures).toEqual([])
    const { id } = await create(engine, urn, inputs)
    expect(await described((await start()).admin, id)).toBe('${env.HOME}')
  })

  test('refuses two resources with one key', async () => {
    const engine = await connect()
    await check(engine, urnOf('ResourceGroup', 'first'), { key: 'same' })
    const { failures } = await check(engine, urnOf('ResourceGroup', 'second'), { key: 'same' })
    expect(failures).toEqual([{ property: 'key', reason: expect.stringContaining('first') }])
  })

  test('refuses a key that a resource of others has', async () => {
    const engine = await connect()
    const { admin } = await start()
    await admin('POST', '/api/resource/', {
      resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'theirs', keyname: 'theirs' },
    })
    const { inputs } = await check(engine, urnOf('ResourceGroup', 'theirs'), {})
    await expect(create(engine, urnOf('ResourceGroup', 'theirs'), inputs)).rejects.toThrow(/import/i)
  })
})

describe('settings', () => {
  test('are refused by name, and passwords never repeated', async () => {
    const engine = await startEngine()
    try {
      const news = { servr: 'http://a', server: 'nowhere', password: 'a secret of mine' }
      const request = new pb.CheckRequest().setNews(toStruct(news))
      const answer = await engine.call<pb.CheckResponse>('checkConfig', request)
      const failures = answer.getFailuresList().map((one) => one.getProperty())
      expect(failures).toEqual(['servr', 'server'])
      await expect(configure(engine, news)).rejects.toThrow(/servr/)
      await expect(configure(engine, news)).rejects.not.toThrow(/a secret of mine/)
    } finally {
      await engine.stop()
    }
  })
})

const { DIFF_NONE: none, DIFF_SOME: some } = pb.DiffResponse.DiffChanges

const layerOf = (type: string): Wire => ({
  vector_layer: { geometry_type: type, srs: { id: 3857 } },
  feature_layer: { fields: [{ keyname: 'name', datatype: 'STRING', display_name: 'Name' }] },
})

const configure = (engine: Engine, settings: Wire) =>
  engine.call('configure', new pb.ConfigureRequest().setArgs(toStruct(settings)))

async function create(engine: Engine, ...[urn, inputs, preview = false]: [string, Wire, boolean?]) {
  const request = new pb.CreateRequest().setUrn(urn).setProperties(toStruct(inputs)).setPreview(preview)
  const answer = await engine.call<pb.CreateResponse>('create', request)
  return { id: answer.getId(), outputs: answer.getProperties()?.toJavaScript() }
}

async function read(
  engine: Engine,
  urn: string,
  { id, inputs }: { readonly id: string; readonly inputs: Wire },
) {
  const request = new pb.ReadRequest().setUrn(urn).setId(id).setInputs(toStruct(inputs))
  const answer = await engine.call<pb.ReadResponse>('read', request)
  return { id: answer.getId(), inputs: answer.getInputs()?.toJavaScript() ?? {} }
}

/** Reads in a new run of the engine, which configures the provider again. */
async function refresh(
  engine: Engine,
  { url }: { readonly url: string },
  { urn, ...state }: { readonly id: string; readonly inputs: Wire; readonly urn: string },
) {
  await configure(engine, { server: url, password: adminPassword })
  return read(engine, urn, state)
}

type Admin = Awaited<ReturnType<Parameters<Parameters<typeof describeServers>[1]>[0]>>['admin']

async function described(admin: Admin, id: string) {
  const answer = await admin('GET', `/api/resource/${id}`)
  return (await answer.json<{ resource: { description: string } }>()).resource.description
}
