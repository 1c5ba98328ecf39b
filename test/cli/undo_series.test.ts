import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dropOldData } from '../../src/store/layer/kept_data.ts'
import { createGroup, rule } from '../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, principalId, userPassword } from '../support/users.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-undo-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...words: readonly string[]) =>
  runCommand(words, { cwd, env: { LANDFORM_SERVER: server.url, LANDFORM_PASSWORD: adminPassword } })

const bucket = 'papers: { cls: file_bucket, display_name: Papers, parent: root, files: [one.txt] }'
const other = 'others: { cls: resource_group, display_name: Others, parent: root }'

/** Applies a manifest with resources below the root, and returns the entry of the journal. */
async function apply(id: string, block: string, ...words: readonly string[]): Promise<string> {
  const lines = block.trim().split('\n')
  const text = [`manifest: ${id}`, 'resources:', '  root: { existing: true, id: 0 }']
  await writeFile(join(cwd, 'a.yaml'), [...text, ...lines.map((line) => `  ${line}`), ''].join('\n'))
  const applied = await run('apply', 'a.yaml', '--yes', ...words)
  expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  return lastEntry()
}

async function lastEntry(): Promise<string> {
  const answer = await server.admin('GET', '/api/component/landform/journal/?limit=1')
  const [entry] = await answer.json<{ id: number }[]>()
  return String(entry?.id)
}

/** Undoes an apply. */
async function undo(entry: string, ...words: readonly string[]): Promise<void> {
  const undone = await run('undo', entry, '--yes', ...words)
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
}

/** The resources below the root with their ids, without versions and dates; features of layers. */
async function readTree(): Promise<Record<string, unknown>> {
  const found = await (await server.admin('GET', '/api/resource/search/?serialization=full')).json<
    Record<string, Record<string, unknown>>[]
  >()
  const tree: Record<string, unknown> = {}
  for (const { resource = {}, ...members } of found) {
    const { version, creation_date, ...rest } = resource
    const isLayer = resource.cls === 'vector_layer'
    const features = isLayer ? await server.admin('GET', `/api/resource/${resource.id}/feature/`) : undefined
    tree[String(resource.keyname)] = JSON.parse(
      JSON.stringify({ rest, members, features: await features?.json() })
        .replaceAll(/"data_version":\d+/g, '"data_version":0')
        // Fields are restored by their keynames.
        .replaceAll(/"id":\d+,"keyname"/g, '"id":0,"keyname"')
        .replaceAll(/"landform\.source":"sha256-(\w+)@\d+/g, '"landform.source":"$1'),
    )
  }
  return tree
}

const point = (name: string, x: number) => ({
  type: 'Feature',
  properties: { name },
  geometry: { type: 'Point', coordinates: [x, 1] },
})

const writePoints = async (...names: readonly string[]) =>
  writeFile(
    join(cwd, 'points.geojson'),
    JSON.stringify({ type: 'FeatureCollection', features: names.map(point) }),
  )

const style = (colour: number) =>
  `'<map><layer><class><style><color red="${colour}" green="0" blue="0"/></style></class></layer></map>'`

/** A group with a group, a layer with data and a style, and two web maps: one in the group, and one outside. */
const town = (
  name: string,
  colour: number,
  items = '{ item_type: layer, display_name: Points, layer_style_id: dots }',
) =>
  `
town:
  cls: resource_group
  display_name: ${name}
  parent: root
  children:
    quarter:
      cls: resource_group
      display_name: Quarter
      children:
        points:
          cls: vector_layer
          display_name: Points
          data: { source: points.geojson }
          children:
            dots: { cls: mapsrv_style, display_name: Dots, mapsrv_style: { xml: ${style(colour)} } }
        inner:
          cls: webmap
          display_name: Inner
          webmap: { root_item: { item_type: root, children: [{ item_type: layer, display_name: In, layer_style_id: dots }] } }
${outer(items)}`.trim()

const outer = (items: string) =>
  `
outer:
  cls: webmap
  display_name: Outer
  parent: root
  webmap: { root_item: { item_type: root, children: [${items}] } }`.trim()

it('undoes several applies in reverse order, through deletions of nested resources', async () => {
  const states = [await readTree()]
  const entries: string[] = []
  const step = async (block: string, ...words: readonly string[]) => {
    entries.push(await apply('town', block, ...words))
    states.push(await readTree())
  }
  await writePoints('A', 'B')
  await step(town('Town', 1))
  await writePoints('A', 'C', 'D')
  await step(town('City', 2), '--allow-loss', 'points')
  const deletes = ['--prune', '--allow-delete', 'town', '--allow-loss', 'outer']
  await step(outer(''), ...deletes)
  await step(town('Again', 3))
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    await undo(entries[at] ?? '', ...(at % 3 === 0 ? ['--allow-delete', 'town'] : []))
    expect([at, await readTree()]).toEqual([at, states[at]])
  }
  const lives = (await run('history', 'dots')).out
  expect(lives.match(/^ {2}\w+ /gm)?.map((word) => word.trim())).toEqual([
    'deleted',
    'updated',
    'created',
    'deleted',
    'created',
    'deleted',
    'updated',
    'created',
  ])
})

