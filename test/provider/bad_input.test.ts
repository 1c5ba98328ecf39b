import { status } from '@grpc/grpc-js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signatureKey, signatures, unknownValue } from '../../src/provider/property_values.ts'
import {
  check,
  configure,
  create,
  diff,
  type Engine,
  invoke,
  read,
  readCheck,
  remove,
  startConfigured,
  startEngine,
  toStruct,
  urnOf,
  type Wire,
} from '../support/pulumi_engine.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { createUser, principalId, userPassword } from '../support/users.ts'

describeServer('the Pulumi provider', (start) => {
  let server: TestServer
  let engine: Engine
  beforeAll(async () => {
    server = await start()
    engine = await startConfigured(server.url)
  })
  afterAll(async () => {
    await engine.stop()
    // No failure is unexpected, and no secret is in a log.
    expect(engine.errors).toEqual([])
    expect(engine.warnings.join()).not.toMatch(/hunter2/)
  })

  test.each<[string, string, Wire, string, string]>([
    ['a misspelt property', 'ResourceGroup', { descripton: 'x' }, 'descripton', 'did you mean "description"'],
    ['a wrong type', 'ResourceGroup', { protect: 'maybe' }, 'protect', 'expected'],
    ['a misspelt field', 'VectorLayer', layerOf({ srid: 1 }), 'vector_layer.srid', 'srs'],
    ['a value out of range', 'VectorLayer', layerOf({ srs: { id: -1 } }), 'vector_layer.srs.id', '1'],
    ['a missing member', 'VectorLayer', {}, '', 'requires vector_layer.geometry_type'],
    ['a missing parent', 'ResourceGroup', { parent: 'nowhere' }, 'parent', 'create it in the program'],
    ['an option of Pulumi', 'ResourceGroup', { existing: true }, 'existing', 'import'],
    [
      'a secret that all see',
      'ResourceGroup',
      { display_name: secret('hunter2') },
      'display_name',
      'unsecret',
    ],
    ['a missing file', 'VectorLayer', { ...layerOf(), data: 'no.csv' }, 'data', 'does not exist'],
    [
      'a missing reference',
      'Webmap',
      mapOf('nostyle'),
      'webmap.root_item.children[0].layer_style_id',
      'there is no resource "nostyle"',
    ],
    ['a bad key', 'ResourceGroup', { key: 'Straße' }, 'key', 'key'],
  ])('refuses %s at its property', async (_, type, news, property, advice) => {
    const { failures } = await check(engine, urnOf(type, `${type} bad`), news)
    expect(failures.map((one) => one.property)).toEqual([property])
    expect(failures[0]?.reason).toContain(advice)
    expect(JSON.stringify(failures)).not.toContain('hunter2')
  })

  test('refuses an unknown class, with a suggestion', async () => {
    await expect(check(engine, urnOf('VectrLayer', 'bad'), {})).rejects.toThrow(/VectorLayer/)
  })

  test('refuses two resources with one key', async () => {
    await check(engine, urnOf('ResourceGroup', 'first'), { key: 'same' })
    const { failures } = await check(engine, urnOf('ResourceGroup', 'second'), { key: 'same' })
    expect(failures).toEqual([{ property: 'key', reason: expect.stringContaining('first') }])
  })

  test('names resources as pulumi:autonaming says, and keeps the names', async () => {
    const urn = urnOf('ResourceGroup', 'auto')
    const { Mode } = pb.CheckRequest.AutonamingOptions
    const ask = async (mode: 0 | 1 | 2, proposed: string, olds: Wire = {}) => {
      const naming = new pb.CheckRequest.AutonamingOptions().setMode(mode).setProposedName(proposed)
      const request = new pb.CheckRequest().setUrn(urn).setNews(toStruct({})).setOlds(toStruct(olds))
      return readCheck(await engine.call('check', request.setAutonaming(naming)))
    }
    const first = await ask(Mode.PROPOSE, 'auto-1a2b')
    expect(first.inputs).toEqual({ key: 'auto-1a2b', display_name: 'auto-1a2b' })
    expect((await ask(Mode.ENFORCE, 'auto-9f', first.inputs)).inputs.key).toBe('auto-1a2b')
    const off = await ask(Mode.DISABLE, '')
    expect(off.failures).toContainEqual({ property: 'key', reason: expect.stringContaining('autonaming') })
  })

  test('refuses names of what the update destroys, and its deletion', async () => {
    const urn = urnOf('ResourceGroup', 'doomed')
    const { inputs } = await check(engine, urn, {})
    const { id } = await create(engine, urn, inputs)
    // The next run declares the group no more, and a group that names it.
    await configure(engine, { server: server.url, password: adminPassword })
    const child = urnOf('ResourceGroup', 'child')
    const { failures } = await check(engine, child, { parent: 'doomed' })
    expect(failures).toEqual([{ property: 'parent', reason: expect.stringContaining('would destroy it') }])
    await expect(remove(engine, urn, id)).rejects.toThrow(/child still names it in parent/)
    // A part of the stack is updated: the rest stays.
    await configure(engine, { server: server.url, password: adminPassword, allow_undeclared: 'true' })
    expect((await check(engine, child, { parent: 'doomed' })).failures).toEqual([])
    await configure(engine, { server: server.url, password: adminPassword })
    await read(engine, urn, { id: 'doomed', inputs: {} })
    expect((await check(engine, child, { parent: 'doomed' })).failures).toEqual([])
  })

  test('refuses what an update cannot do, when it is previewed', async () => {
    const urn = urnOf('ResourceGroup', 'owned')
    const { inputs, failures } = await check(engine, urn, { owner: 'nobody-of-that-name' })
    expect(failures).toEqual([])
    await expect(create(engine, urn, inputs, true)).rejects.toThrow(/nobody-of-that-name/)
  })

  test('does not compare with unknown values, and says what they are', async () => {
    const olds = { key: 'a', display_name: 'a' }
    const { paths } = await diff(engine, urnOf('ResourceGroup', 'a'), [
      olds,
      { ...olds, owner: unknownValue },
    ])
    expect(paths).toEqual({ owner: pb.PropertyDiff.Kind.ADD })
  })

  test('refuses functions and names that do not exist', async () => {
    await expect(invoke(engine, 'landform:index:getLayr', { name: 'a' })).rejects.toThrow(/getLayer/)
    await expect(invoke(engine, 'landform:index:getResource', {})).rejects.toThrow(/name/)
    await expect(invoke(engine, 'landform:index:getResource', { name: 'nothing' })).rejects.toThrow(/nothing/)
  })

  test('refuses changes that the account may not make', async () => {
    await createUser(server.database, 'reader')
    const settings = { user: 'reader', password: userPassword }
    const reader = await startConfigured(server.url, settings)
    const urn = urnOf('ResourceGroup', 'forbidden')
    try {
      await expect(check(reader, urn, {})).rejects.toMatchObject({ code: status.PERMISSION_DENIED })
      const rule = { action: 'allow', principal: { id: await principalId(server.database, 'reader') } }
      const read = { ...rule, identity: '', scope: 'resource', permission: 'read', propagate: true }
      const { resource } = await (await server.admin('GET', '/api/resource/0')).json<Root>()
      const permissions = [...resource.permissions, read]
      expect((await server.admin('PUT', '/api/resource/0', { resource: { permissions } })).status).toBe(200)
      await configure(reader, { server: server.url, ...settings })
      const { inputs } = await check(reader, urn, {})
      const refused = {
        code: status.FAILED_PRECONDITION,
        details: expect.stringContaining('manage_children'),
      }
      await expect(create(reader, urn, inputs, true)).rejects.toMatchObject(refused)
      const wrong = { server: server.url, user: 'reader', password: 'hunter2hunter2' }
      await configure(reader, wrong)
      const unknown = { code: status.UNAUTHENTICATED, details: expect.not.stringContaining('hunter2') }
      await expect(check(reader, urn, {})).rejects.toMatchObject(unknown)
      expect(await checkSettings(reader, wrong)).toEqual([
        { property: 'password', reason: expect.stringMatching(/user "reader".*LANDFORM_PASSWORD/) },
      ])
      const token = { server: server.url, token: 'hunter2hunter2' }
      expect(await checkSettings(reader, token)).toEqual([
        { property: 'token', reason: expect.stringContaining('LANDFORM_TOKEN') },
      ])
      for (const good of [
        { server: server.url, ...settings },
        { ...wrong, server: 'http://127.0.0.1:9' },
      ])
        expect(await checkSettings(reader, good)).toEqual([])
    } finally {
      await reader.stop()
    }
  })
})

