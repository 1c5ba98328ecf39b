import { expect, test } from 'vitest'
import { type Ask, describeServer } from '../../support/server.ts'
import { allow, createLayer, createResource, createStyle } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

type Cls = 'wmsserver_service' | 'wfsserver_service'
type Entry = Record<string, unknown>

const createService = (ask: Ask, cls: Cls, { name, layers }: { name: string; layers: readonly Entry[] }) =>
  createResource(ask, { cls, name, members: { [cls]: { layers } } })

const readLayers = async (ask: Ask, cls: Cls, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ [C in Cls]: { layers: Entry[] } }>())[cls].layers

const write = (ask: Ask, cls: Cls, { id, layers }: { id: number; layers: readonly Entry[] }) =>
  ask('PUT', `/api/resource/${id}`, { [cls]: { layers } })

const createStyled = async (ask: Ask, name: string) => {
  const parent = await createLayer(ask, { name, geometryType: 'POINT' })
  return { parent, style: await createStyle(ask, { parent, name: 'Style' }) }
}

describeServer('services', (start) => {
  test('a WMS service publishes styles in order, with normalised scales', async () => {
    const { admin } = await start()
    const { style } = await createStyled(admin, 'Pictures')
    const id = await createService(admin, 'wmsserver_service', {
      name: 'WMS',
      layers: [
        { keyname: 'b', display_name: 'B', resource_id: style, min_scale_denom: '1:100000' },
        { keyname: 'a', display_name: 'A', resource_id: style, max_scale_denom: 500, unknown: 1 },
      ],
    })
    const entry = { resource_id: style, min_scale_denom: null, max_scale_denom: null }
    const layers = [
      { ...entry, keyname: 'b', display_name: 'B', min_scale_denom: '1 : 100000' },
      { ...entry, keyname: 'a', display_name: 'A', max_scale_denom: '1 : 500' },
    ]
    expect(await readLayers(admin, 'wmsserver_service', id)).toEqual(layers)
    expect((await write(admin, 'wmsserver_service', { id, layers })).status).toBe(200)
    expect(await readLayers(admin, 'wmsserver_service', id)).toEqual(layers)
    const rest = layers.slice(1)
    await write(admin, 'wmsserver_service', { id, layers: rest })
    expect(await readLayers(admin, 'wmsserver_service', id)).toEqual(rest)
    await admin('PUT', `/api/resource/${id}`, { resource: { description: 'x' }, wmsserver_service: {} })
    expect(await readLayers(admin, 'wmsserver_service', id)).toEqual(rest)
  })

  test('a WFS service publishes layers, and limits their features', async () => {
    const { admin } = await start()
    const { parent } = await createStyled(admin, 'Features')
    const id = await createService(admin, 'wfsserver_service', {
      name: 'WFS',
      layers: [
        { keyname: 'all', display_name: 'All', resource_id: parent },
        { keyname: 'few', display_name: 'Few', resource_id: parent, maxfeatures: 10 },
      ],
    })
    expect(await readLayers(admin, 'wfsserver_service', id)).toEqual([
      { keyname: 'all', display_name: 'All', resource_id: parent, maxfeatures: null },
      { keyname: 'few', display_name: 'Few', resource_id: parent, maxfeatures: 10 },
    ])
  })

  test('a deleted resource is removed from the services that publish it', async () => {
    const { admin } = await start()
    const { parent, style } = await createStyled(admin, 'Leaving')
    const other = await createStyle(admin, { parent, name: 'Staying' })
    const entry = (keyname: string, id: number) => ({ keyname, display_name: keyname, resource_id: id })
    const wms = await createService(admin, 'wmsserver_service', {
      name: 'Left WMS',
      layers: [entry('a', style), entry('b', other)],
    })
    const wfs = await createService(admin, 'wfsserver_service', {
      name: 'Left WFS',
      layers: [entry('l', parent)],
    })
    expect((await admin('DELETE', `/api/resource/${style}`)).status).toBe(200)
    expect(await readLayers(admin, 'wmsserver_service', wms)).toMatchObject([{ keyname: 'b' }])
    expect((await admin('DELETE', `/api/resource/${parent}`)).status).toBe(200)
    expect(await readLayers(admin, 'wmsserver_service', wms)).toEqual([])
    expect(await readLayers(admin, 'wfsserver_service', wfs)).toEqual([])
  })

  test('the list requires service.connect to read and service.configure to change', async () => {
    const { admin, as, database } = await start()
    const user = await createUser(database, 'publisher')
    const publisher = as('publisher', userPassword)
    await admin('PUT', '/api/resource/0', {
      resource: {
        permissions: [
          allow(await administrators(admin), ''),
          { ...allow(user, 'resource', 'read'), propagate: false },
        ],
      },
    })
    const rules = (...more: object[]) => [allow(user, 'resource'), allow(user, 'metadata'), ...more]
    const layers: Entry[] = []
    const id = await createService(admin, 'wfsserver_service', { name: 'Guarded', layers })
    const permit = (...more: object[]) =>
      admin('PUT', `/api/resource/${id}`, { resource: { permissions: rules(...more) } })
    const member = async () =>
      (await (await publisher('GET', `/api/resource/${id}`)).json<Record<string, unknown>>())
        .wfsserver_service
    await permit()
    expect(await member()).toEqual({})
    expect((await write(publisher, 'wfsserver_service', { id, layers })).status).toBe(403)
    await permit(allow(user, 'service', 'connect'))
    expect(await member()).toEqual({ layers })
    expect((await write(publisher, 'wfsserver_service', { id, layers })).status).toBe(200)
    const other: Entry[] = [{ keyname: 'other', display_name: 'Other', resource_id: id }]
    const refused = await write(publisher, 'wfsserver_service', { id, layers: other })
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({
        data: {
          scope: 'service',
          permission: 'configure',
          attribute: 'layers',
          serializer: 'wfsserver_service',
        },
      }),
    ])
    await permit(allow(user, 'service', 'connect'), allow(user, 'service', 'configure'))
    expect((await write(publisher, 'wfsserver_service', { id, layers })).status).toBe(200)
  })

  test.each<[string, Cls, Entry | 'missing', string]>([
    ['a service without a list', 'wmsserver_service', 'missing', '$.wmsserver_service'],
    ['a name with a space', 'wmsserver_service', { keyname: 'a b' }, 'layers.1.keyname'],
    ['a name that is no ASCII', 'wfsserver_service', { keyname: 'straße' }, 'layers.1.keyname'],
    ['an empty name', 'wfsserver_service', { keyname: '' }, 'layers.1.keyname'],
    ['a name that comes twice', 'wfsserver_service', { keyname: 'first' }, 'layers.1.keyname'],
    ['an empty title', 'wfsserver_service', { display_name: '' }, 'layers.1.display_name'],
    ['a resource that is not there', 'wmsserver_service', { resource_id: 2_000_000 }, 'layers.1.resource_id'],
    ['what is no style', 'wmsserver_service', { resource_id: 0 }, 'layers.1.resource_id'],
    ['no resource', 'wfsserver_service', { resource_id: undefined }, 'layers.1'],
    ['a limit of none', 'wfsserver_service', { maxfeatures: 0 }, 'layers.1.maxfeatures'],
    ['a scale that is none', 'wmsserver_service', { min_scale_denom: 'far' }, 'layers.1.min_scale_denom'],
    [
      'a scale without end',
      'wmsserver_service',
      { max_scale_denom: `1 : ${'9'.repeat(400)}` },
      'layers.1.max_scale_denom',
    ],
  ])('%s is refused with the location', async (name, cls, fault, place) => {
    const { admin } = await start()
    const { parent, style } = await createStyled(admin, name)
    const id = cls === 'wmsserver_service' ? style : parent
    const good = { keyname: 'first', display_name: 'First', resource_id: id }
    const member =
      fault === 'missing' ? {} : { [cls]: { layers: [good, { ...good, keyname: 'second', ...fault }] } }
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls, parent: { id: 0 }, display_name: `Bad ${name}` },
      ...member,
    })
    const at = fault === 'missing' ? '$' : `$.${cls}.${place}`
    expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
      422,
      expect.stringMatching(`- at ${at.replaceAll(/[$.]/g, '\\$&')}$`),
    ])
  })
})

async function administrators(ask: Ask): Promise<number> {
  const groups = await (await ask('GET', '/api/component/auth/group/?brief=true')).json<
    { id: number; keyname: string }[]
  >()
  return groups.find(({ keyname }) => keyname === 'administrators')?.id ?? 0
}