it('restores a replaced resource with its id and its style, and undoes the undo', async () => {
  const layer = (type: string, name: string) =>
    `
swap:
  cls: vector_layer
  display_name: Swap
  parent: root
  vector_layer: { srs: { id: 3857 }, geometry_type: ${type} }
  children:
    swap_style: { cls: mapsrv_style, display_name: ${name} }`.trim()
  await apply('swap', layer('POINT', 'Points'))
  const before = await readTree()
  const entry = await apply('swap', layer('LINESTRING', 'Lines'), '--replace', 'swap')
  const after = await readTree()
  const refused = await run('undo', entry, '--yes', '--overwrite', 'swpa', '--allow-loss', 'nosuch')
  expect([refused.exit, refused.err]).toEqual([
    3,
    expect.stringMatching(
      /error usage\/bad-argument: --overwrite: there is no resource with the key "swpa"\n.*swap(?:.|\n)*--allow-loss: .* "nosuch"/,
    ),
  ])
  await undo(entry)
  expect(await readTree()).toEqual(before)
  await undo(await lastEntry())
  expect(await readTree()).toEqual(after)
})

it('removes files that an apply added, and keeps those that were added since', async () => {
  const files = (list: string) =>
    `leaves: { cls: file_bucket, display_name: Leaves, parent: root, files: [${list}] }`
  for (const name of ['a', 'b', 'c']) await writeFile(join(cwd, `${name}.txt`), name)
  await apply('leaves', files('a.txt'))
  const before = await readTree()
  const entry = await apply('leaves', files('a.txt, b.txt'))
  const plan = await run('undo', entry, '--plan')
  expect([plan.exit, plan.out]).toEqual([0, expect.stringMatching(/files {2}- b\.txt/)])
  await undo(entry)
  expect(await readTree()).toEqual(before)
  const again = await apply('leaves', files('a.txt, b.txt'))
  await apply('leaves', files('a.txt, b.txt, c.txt'))
  await undo(again)
  expect(JSON.stringify((await readTree()).leaves).match(/[abc]\.txt/g)).toEqual(['a.txt', 'c.txt'])
})

it('takes back from a layer tree what the apply changed, keeps later items, and refuses items changed since', async () => {
  const styles = ['one', 'two', 'three'].map(
    (key) => `    atlas_${key}: { cls: mapsrv_style, display_name: ${key} }`,
  )
  const item = (key: string, name = key) =>
    `{ item_type: layer, display_name: ${name}, layer_style_id: atlas_${key} }`
  const atlas = (...items: readonly string[]) =>
    `
atlas_layer:
  cls: vector_layer
  display_name: Atlas layer
  parent: root
  vector_layer: { srs: { id: 3857 }, geometry_type: POINT }
  children:
${styles.join('\n')}
atlas:
  cls: webmap
  display_name: Atlas
  parent: root
  webmap: { root_item: { item_type: root, children: [${items.join(', ')}] } }`.trim()
  const names = async () =>
    JSON.stringify((await readTree()).atlas)
      .match(/"display_name":"\w+","layer_style/g)
      ?.join(' ')
  const shown = (...list: readonly string[]) =>
    list.map((name) => `"display_name":"${name}","layer_style`).join(' ')
  await apply('atlas', atlas(item('one')))
  const entry = await apply('atlas', atlas(item('one', 'First'), item('two')))
  await apply('atlas', atlas(item('three'), item('one', 'First'), item('two')))
  await undo(entry)
  expect(await names()).toEqual(shown('three', 'one'))
  await undo(await lastEntry())
  await apply('atlas', atlas(item('three'), item('one', 'Other'), item('two')))
  const refused = await run('undo', entry, '--yes')
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining(
      `what apply ${entry} set in "atlas" was changed since: "Other" of the layer tree, by apply`,
    ),
  ])
  await undo(entry, '--overwrite', 'atlas')
  expect(await names()).toEqual(shown('three', 'one'))
})

