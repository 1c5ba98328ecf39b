import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string
let town: number

const features = (...names: readonly string[]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: names.map((name, index) => ({
      type: 'Feature',
      properties: { name, level: index % 2 === 0 ? index : null },
      geometry: { type: 'Point', coordinates: [index / 3, 1] },
    })),
  })

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-adopt-'))
  await writeFile(join(cwd, 'places.geojson'), features('A', 'B', 'B'))
  const group = { resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'Town' } }
  town = (await (await server.admin('POST', '/api/resource/', group)).json<{ id: number }>()).id
  const shops = { resource: { cls: 'resource_group', parent: { id: town }, display_name: 'Shops' } }
  expect((await server.admin('POST', '/api/resource/', shops)).status).toBe(200)
  await run('data', 'import', 'places.geojson', '--parent', String(town), '--name', 'Places')
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

function run(...words: readonly string[]): Promise<Ran> {
  const env = administratorEnv(server.url)
  return runCommand(words, { cwd, env })
}

/** Writes a manifest of the town, as a person would, with the description of the group of shops. */
function write(file: string, { id = 'town', shops = '' } = {}): Promise<void> {
  const text = `manifest: ${id}
resources:
  root:
    existing: true
    id: 0
    children:
      town:
        cls: resource_group
        display_name: Town
        children:
          shops: { cls: resource_group, display_name: Shops${shops} }
          places:
            cls: vector_layer
            display_name: Places
            data: { source: places.geojson }
`
  return writeFile(join(cwd, file), text)
}

it('sets keynames and marks, checks that nothing else changed, and shows the differences as a plan', async () => {
  await write('town.yaml', { shops: ', description: All shops' })
  const dry = await run('adopt', 'town.yaml', '--dry-run')
  expect([dry.exit, dry.out]).toEqual([
    0,
    expect.stringContaining('Plan for town: 3 to update, 0 unchanged.'),
  ])
  const unmarked = await run('plan', 'town.yaml')
  expect(unmarked.out).toContain('3 to update')
  const adopted = await run('adopt', 'town.yaml', '--yes')
  expect(adopted.exit).toBe(0)
  expect(adopted.out).toContain('data are those of places.geojson, and marked as loaded from it')
  expect(adopted.out).toMatch(/Checked: nothing else changed \(\d+ resources compared\)\./)
  const [, rest = ''] = adopted.out.split('Step 2: ')
  expect(rest).toContain('description  null → "All shops"')
  expect(rest).toContain('Plan for town: 1 to update, 3 unchanged.')
  expect((await run('apply', 'town.yaml', '--yes')).exit).toBe(0)
  expect((await run('plan', 'town.yaml')).out).toContain('Plan for town: 0 changes, 4 unchanged.')
})

it('finds nothing to do at the second time, and reports sources that the layer differs from', async () => {
  await write('town.yaml', { shops: ', description: All shops' })
  const again = await run('adopt', 'town.yaml', '--yes')
  expect([again.exit, again.out]).toEqual([0, expect.stringContaining('0 changes, 4 unchanged')])
  await writeFile(join(cwd, 'places.geojson'), features('A', 'B', 'C'))
  const differs = await run('adopt', 'town.yaml', '--yes')
  expect(differs.err).toContain('not marked as loaded from places.geojson: their features differ')
  expect(differs.out).not.toContain('marked as loaded')
  await writeFile(join(cwd, 'places.geojson'), features('A', 'B', 'B'))
})

it('takes resources over from another manifest only if it is named', async () => {
  await write('other.yaml', { id: 'county', shops: ', description: All shops' })
  const refused = await run('adopt', 'other.yaml', '--yes')
  expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('--from town')])
  expect(refused.err.match(/is managed by the manifest "town"/g)).toHaveLength(3)
  const unknown = await run('adopt', 'other.yaml', '--yes', '--from', 'town', '--from', 'twon')
  expect([unknown.exit, unknown.out]).toEqual([3, ''])
  expect(unknown.err).toMatch(
    /--from: no resource .* is managed by the manifest "twon"\.\n +hint: did you mean "town"\?/,
  )
  const taken = await run('adopt', 'other.yaml', '--yes', '--from', 'town')
  expect([taken.exit, taken.out]).toEqual([
    0,
    expect.stringContaining('Plan for county: 0 changes, 4 unchanged.'),
  ])
  expect((await run('adopt', 'other.yaml', '--yes', '--from', 'town')).exit).toBe(0)
})

it('adopts a pulled subtree', async () => {
  const pulled = await run('pull', '--root', String(town), '--into', 'pulled', '--manifest', 'mine')
  expect(pulled.exit).toBe(0)
  const adopted = await run('adopt', 'pulled', '--yes', '--from', 'county', '--json')
  expect(adopted.exit).toBe(0)
  const events = adopted.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.find(({ type }) => type === 'checked')).toMatchObject({ differences: 0 })
  expect(events.findLast(({ type }) => type === 'summary')).toMatchObject({ update: 0, unchanged: 4 })
})

it('does not compare an empty layer, which the next apply loads', async () => {
  const layer = {
    resource: { cls: 'vector_layer', parent: { id: town }, keyname: 'empty', display_name: 'Empty' },
    vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
    feature_layer: { fields: [{ keyname: 'name', datatype: 'STRING' }] },
  }
  expect((await server.admin('POST', '/api/resource/', layer)).status).toBe(200)
  const block = '{ cls: vector_layer, display_name: Empty, parent: town, data: { source: places.geojson } }'
  await writeFile(
    join(cwd, 'empty.yaml'),
    `manifest: empty\nresources:\n  town: { existing: true }\n  empty: ${block}\n`,
  )
  const adopted = await run('adopt', 'empty.yaml', '--yes')
  expect([adopted.exit, adopted.err]).toEqual([0, expect.not.stringContaining('not marked')])
  expect(adopted.out).toContain('is loaded: 3 features, fields name, level')
})

it('names resources with another keyname at the place of a block', async () => {
  await writeFile(
    join(cwd, 'renamed.yaml'),
    'manifest: county\nresources:\n  town: { existing: true, children: { markets: { cls: resource_group, display_name: Shops } } }\n',
  )
  const { err, out } = await run('adopt', 'renamed.yaml', '--dry-run')
  expect(err).toContain('has a resource_group with the keyname "shops"')
  expect(out).toContain('0 changes')
})
