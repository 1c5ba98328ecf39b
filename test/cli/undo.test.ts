import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dropOldData } from '../../src/store/layer/kept_data.ts'
import { uploadContent } from '../support/samples.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-undo-'))
  await writeFile(join(cwd, 'places.geojson'), JSON.stringify(places))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const places = {
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', properties: { name: 'Here' }, geometry: { type: 'Point', coordinates: [1, 1] } },
  ],
}

async function run(...words: readonly string[]): Promise<Ran> {
  const env = administratorEnv(server.url)
  return runCommand(words, { cwd, env })
}

/** Applies a manifest of resources below a group, and returns the entry of the journal. */
async function apply(id: string, blocks: string, ...words: readonly string[]): Promise<string> {
  const lines = blocks.trimEnd().split('\n')
  await writeFile(
    join(cwd, `${id}.yaml`),
    [
      `manifest: ${id}`,
      'resources:',
      '  root:',
      '    existing: true',
      '    id: 0',
      '    children:',
      ...lines.map((line) => `      ${line}`),
      '',
    ].join('\n'),
  )
  const applied = await run('apply', `${id}.yaml`, '--yes', ...words)
  expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  return lastEntry()
}

const lastEntry = async () => /^\d+/m.exec((await run('history', '--limit', '1')).out)?.[0] ?? ''

/** The resources below a group, without ids, versions and dates. */
async function treeOf(keys: readonly string[]): Promise<unknown[]> {
  const found = await Promise.all(
    keys.map(async (keyname) => {
      const [wire] = await (
        await server.admin('GET', `/api/resource/search/?keyname=${keyname}&serialization=full`)
      ).json<Record<string, Record<string, unknown>>[]>()
      if (wire === undefined) return `${keyname} does not exist`
      const { resource = {}, ...members } = wire
      const { id, version, creation_date, parent, children, ...rest } = resource
      return JSON.parse(
        JSON.stringify({ rest, members }).replaceAll(
          /"(id|parent|\w*_id|data_version|landform\.manager)":("[^"]*"|-?\d+)/g,
          '"$1":0',
        ),
      ) as unknown
    }),
  )
  return found
}

const group = (name: string, more = '') => `{ cls: resource_group, display_name: ${name}${more} }`

it('deletes what an apply created', async () => {
  const entry = await apply('made', `made: ${group('Made')}`)
  const undone = await run('undo', entry, '--yes')
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  expect(undone.out).toContain('Plan for made: 1 to delete')
  expect(await treeOf(['made'])).toEqual(['made does not exist'])
})

it('restores every member that an apply changed, and an undo can be undone', async () => {
  const keys = ['kept', 'kept_layer', 'kept_style', 'kept_map']
  const blocks = (name: string, more: string, colour: number, fields: string, items: string) =>
    `
kept:
  cls: resource_group
  display_name: ${name}
${more}
  children:
    kept_layer:
      cls: vector_layer
      display_name: Layer
      vector_layer: { srs: { id: 3857 }, geometry_type: POINT }
      feature_layer: { fields: [${fields}] }
      children:
        kept_style:
          cls: mapsrv_style
          display_name: Style
          mapsrv_style: { xml: '<map><layer><class><style><color red="${colour}" green="0" blue="0"/></style></class></layer></map>' }
    kept_map:
      cls: webmap
      display_name: Map
      webmap: { root_item: { item_type: root, children: [${items}] } }`.trim()
  const item = (name: string) => `{ item_type: layer, display_name: ${name}, layer_style_id: kept_style }`
  const rule = '{ action: allow, principal: guest, scope: resource, permission: read, propagate: true }'
  await apply(
    'kept',
    blocks(
      'Kept',
      `  description: First\n  resmeta: { owner: roads }\n  permissions: [${rule}]`,
      1,
      '{ keyname: name, datatype: STRING }',
      item('One'),
    ),
  )
  const before = await treeOf(keys)
  const entry = await apply(
    'kept',
    blocks(
      'Changed',
      '  description: Second\n  resmeta: { editor: water }\n  permissions: []',
      2,
      '{ keyname: name, datatype: STRING, display_name: Name }, { keyname: size, datatype: INTEGER }',
      `${item('Two')}, ${item('One')}`,
    ),
  )
  const after = await treeOf(keys)
  expect(after).not.toEqual(before)
  const undone = await run('undo', entry, '--yes')
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  expect(await treeOf(keys)).toEqual(before)
  expect((await run('history', '--limit', '1')).out).toContain(`undo of ${entry}`)
  expect((await run('undo', await lastEntry(), '--yes')).exit).toBe(0)
  expect(await treeOf(keys)).toEqual(after)
})