test('settings are refused by name, and passwords never repeated', async () => {
  const engine = await startEngine()
  try {
    const news = { servr: 'http://a', server: 'nowhere', password: 'a secret of mine' }
    const failures = await checkSettings(engine, news)
    expect(failures.map(({ property }) => property)).toEqual(['servr', 'server'])
    await expect(configure(engine, news)).rejects.toThrow(/servr/)
    await expect(configure(engine, news)).rejects.not.toThrow(/a secret of mine/)
    await expect(configure(engine, {})).rejects.toThrow(/LANDFORM_SERVER/)
  } finally {
    await engine.stop()
  }
})

async function checkSettings(engine: Engine, news: Wire) {
  const request = new pb.CheckRequest().setNews(toStruct(news))
  return readCheck(await engine.call<pb.CheckResponse>('checkConfig', request)).failures
}

interface Root {
  readonly resource: { readonly permissions: readonly object[] }
}

const secret = (value: string) => ({ [signatureKey]: signatures.secret, value })

function layerOf(more: Wire = {}): Wire {
  return { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 }, ...more } }
}

function mapOf(style: string): Wire {
  const item = { item_type: 'layer', display_name: 'a', layer_style_id: style }
  return { webmap: { root_item: { item_type: 'root', children: [item] } } }
}
