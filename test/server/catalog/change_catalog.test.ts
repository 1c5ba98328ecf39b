import { beforeAll, expect, test } from 'vitest'
import type {
  CatalogOperation,
  GeoserviceRecord,
  IconRecord,
} from '../../../src/contract/catalog/catalog_edit.ts'
import { changeCatalog, iconImage, newGeoservice, square } from '../../support/catalog.ts'
import { type Ask, describeServers, type TestServer } from '../../support/server.ts'

interface Records {
  readonly icons: readonly IconRecord[]
  readonly geoservices: readonly GeoserviceRecord[]
}

const path = '/api/component/catalog/'

describeServers('a batch on the catalog', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })
  const read = async () => (await server.admin('GET', path)).json<Records>()
  const send = async (operations: readonly CatalogOperation[], ask: Ask = server.admin) => {
    const answer = await ask('POST', path, { operations })
    return { status: answer.status, body: await answer.json<Record<string, unknown>>() }
  }
  const refusal = async (operations: readonly CatalogOperation[]) => {
    const before = await read()
    const { status, body } = await send(operations)
    expect(await read()).toEqual(before)
    return {
      status,
      code: body.code,
      message: body.message,
      operation: (body.data as { operation?: number }).operation,
    }
  }

  test('creates and changes records, and counts versions', async () => {
    const [icon = 0, service = 0] = await changeCatalog(server, [
      {
        op: 'create',
        kind: 'icon',
        name: 'i',
        body: { name: 'First icon', keyname: 'first', image: iconImage() },
      },
      newGeoservice('First', {
        keyname: 'first',
        manifest: 'm',
        icon: 'i',
        boundary: square(1, 1),
        z_max: 5,
      }),
    ])
    const created = await read()
    expect(created.icons).toEqual([
      expect.objectContaining({
        id: icon,
        keyname: 'first',
        manifest: null,
        version: 1,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    ])
    expect(created.geoservices).toEqual([
      expect.objectContaining({
        id: service,
        icon,
        manifest: 'm',
        version: 1,
        z_max: 5,
        z_min: null,
        boundary: square(1, 1),
      }),
    ])
    const { body } = await send([
      {
        op: 'update',
        kind: 'geoservice',
        id: service,
        if_version: 1,
        body: { name: 'Renamed', boundary: null, z_max: null },
      },
      { op: 'update', kind: 'icon', id: icon, body: { name: 'Renamed icon' } },
    ])
    expect(body).toEqual({
      results: [
        { id: service, version: 2 },
        { id: icon, version: 2 },
      ],
    })
    const [changed] = (await read()).geoservices
    expect(changed).toMatchObject({ name: 'Renamed', boundary: null, z_max: null, icon, keyname: 'first' })
  })

  test('deletes an icon that services have, and services', async () => {
    const { icons, geoservices } = await read()
    const [[icon = 0], [service = 0]] = [icons.map(({ id }) => id), geoservices.map(({ id }) => id)]
    await send([{ op: 'delete', kind: 'icon', id: icon }])
    expect((await read()).geoservices).toEqual([
      expect.objectContaining({ id: service, icon: null, version: 2 }),
    ])
    await send([{ op: 'delete', kind: 'geoservice', id: service }])
    expect(await read()).toEqual({ icons: [], geoservices: [] })
  })

  test('swaps names and keys, and reuses those of deleted records', async () => {
    const [a = 0, b = 0, c = 0] = await changeCatalog(server, [
      newGeoservice('A', { keyname: 'a' }),
      newGeoservice('B', { keyname: 'b' }),
      newGeoservice('C', { keyname: 'c' }),
    ])
    const { status } = await send([
      { op: 'update', kind: 'geoservice', id: a, body: { name: 'B', keyname: 'b' } },
      { op: 'update', kind: 'geoservice', id: b, body: { name: 'A', keyname: 'a' } },
      newGeoservice('C', { keyname: 'c' }),
      { op: 'delete', kind: 'geoservice', id: c },
    ])
    expect(status).toBe(200)
    expect((await read()).geoservices.map(({ name, keyname }) => [name, keyname])).toEqual([
      ['B', 'b'],
      ['A', 'a'],
      ['C', 'c'],
    ])
  })

  test.each<[string, CatalogOperation, Record<string, unknown>]>([
    [
      'a name that is taken',
      newGeoservice('A'),
      {
        status: 422,
        code: 'catalog/name-taken',
        message: expect.stringMatching(/^The name "A" belongs to another geoservice, id = \d+\.$/),
      },
    ],
    [
      'a key that is taken',
      newGeoservice('New', { keyname: 'a' }),
      { status: 422, code: 'catalog/name-taken' },
    ],
    [
      'a record that does not exist',
      { op: 'delete', kind: 'icon', id: 77 },
      { status: 404, code: 'catalog/not-found', message: 'The catalog has no icon with id = 77.' },
    ],
    ['an unknown member', newGeoservice('New', { colour: 'red' }), { status: 422, code: 'request/invalid' }],
    [
      'a member of another type',
      newGeoservice('New', { layers: 'a' }),
      {
        status: 422,
        code: 'catalog/invalid',
        message: 'a geoservice of type tms has no member "layers" - at $.layers',
      },
    ],
    [
      'a wfs without layer',
      newGeoservice('New', { type: 'wfs' }),
      { status: 422, message: 'a geoservice of type wfs requires the member "layer" - at $.layer' },
    ],
    [
      'an address without tiles',
      newGeoservice('New', { url: 'https://tile.example.org/{x}/{y}' }),
      { status: 422, message: 'the address of tiles lacks {x}, {y} and {z} - at $.url' },
    ],
    [
      'an unknown placeholder',
      newGeoservice('New', { url: 'https://{s}.example.org/{z}/{x}/{y}.png' }),
      { status: 422, message: 'the address has the unknown placeholder {s} - at $.url' },
    ],
    [
      'a password in the address',
      newGeoservice('New', { type: 'geojson', url: 'https://user:secret@example.org/a.json' }),
      { status: 422, message: expect.stringMatching(/^the address contains a user name or a password/) },
    ],
    [
      'two lists of hosts',
      newGeoservice('New', { url: 'https://{switch:a,b}.example.org/{switch:c}/{z}/{x}/{y}' }),
      { status: 422, code: 'catalog/invalid' },
    ],
    [
      'a host name in the path',
      newGeoservice('New', { url: 'https://example.org/{switch:a,b}/{z}/{x}/{y}' }),
      { status: 422, code: 'catalog/invalid' },
    ],
    [
      'a script as an address',
      newGeoservice('New', { url: 'javascript:alert(1)/{x}{y}{z}' }),
      { status: 422, code: 'request/invalid' },
    ],
    [
      'zooms in the wrong order',
      newGeoservice('New', { z_min: 5, z_max: 4 }),
      { status: 422, message: 'z_max 4 is less than z_min 5 - at $.z_max' },
    ],
    [
      'a line as a boundary',
      newGeoservice('New', { boundary: 'LINESTRING(0 0,1 1)' }),
      { status: 422, code: 'catalog/invalid' },
    ],
    [
      'a boundary that crosses itself',
      newGeoservice('New', { boundary: 'POLYGON((0 0,1 1,1 0,0 1,0 0))' }),
      { status: 422, code: 'catalog/invalid', message: expect.stringMatching(/^Self-intersection/) },
    ],
    [
      'an unknown reference system',
      newGeoservice('New', { boundary: 'SRID=999998;POLYGON((0 0,1 1,1 0,0 0))' }),
      { status: 422, message: 'unknown reference system EPSG:999998 - at $.boundary' },
    ],
    [
      'an icon beyond all ids',
      newGeoservice('New', { icon: 2 ** 31 }),
      { status: 422, message: expect.stringMatching(/^there is no icon with id = 2147483648/) },
    ],
    [
      'an unknown icon',
      newGeoservice('New', { icon: 99 }),
      { status: 422, message: 'there is no icon with id = 99 - at $.icon' },
    ],
    [
      'an unknown local name',
      newGeoservice('New', { icon: 'pin' }),
      { status: 422, message: 'there is no icon with the local name "pin" - at $.icon' },
    ],
    [
      'an icon without image',
      { op: 'create', kind: 'icon', body: { name: 'New' } },
      { status: 422, message: 'a new icon requires an image - at $.image' },
    ],
    [
      'a text as an image',
      { op: 'create', kind: 'icon', body: { name: 'New', image: 'aGVsbG8=' } },
      { status: 422, code: 'catalog/invalid' },
    ],
    [
      'an image that is not base64',
      { op: 'create', kind: 'icon', body: { name: 'New', image: '%%%' } },
      { status: 422, message: 'the image is not base64 - at $.image' },
    ],
    ['an id for a new record', { ...newGeoservice('New'), id: 5 }, { status: 422, code: 'request/invalid' }],
  ])('refuses %s, names the operation, and changes nothing', async (_, operation, expected) => {
    const found = await refusal([newGeoservice('Before it'), operation])
    expect(found).toMatchObject({ ...expected, operation: 1 })
  })

  test.each([
    ['type', 'geojson'],
    ['guid', '11111111-2222-4333-8444-555555555555'],
  ])('never changes the %s of a record', async (name, value) => {
    const [record] = (await read()).geoservices
    const change = (member: unknown): CatalogOperation => ({
      op: 'update',
      kind: 'geoservice',
      id: record?.id ?? 0,
      body: { [name]: member },
    })
    expect(await refusal([change(value)])).toMatchObject({
      status: 422,
      message: expect.stringMatching(new RegExp(`^the ${name} of a record never changes`)),
    })
    await changeCatalog(server, [change(record?.[name as 'type' | 'guid'])])
  })

  test('refuses a stale version, and two operations on one record', async () => {
    const [{ id = 0 } = {}] = (await read()).geoservices
    const update: CatalogOperation = { op: 'update', kind: 'geoservice', id, body: { desc: 'new' } }
    expect(await refusal([{ ...update, if_version: 1000 }])).toMatchObject({
      status: 412,
      code: 'catalog/stale',
    })
    expect(await refusal([update, update])).toMatchObject({ status: 422, operation: 1 })
  })

  test('is for administrators and members of the group of editors', async () => {
    const password = 'a long password'
    const { id } = await (
      await server.admin('POST', '/api/component/auth/user/', {
        keyname: 'clerk',
        display_name: 'Clerk',
        password,
      })
    ).json<{ id: number }>()
    const clerk = server.as('clerk', password)
    expect((await send([], server.guest)).status).toBe(403)
    expect((await send([], clerk)).body).toMatchObject({ code: 'access/denied' })
    expect((await clerk('GET', path)).status).toBe(403)
    await server.admin('POST', '/api/component/auth/group/', {
      keyname: 'catalog_editors',
      display_name: 'Catalog editors',
      members: [id],
    })
    expect((await send([newGeoservice('By a clerk')], clerk)).status).toBe(200)
    expect((await clerk('GET', path)).status).toBe(200)
  })

  test('repeats the answer for a repeated key, and creates records once', async () => {
    const headers = { 'idempotency-key': 'catalog-batch-once' }
    const operations = [newGeoservice('Once')]
    const first = await server.admin('POST', path, { operations }, headers)
    const second = await server.admin('POST', path, { operations }, headers)
    expect(await second.json()).toEqual(await first.json())
  })

  test('an icon is downloaded as it was uploaded, never displayed', async () => {
    const [id = 0] = await changeCatalog(server, [
      { op: 'create', kind: 'icon', body: { name: 'Stored', image: iconImage('#0c0') } },
    ])
    const answer = await server.admin('GET', `${path}icon/${id}/image`)
    expect(answer.headers.get('content-disposition')).toBe('attachment')
    expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(iconImage('#0c0'))
    expect((await server.admin('GET', `${path}icon/9999/image`)).status).toBe(404)
  })
})