it('gives a web map of another manifest the layers back that a deletion took, and keeps what it got since', async () => {
  await writePoints('Here')
  const shared = `
lent:
  cls: vector_layer
  display_name: Lent
  parent: root
  data: { source: points.geojson }
  children:
    lent_style: { cls: mapsrv_style, display_name: Lent }
    other_style: { cls: mapsrv_style, display_name: Other }`
  const item = (name: string, key: string) =>
    `{ item_type: layer, display_name: ${name}, layer_style_id: ${key} }`
  const roof = 'roof: { cls: mapsrv_style, display_name: Roof, parent: roofs }'
  const theirs = (bookmarks: string, ...items: readonly string[]) =>
    `
lent: { existing: true }
lent_style: { existing: true }
other_style: { existing: true }
roofs: { cls: vector_layer, display_name: Roofs, parent: root, vector_layer: { srs: { id: 3857 }, geometry_type: POINT } }
${roof}
borrower:
  cls: webmap
  display_name: Borrower
  parent: root
  webmap:
    bookmark_resource: ${bookmarks}
    root_item: { item_type: root, children: [${items.join(', ')}] }`.trim()
  const [first, last] = [item('First', 'lent_style'), item('Last', 'other_style')]
  await apply('shared', shared)
  await apply('theirs', theirs('lent', first, item('Roof', 'roof'), last))
  const before = await readTree()
  const takeAway = () =>
    apply('shared', other, '--prune', '--allow-delete', 'lent', '--allow-loss', 'borrower')
  const deletion = await takeAway()
  expect(JSON.stringify((await readTree()).borrower)).not.toContain('First')
  await undo(deletion)
  expect(await readTree()).toEqual(before)
  const undoing = await lastEntry()
  await undo(undoing, '--allow-delete', 'lent')
  expect(JSON.stringify((await readTree()).borrower)).not.toContain('First')
  await undo(await lastEntry())
  expect((await readTree()).borrower).toEqual(before.borrower)
  const second = await takeAway()
  const map = (await readTree()).borrower as { readonly rest: { readonly id: number } }
  const { webmap } = await (await server.admin('GET', `/api/resource/${map.rest.id}`)).json<{
    webmap: { root_item: { children: { display_name: string }[] } }
  }>()
  const [kept] = webmap.root_item.children
  const root = { item_type: 'root', children: [kept, { ...kept, display_name: 'Later' }] }
  const change = { webmap: { root_item: root } }
  expect((await server.admin('PUT', `/api/resource/${map.rest.id}`, change)).status).toBe(200)
  await undo(second)
  const names = JSON.stringify((await readTree()).borrower).match(
    /(?<=display_name":")(First|Later|Roof|Last)/g,
  )
  expect(names).toEqual(['First', 'Roof', 'Last', 'Later'])
})