it('creates what an apply deleted again, with references among it', async () => {
  const keys = ['gone', 'gone_layer', 'gone_style', 'gone_map']
  await apply(
    'gone',
    `
gone:
  cls: resource_group
  display_name: Gone
  children:
    gone_layer:
      cls: vector_layer
      display_name: Layer
      vector_layer: { srs: { id: 3857 }, geometry_type: POINT }
      children:
        gone_style: { cls: mapsrv_style, display_name: Style }
    gone_map:
      cls: webmap
      display_name: Map
      webmap: { root_item: { item_type: root, children: [{ item_type: layer, display_name: One, layer_style_id: gone_style }] } }
other: ${group('Other')}`.trim(),
  )
  const before = await treeOf(keys)
  const entry = await apply('gone', `other: ${group('Other')}`, '--prune', '--allow-delete', 'gone')
  expect(await treeOf(keys)).toEqual(keys.map((key) => `${key} does not exist`))
  const undone = await run('undo', entry, '--yes')
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  expect(await treeOf(keys)).toEqual(before)
})

it('undoes only what the apply set, and refuses what was changed since, by field and apply', async () => {
  const rule = (permission: string) =>
    `{ action: allow, principal: guest, scope: resource, permission: ${permission}, propagate: true }`
  const layer = (name: string, more: string) => `edited:
  cls: vector_layer
  display_name: ${name}
  vector_layer: { srs: { id: 3857 }, geometry_type: POINT }
  ${more}`
  const fields = (...list: readonly string[]) =>
    `feature_layer: { fields: [${list.map((one) => `{ keyname: ${one}, datatype: STRING }`).join(', ')}] }`
  await apply('edited', layer('One', `${fields('name')}\n  permissions: [${rule('read')}]`))
  const both = `permissions: [${rule('read')}, ${rule('update')}]`
  const entry = await apply('edited', layer('Two', `${fields('name', 'size')}\n  ${both}`))
  const later = `${fields('name', 'size', 'later')}\n  ${both.replace(']', `, ${rule('delete')}]`)}\n  description: Later`
  const last = await apply('edited', layer('Three', later))
  const refused = await run('undo', entry, '--yes')
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining(
      `error undo/edited: what apply ${entry} set in "edited" was changed since: display_name, by apply ${last} (administrator, `,
    ),
  ])
  const undone = await run('undo', entry, '--overwrite', 'edited', '--yes')
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  const left = JSON.stringify(await treeOf(['edited']))
  expect(left).toMatch(
    /"description":"Later".*"display_name":"One"|"display_name":"One".*"description":"Later"/,
  )
  expect(left.match(/"permission":"\w+"/g)).toEqual(['"permission":"delete"', '"permission":"read"'])
  expect(left.match(/"keyname":"\w+"/g)).toEqual([
    '"keyname":"edited"',
    '"keyname":"name"',
    '"keyname":"later"',
  ])
})

it('refuses to delete a layer whose features were edited since its creation, and shows the plan alone', async () => {
  const layer = 'grown: { cls: vector_layer, display_name: Grown, data: { source: places.geojson } }'
  const made = await apply('grown', layer)
  const plan = ['undo', made, '--allow-delete', 'grown', '--plan']
  expect(await run(...plan, '--exit-code')).toMatchObject({
    exit: 2,
    out: expect.stringContaining('Plan for grown: 1 to delete'),
  })
  const [{ resource = { id: 0 } } = {}] = await (
    await server.admin('GET', '/api/resource/search/?keyname=grown')
  ).json<{ resource: { id: number } }[]>()
  await server.admin('PUT', `/api/resource/${resource.id}/feature/1`, { fields: { name: 'There' } })
  const refused = await run(...plan)
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining(
      `error undo/edited: "grown", which apply ${made} created and the undo would delete, was changed since: its features were edited 1 time`,
    ),
  ])
  expect((await run(...plan, '--json')).out).toContain('"undo/edited"')
  expect((await run('undo', made, '--exit-code')).exit).toBe(3)
  const undone = await run('undo', made, '--allow-delete', 'grown', '--overwrite', 'grown', '--yes')
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
})

