import { once } from 'node:events'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import { afterAll, expect, test } from 'vitest'
import { unknownValue } from '../../src/provider/property_values.ts'
import {
  check,
  configure,
  create,
  diff,
  type Engine,
  invoke,
  none,
  read,
  remove,
  some,
  startConfigured,
  toStruct,
  update,
  urnOf,
  type Wire,
} from '../support/pulumi_engine.ts'
import { adminPassword, describeServer } from '../support/server.ts'

describeServer('the Pulumi provider', (start) => {
  let starting: Promise<Engine> | undefined
  const connect = () => {
    starting ??= start().then(({ url }) => startConfigured(url))
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
    expect(preview).toEqual({ id: '', outputs: { ...inputs, resource_id: unknownValue } })
    const { id, outputs } = await create(engine, group, inputs)
    expect(outputs).toEqual({ ...inputs, resource_id: Number(id) })
    expect(await diff(engine, group, [inputs, inputs])).toMatchObject({ changes: none, paths: {} })
    expect(await read(engine, group, { id, inputs })).toEqual({ id, inputs })

    const next = { ...inputs, description: 'A city' }
    expect(await diff(engine, group, [inputs, next])).toMatchObject({
      changes: some,
      paths: { description: pb.PropertyDiff.Kind.UPDATE },
    })
    expect(await diff(engine, group, [inputs, next, ['description']])).toMatchObject({ changes: none })
    await update(engine, group, { id, olds: inputs, news: next })
    expect(await described(admin, id)).toBe('A city')

    await admin('PUT', `/api/resource/${id}`, { resource: { description: 'drifted' } })
    const refreshed = await refresh(engine, await start(), { id, inputs: next, urn: group })
    expect(refreshed.inputs).toEqual({ ...next, description: 'drifted' })
    const imported = await read(engine, group, { id: 'town', inputs: {} })
    expect(imported).toEqual({ id, inputs: { ...next, description: 'drifted' } })
    await admin('PUT', `/api/resource/${id}`, { resource: { display_name: 'Old town' } })
    await configure(engine, { server: (await start()).url, password: adminPassword })
    for (const name of ['Old town', id])
      expect(await read(engine, group, { id: name, inputs: {} })).toMatchObject({ id })

    await remove(engine, group, id)
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
    const found = await diff(engine, layer, [inputs, next, [], id])
    expect(found.replaces).toEqual(['vector_layer.geometry_type'])
    expect(found.paths).toEqual({ 'vector_layer.geometry_type': pb.PropertyDiff.Kind.UPDATE_REPLACE })
    expect(found.deletesFirst).toBe(true)
    // The preview deletes nothing.
    await create(engine, layer, next, true)
    await expect(create(engine, layer, inputs)).rejects.toThrow(/deleteBeforeReplace/)
    await remove(engine, layer, id)
    const replaced = await create(engine, layer, next)
    expect(replaced.id).not.toBe(id)
    expect(await read(engine, layer, { id: replaced.id, inputs: next })).toEqual({
      id: replaced.id,
      inputs: next,
    })
  })

  test('deletes first if the program asks to replace, and keeps what another resource has taken over', async () => {
    const engine = await connect()
    const [old, renamed] = ['old', 'renamed'].map((name) => urnOf('ResourceGroup', name)) as [string, string]
    const { inputs } = await check(engine, old, { key: 'kept' })
    const { id } = await create(engine, old, inputs)
    const sides = [inputs, { ...inputs, description: 'changed' }] as const
    expect(await diff(engine, old, sides)).toMatchObject({ replaces: [], deletesFirst: true })
    await configure(engine, { server: (await start()).url, password: adminPassword })
    await check(engine, renamed, inputs)
    expect((await create(engine, renamed, inputs)).id).toBe(id)
    const logged = once(engine.logged, 'message')
    await remove(engine, old, id)
    await logged
    expect(engine.warnings.at(-1)).toContain(`Resource ${id} stays: it is renamed now`)
    // The engine replaces what --replace names without asking for a difference.
    await remove(engine, renamed, id)
    expect((await read(engine, renamed, { id, inputs })).inputs).toEqual(inputs)
  })

  test('a preview finds resources by the keys that they will have', async () => {
    const engine = await connect()
    const urn = urnOf('ResourceGroup', 'rekeyed')
    const { inputs: olds } = await check(engine, urn, { key: 'earlier' })
    const { id } = await create(engine, urn, olds)
    const { inputs: news } = await check(engine, urn, { key: 'later' })
    await diff(engine, urn, [olds, news, [], id])
    await update(engine, urn, { id, olds, news, preview: true })
    const found = await invoke(engine, 'landform:index:getResource', { name: 'later' })
    expect(found).toMatchObject({ resource_id: Number(id), key: 'later' })
    await expect(invoke(engine, 'landform:index:getResource', { name: 'never' })).rejects.toThrow(
      /no resource/,
    )
  })

  test('replaces everything only if its server or its manifest changes', async () => {
    const engine = await connect()
    const settings = { server: 'http://a', manifest: 'm', allow_delete: '["a"]' }
    const compare = async (news: Wire) => {
      const request = new pb.DiffRequest().setOldInputs(toStruct(settings)).setNews(toStruct(news))
      const answer = await engine.call<pb.DiffResponse>('diffConfig', request)
      return [answer.getDiffsList(), answer.getReplacesList()]
    }
    expect(await compare(settings)).toEqual([[], []])
    expect(await compare({ ...settings, allow_delete: '[]' })).toEqual([['allow_delete'], []])
    expect(await compare({ ...settings, server: 'http://b' })).toEqual([['server'], ['server']])
    expect(await compare({ ...settings, server: unknownValue })).toEqual([['server'], []])
  })

  test('keeps a parent unknown until it is created', async () => {
    const engine = await connect()
    const urn = urnOf('ResourceGroup', 'quarter')
    const { inputs, failures } = await check(engine, urn, { parent: unknownValue })
    expect(failures).toEqual([])
    expect((await create(engine, urn, inputs, true)).outputs).toMatchObject({ parent: unknownValue })
  })

  test('keeps texts that look like expressions of manifests', async () => {
    const engine = await connect()
    const urn = urnOf('ResourceGroup', 'literal')
    const { inputs, failures } = await check(engine, urn, { description: '${env.HOME}' })
    expect(failures).toEqual([])
    const { id } = await create(engine, urn, inputs)
    expect(await described((await start()).admin, id)).toBe('${env.HOME}')
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

const layerOf = (type: string): Wire => ({
  vector_layer: { geometry_type: type, srs: { id: 3857 } },
  feature_layer: { fields: [{ keyname: 'name', datatype: 'STRING', display_name: 'Name' }] },
})

/** Reads in a new run of the engine, which configures the provider again. */
async function refresh(
  engine: Engine,
  { url }: { readonly url: string },
  { urn, ...state }: { readonly id: string; readonly inputs: Wire; readonly urn: string },
) {
  await configure(engine, { server: url, password: adminPassword })
  return read(engine, urn, state)
}

type Admin = Awaited<ReturnType<Parameters<Parameters<typeof describeServer>[1]>[0]>>['admin']

async function described(admin: Admin, id: string) {
  const answer = await admin('GET', `/api/resource/${id}`)
  return (await answer.json<{ resource: { description: string } }>()).resource.description
}
