import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { membersOf } from '../../../src/contract/bodies/bodies.ts'
import { annotationsOf } from '../../../src/contract/descriptor.ts'
import { type Cls, clsNames, descriptorOf, isCls } from '../../../src/contract/registry.ts'
import { createEachClass } from '../../support/each_class.ts'
import { useForeign } from '../../support/geodb.ts'
import { type Ask, startTestServer, type TestServer } from '../../support/server.ts'
import { allow } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

const openForeign = useForeign()

let server: TestServer
let resources: ReadonlyMap<Cls, number>
let user: number
let reader: Ask
beforeAll(async () => {
  server = await startTestServer('postgres')
  resources = await createEachClass(server.admin, await openForeign())
  user = await createUser(server.database, 'reader')
  reader = server.as('reader', userPassword)
})
afterAll(() => server.stop())

function idOf(cls: Cls): number {
  const id = resources.get(cls)
  if (id === undefined) throw new Error(`there is no ${cls}`)
  return id
}

const rows = [
  ['resource_group', 'resource, metadata'],
  ...['raster_style', 'mapsrv_style', 'desk_vector_style', 'lookup_table', 'basemap_layer'].map((cls) => [
    cls,
    'resource, data, metadata',
  ]),
  ...['geodb_connection', 'wmsclient_connection'].map((cls) => [cls, 'connection, resource, metadata']),
  ...['vector_layer', 'wmsclient_layer', 'geodb_layer', 'raster_layer'].map((cls) => [
    cls,
    'resource, datastruct, data, metadata',
  ]),
  ...['wfsserver_service', 'wmsserver_service'].map((cls) => [cls, 'resource, service, metadata']),
  ['webmap', 'resource, webmap, metadata'],
] as [Cls, string][]

describe('Class identity | Scopes', () => {
  test.each(rows)('%s | %s', async (cls, scopes) => {
    const schema = await (await server.guest('GET', '/resource/schema')).json<{
      resources: Record<string, { scopes: string[] }>
    }>()
    expect(schema.resources[cls]?.scopes).toEqual(scopes.split(', '))
    const id = idOf(cls)
    const body = await (await server.admin('GET', `/api/resource/${id}`)).json<{
      resource: { scopes: string[] }
    }>()
    expect(body.resource.scopes).toEqual(scopes.split(', '))
    const permissions = await (await server.admin('GET', `/api/resource/${id}/permission`)).json<object>()
    expect(Object.keys(permissions).sort()).toEqual(scopes.split(', ').sort())
  })
})

test.each([
  'resource_group, geodb_layer, wmsserver_service, baselayers, geodb_connection, webmap, wfsserver_service',
  'vector_layer, raster_layer, mapsrv_style, desk_vector_style, raster_style, file_bucket, lookup_table',
  'wmsclient_layer, wmsclient_connection, formbuilder_form, trackers_group, tracker, collector_project',
])('Resource classes: %s', (names) => {
  for (const name of names.split(', ')) {
    expect(isCls(name), name).toBe(true)
    expect(resources.has(name as Cls), name).toBe(true)
  }
})

/** Attributes that need another permission than `resource.read`, by member. */
function guardedOf(cls: Cls) {
  return Object.entries(membersOf(cls)).flatMap(([member, { properties }]) =>
    Object.entries(properties).flatMap(([name, schema]) => {
      const { 'x-read': read = 'resource.read' } = annotationsOf(schema)
      return read === 'resource.read' ? [] : [{ member, name, read }]
    }),
  )
}

describe('The member named after the class appears when the class has its own data', () => {
  const own = clsNames.filter((cls) =>
    Object.values(descriptorOf(cls).members).some((one) => 'properties' in one),
  )

  test.each(own)('%s: what may not be read is left out, and the rest is there', async (cls) => {
    const id = idOf(cls)
    const permissions = [allow(user, 'resource', 'read')]
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: { principal: { id: number } }[] }
    }>()
    const others = root.resource.permissions.filter(({ principal }) => principal.id !== user)
    await server.admin('PUT', '/api/resource/0', { resource: { permissions: [...others, ...permissions] } })
    const whole = await (await server.admin('GET', `/api/resource/${id}`)).json<Record<string, object>>()
    const seen = await (await reader('GET', `/api/resource/${id}`)).json<Record<string, object>>()
    const hidden = guardedOf(cls)
    for (const [member, values] of Object.entries(whole)) {
      const names = new Set(hidden.filter((one) => one.member === member).map(({ name }) => name))
      const visible = Object.entries(values).filter(([name]) => !names.has(name))
      expect(seen[member], member).toEqual(Object.fromEntries(visible))
    }
  })

  test.each(own)('%s: writing what was read changes nothing', async (cls) => {
    const id = idOf(cls)
    const read = async () => (await server.admin('GET', `/api/resource/${id}`)).json<Record<string, object>>()
    const { resource: before, ...members } = await read()
    expect((await server.admin('PUT', `/api/resource/${id}`, { resource: before, ...members })).status).toBe(
      200,
    )
    const { resource: after, ...same } = await read()
    expect(same).toEqual(members)
    expect({ ...after, version: 0 }).toEqual({ ...before, version: 0 })
  })
})

test('a subtree that is deleted leaves no row of any class behind', async () => {
  const { admin, database } = server
  expect((await admin('DELETE', `/api/resource/${idOf('resource_group')}`)).status).toBe(200)
  const tables = await database.query<{ name: string }>(`
    select distinct c.conrelid::regclass::text as name from pg_constraint c
     where c.contype = 'f' and c.confrelid = 'resource'::regclass and c.conrelid <> 'resource'::regclass`)
  expect(tables.length).toBeGreaterThan(10)
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await database.query<{ count: number }>(`select count(*)::int as count from ${name}`)
      return [name, row?.count] as const
    }),
  )
  const ofRoot = ['rule', 'resource_path', 'last_change']
  const left = counts.filter(([name, count]) => count !== 0 && !ofRoot.includes(name))
  expect(left).toEqual([])
})