it('gives adopted resources back', async () => {
  await server.admin('POST', '/api/resource/', {
    resource: { cls: 'resource_group', parent: { id: 0 }, keyname: 'lent', display_name: 'Lent' },
  })
  const before = await treeOf(['lent'])
  const entry = await apply('lent', `lent: ${group('Lent')}`)
  const undone = await run('undo', entry, '--yes')
  expect([undone.exit, undone.out]).toEqual([0, expect.stringContaining('managed_by  - "lent"')])
  expect(await treeOf(['lent'])).toEqual(before)
  expect((await run('undo', await lastEntry(), '--yes')).out).toContain('managed_by  + "lent"')
})

async function dataOf(key: string): Promise<unknown> {
  const id = await idOf(key)
  const features = await (
    await server.admin('GET', `/api/resource/${id}/feature/?extensions=attachment,description`)
  ).json()
  const { feature_layer } = await (await server.admin('GET', `/api/resource/${id}`)).json<{
    feature_layer: { fields: Record<string, unknown>[] }
  }>()
  return { features, fields: feature_layer.fields.map(({ id: _, ...field }) => field) }
}

async function idOf(key: string): Promise<number> {
  const found = await (await server.admin('GET', `/api/resource/search/?keyname=${key}`)).json<
    { resource: { id: number } }[]
  >()
  return found[0]?.resource.id ?? -1
}

const feature = (name: string, size: number, x: number) => ({
  type: 'Feature',
  properties: { name, size },
  geometry: { type: 'Point', coordinates: [x, 1] },
})