it('says how many features a synchronization changed, and gives back an adopted layer without its data mark', async () => {
  const layer = (more = '') =>
    `dots_of: { cls: vector_layer, display_name: Dots, parent: root, data: { source: points.geojson${more} } }`
  const sync = ', mode: sync, key: name'
  const names = Array.from({ length: 40 }, (_, at) => `N${at}`)
  await writePoints(...names)
  await apply('sync', layer(sync))
  const before = await readTree()
  await writePoints(...names.slice(2), 'X')
  const entry = await apply('sync', layer(sync), '--allow-loss', 'dots_of')
  const plan = await run('undo', entry, '--plan')
  expect(plan.out).toMatch(
    /data {2}restores 40 features that the server kept, with \d+ removed features? and the former values of \d+ features?/,
  )
  await undo(entry)
  expect(await readTree()).toEqual(before)
  const marks = async () => JSON.stringify((await readTree()).dots_of).match(/landform\.\w+/g)
  const id = /"id":(\d+)/.exec(JSON.stringify((await readTree()).dots_of))?.[1]
  const items = { 'landform.manager': null, 'landform.fields.sync': null, 'landform.source': null }
  expect((await server.admin('PUT', `/api/resource/${id}`, { resmeta: { items } })).status).toBe(200)
  await writePoints(...names)
  const adopted = await run('adopt', 'a.yaml', '--yes')
  expect([adopted.exit, adopted.exit === 0 ? '' : adopted.err]).toEqual([0, ''])
  expect(await marks()).toEqual(expect.arrayContaining(['landform.manager', 'landform.source']))
  await undo(await lastEntry())
  expect(await marks()).toBeNull()
})

it('an account that sees a part of the tree undoes its own creation', async () => {
  await createUser(server.database, 'ada')
  const ada = await principalId(server.database, 'ada')
  const { resource } = await (await server.admin('GET', '/api/resource/0')).json<{
    resource: { permissions: object[] }
  }>()
  const permissions = [...resource.permissions, rule('allow resource.read', ada, { propagate: false })]
  await server.admin('PUT', '/api/resource/0', { resource: { permissions } })
  const ground = await createGroup(server.admin, 0, {
    ...{ display_name: 'Ground', keyname: 'ground' },
    permissions: [rule('allow .', ada)],
  })
  const asAda = (...words: readonly string[]) =>
    runCommand(words, {
      cwd,
      env: { LANDFORM_SERVER: server.url, LANDFORM_USER: 'ada', LANDFORM_PASSWORD: userPassword },
    })
  const text = `manifest: ada
resources:
  ground: { existing: true, id: ${ground} }
  hers: { cls: resource_group, display_name: Hers, parent: ground }
`
  await writeFile(join(cwd, 'ada.yaml'), text)
  expect(await asAda('apply', 'ada.yaml', '--yes')).toMatchObject({ exit: 0 })
  const undone = await asAda('undo', await lastEntry(), '--yes')
  expect([undone.exit, undone.err]).toEqual([
    0,
    expect.stringContaining('warning plan/incomplete: this account cannot read all resources'),
  ])
  expect(Object.keys(await readTree())).not.toContain('hers')
})

it('an undo reports files that were replaced or deleted, and restores the rest only if that is allowed', async () => {
  await writeFile(join(cwd, 'one.txt'), 'one')
  await apply('papers', bucket)
  await writeFile(join(cwd, 'one.txt'), 'two')
  const change = await apply('papers', bucket)
  expect((await run('undo', change, '--plan')).err).toContain(
    `apply ${change} deleted data of "papers", which the server does not keep: the content of one.txt`,
  )
  const deletion = await apply('papers', other, '--prune', '--allow-delete', 'papers')
  const refused = await run('undo', deletion, '--yes')
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining(
      `error undo/data-lost: apply ${deletion} deleted data of "papers", which the server does not keep: 1 file`,
    ),
  ])
  expect((await run('undo', deletion, '--without-data', '--yes')).exit).toBe(0)
})

it('restores a dropped field without its values, which the next plan loads again', async () => {
  await writePoints('Here')
  const layer = (fields: string) =>
    `field: { cls: vector_layer, display_name: Field, parent: root, data: { source: points.geojson }, feature_layer: { fields: [${fields}] } }`
  const [name, note] = ['{ keyname: name, datatype: STRING }', '{ keyname: note, datatype: STRING }']
  await apply('field', layer(`${name}, ${note}`))
  await copyFile(join(cwd, 'a.yaml'), join(cwd, 'again.yaml'))
  const dropped = await apply('field', layer(note), '--allow-loss', 'field')
  await server.database.transaction((tx) => dropOldData(tx, { days: 0, limitBytes: 2 ** 30 }))
  await undo(dropped, '--without-data')
  const applied = await run('apply', 'again.yaml', '--yes')
  expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('replaces 1 feature with 1')])
  expect((await run('plan', 'again.yaml')).out).toContain('0 changes')
})
