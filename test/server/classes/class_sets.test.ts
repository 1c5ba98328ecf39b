import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cls } from '../../../src/contract/registry.ts'
import { behaviourOf } from '../../../src/server/classes/behaviours.ts'
import { createServer, type RunningServer } from '../../../src/server/server.ts'
import { openTestDatabase } from '../../support/drivers.ts'
import { makeRaster } from '../../support/raster.ts'
import { createStyledLayer, type StyledLayer, uploadContent } from '../../support/samples.ts'
import { type Ask, adminPassword, createAsk } from '../../support/server.ts'
import { observeStatements } from '../../support/statement_observer.ts'
import { createResource } from '../../support/tree.ts'

let statements: string[] = []
let running: RunningServer
let admin: Ask
let folder: string
let family: StyledLayer & {
  readonly connection: number
  readonly trackers: number
  readonly upload: string
  readonly picture: number
}
beforeAll(async () => {
  const database = observeStatements(await openTestDatabase('postgres'), (text, isInside) => {
    // What the server does besides (who asks, what is old) is none of a class's.
    if (isInside) statements.push(text)
  })
  folder = await mkdtemp(join(tmpdir(), 'landform-sets-'))
  const listen = { host: '127.0.0.1', port: 0 }
  running = await createServer({ listen, dataFolder: folder, database, adminPassword })
  admin = createAsk(running.url, { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` })
  const wmsclient_connection = { url: 'https://a.example/', version: '1.3.0' }
  family = {
    ...(await createStyledLayer(admin)),
    connection: await createResource(admin, {
      cls: 'wmsclient_connection',
      name: 'Connection',
      members: { wmsclient_connection },
    }),
    trackers: await createResource(admin, { cls: 'trackers_group', name: 'Trackers' }),
    upload: (await uploadContent(admin, '<qgis/>')).id,
    picture: await createResource(admin, {
      cls: 'raster_layer',
      name: 'Picture',
      members: { raster_layer: { source: await uploadContent(admin, makeRaster()) } },
    }),
  }
})
afterAll(async () => {
  await running.stop()
  await rm(folder, { recursive: true, force: true })
})

type Make = (name: string) => { readonly parent?: number; readonly member?: object }

const makers: readonly (readonly [Cls, Make])[] = [
  ['lookup_table', (name) => ({ member: { items: { [name]: 'x' } } })],
  ['basemap_layer', (name) => ({ member: { url: `https://a.example/${name}/{z}/{x}/{y}` } })],
  ['baselayers', () => ({})],
  ['collector_project', () => ({})],
  ['trackers_group', () => ({})],
  [
    'tracker',
    (name) => ({ parent: family.trackers, member: { unique_id: name, device_type: 'svc_mobile' } }),
  ],
  ['wmsclient_connection', () => ({ member: { url: 'https://a.example/', version: '1.3.0' } })],
  [
    'wmsclient_layer',
    () => {
      const connection = { id: family.connection }
      return { member: { connection, srs: { id: 3857 }, wmslayers: 'a', imgformat: 'image/png' } }
    },
  ],
  ['wmsserver_service', (name) => ({ member: { layers: [entry(name, family.style)] } })],
  ['wfsserver_service', (name) => ({ member: { layers: [entry(name, family.layer)] } })],
  ['file_bucket', (name) => ({ member: { files: [{ id: family.upload, name }] } })],
  ['desk_vector_style', () => ({ parent: family.layer, member: { file_upload: { id: family.upload } } })],
  ['formbuilder_form', () => ({ parent: family.layer })],
  ['raster_style', () => ({ parent: family.picture })],
]

const entry = (keyname: string, resource_id: number) => ({ keyname, display_name: keyname, resource_id })

/** Makes a number of resources in one batch. Gives how many statements that takes. */
async function countStatements(cls: Cls, make: Make, count: number): Promise<number> {
  const operations = Array.from({ length: count }, (_, at) => {
    const name = `${cls}-${count}-${at}`
    const { parent = family.group, member } = make(name)
    const resource = { cls, parent: { id: parent }, display_name: name }
    return { op: 'create', body: { resource, ...(member === undefined ? {} : { [cls]: member }) } }
  })
  statements = []
  const answer = await admin('POST', '/api/component/landform/batch', { operations })
  expect(answer.status, await answer.text()).toBe(200)
  return statements.length
}

test.each(makers)('%s: forty are made by as many statements as two', async (cls, make) => {
  await countStatements(cls, make, 1)
  expect(await countStatements(cls, make, 40)).toBe(await countStatements(cls, make, 2))
})

test.each(makers)('%s: fifty are read by as many statements as two', async (cls, make) => {
  await countStatements(cls, make, 50)
  const { database } = running.context
  const rows = await database.query<{ id: number }>('select id from resource where cls = $1', [cls])
  const count = async (ids: readonly number[]) => {
    statements = []
    await database.transaction((tx) => behaviourOf(cls).readMembers(tx, ids))
    return statements.length
  }
  const ids = rows.map(({ id }) => id)
  expect(await count(ids)).toBe(await count(ids.slice(0, 2)))
})