const writeTowns = async (...features: readonly object[]) =>
  writeFile(join(cwd, 'towns.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))

const townLayer = (data: string, more = '') =>
  `towns:\n  cls: vector_layer\n  display_name: Towns\n  data: { source: towns.geojson${data} }${more}`
const againLayer = 'again: { cls: vector_layer, display_name: Again, data: { source: towns.geojson } }'
const onlyName = '\n  feature_layer: { fields: [{ keyname: name, datatype: STRING, display_name: Town }] }'
const sizeAsText = onlyName.replace(']', ', { keyname: size, datatype: STRING }]')

it('restores the data that applies replaced, changed and deleted, with ids, attachments and edits', async () => {
  await writeTowns(feature('A', 1, 1), feature('B', 2, 2), feature('C', 3, 3))
  await apply('towns', townLayer(', key: name, mode: sync'))
  const id = await idOf('towns')
  await server.admin('PUT', `/api/resource/${id}/feature/2`, { fields: { size: 20 } })
  const file_upload = await uploadContent(server.admin, 'text')
  const extensions = { attachment: [{ name: 'a.txt', file_upload }], description: 'First' }
  expect((await server.admin('PUT', `/api/resource/${id}/feature/1`, { extensions })).status).toBe(200)
  const before = await dataOf('towns')
  expect(before).toMatchObject({
    features: [{ extensions: { attachment: [{ name: 'a.txt' }] } }, { fields: { size: 20 } }, {}],
  })

  const allowed = ['--allow-loss', 'towns', '--overwrite-data', 'towns']
  const steps: readonly [string, () => Promise<string>][] = [
    ['synchronize', async () => apply('towns', townLayer(', key: name, mode: sync'), ...allowed)],
    ['replace', async () => apply('towns', townLayer(''), ...allowed)],
    ['drop a field', async () => apply('towns', townLayer(', mode: seed', onlyName), ...allowed)],
    ['convert a field', async () => apply('towns', townLayer(', mode: seed', sizeAsText), ...allowed)],
    [
      'delete',
      async () =>
        apply(
          'towns',
          'others: { cls: resource_group, display_name: Others }',
          '--prune',
          '--allow-delete',
          'towns',
        ),
    ],
  ]
  for (const [name, change] of steps) {
    await writeTowns(feature('A', 1, 1), feature('D', 4, 4))
    const entry = await change()
    if (name !== 'delete') expect([name, await dataOf('towns')]).not.toEqual([name, before])
    const undone = await run('undo', entry, '--yes')
    expect([name, undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([name, 0, ''])
    expect(undone.out).toContain('data  restores 3 features that the server kept')
    expect([name, await dataOf('towns')]).toEqual([name, before])
  }
  // The marker of the source is restored, too: the edit is still known, and its source unchanged.
  await writeTowns(feature('A', 1, 1), feature('B', 2, 2), feature('C', 3, 3))
  await writeFile(
    join(cwd, 'towns.yaml'),
    `manifest: towns\nresources:\n  root: { existing: true, id: 0 }\n  ${townLayer('').replaceAll('\n', '\n  ')}\n    parent: root\n`,
  )
  expect((await run('plan', 'towns.yaml')).err).toContain(
    'were edited on the server once since the last load',
  )
})

it('restores data once more after an undo of the undo, and refuses edits since', async () => {
  await writeTowns(feature('A', 1, 1), feature('B', 2, 2))
  await apply('again', againLayer)
  const first = await dataOf('again')
  await writeTowns(feature('C', 3, 3))
  const entry = await apply('again', againLayer, '--allow-loss', 'again')
  const second = await dataOf('again')
  expect((await run('undo', entry, '--yes')).exit).toBe(0)
  expect(await dataOf('again')).toEqual(first)
  const undo = await lastEntry()
  await server.admin('PUT', `/api/resource/${await idOf('again')}/feature/1`, { fields: { size: 5 } })
  expect((await run('undo', undo, '--yes')).err).toContain(
    `error undo/edited: the data of "again", which the undo would replace, were edited 1 time since apply ${undo}`,
  )
  expect((await run('undo', undo, '--yes', '--overwrite', 'again')).exit).toBe(0)
  expect(await dataOf('again')).toEqual(second)
})

it('says which data it cannot restore, and asks before it deletes features', async () => {
  const layer = 'data_layer: { cls: vector_layer, display_name: Layer, data: { source: places.geojson } }'
  const made = await apply('data', layer)
  const kept = await run('undo', made, '--yes')
  expect([kept.exit, kept.err]).toEqual([
    1,
    expect.stringContaining('deleting "data_layer" would delete 1 feature'),
  ])
  const deletion = await apply(
    'data',
    `data_group: ${group('Group')}`,
    '--prune',
    '--allow-delete',
    'data_layer',
  )
  await server.database.transaction((tx) => dropOldData(tx, { days: 0, limitBytes: 2 ** 30 }))
  const refused = await run('undo', deletion, '--yes')
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining(
      `error undo/data-lost: apply ${deletion} deleted data of "data_layer", which the server does not keep for this account any longer: 1 feature`,
    ),
  ])
  const undone = await run('undo', deletion, '--without-data', '--yes')
  expect(undone.exit).toBe(0)
  expect(JSON.stringify(await treeOf(['data_layer', 'data_group']))).toMatch(
    /"keyname":"name".*data_group does not exist/,
  )
})

it('refuses entries that do not exist or changed nothing', async () => {
  expect(await run('undo', '999')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('has no entry 999'),
  })
  expect((await run('undo', 'x')).err).toContain('Use a positive integer.')
  const rule = '{ action: deny, principal: group:administrators, scope: "", permission: "", propagate: true }'
  await writeFile(
    join(cwd, 'bad.yaml'),
    `manifest: bad\nresources:\n  root:\n    existing: true\n    id: 0\n    children:\n      bad: { cls: resource_group, display_name: Bad, permissions: [${rule}] }\n`,
  )
  expect((await run('apply', 'bad.yaml', '--yes')).exit).toBe(1)
  expect(await run('undo', await lastEntry(), '--yes')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('changed nothing'),
  })
})
