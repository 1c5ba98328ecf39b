import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { geojson, point } from '../support/vector.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-listed-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })

const writeRoads = (lanes: readonly string[]) => {
  const rows = lanes.map((value, at) => ({
    geometry: point(at, 1),
    properties: { code: `c${at}`, lanes: value, owner: 'city', note: 'old' },
  }))
  return writeFile(join(cwd, 'roads.geojson'), geojson(rows))
}

const write = (fields: Readonly<Record<string, string>>, data: object) => {
  const list = Object.entries(fields).map(([keyname, datatype]) => ({ keyname, datatype }))
  const roads = {
    ...{ cls: 'vector_layer', parent: 'root', display_name: 'Roads' },
    ...{ data: { source: 'roads.geojson', ...data }, feature_layer: { fields: list } },
  }
  const resources = { root: { existing: true, id: 0 }, roads }
  return writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: 'listed', resources }))
}

const planned = async () => {
  const { out } = await run('plan', 'm.yaml', '--allow-loss', 'roads')
  return out.split('\n').flatMap((line) => (line.startsWith('      ') ? [line.trim()] : []))
}

const leftOut = 'does not load the fields owner, note: not listed in feature_layer.fields'
const lacking = 'loads no values into the field width: not in the source'

it('a plan says which fields of the source a list leaves out, and which of the list the source lacks', async () => {
  await writeRoads(['2', '3'])
  const fields = { code: 'STRING', lanes: 'STRING', width: 'REAL' }
  await write(fields, { mode: 'replace' })
  expect(await planned()).toEqual(expect.arrayContaining([leftOut, lacking]))
  const { out } = await run('plan', 'm.yaml', '--json')
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly data?: object })
  expect(events.flatMap(({ data }) => data ?? [])).toMatchObject([
    { fields_left_out: ['owner', 'note'], fields_lacking: ['width'] },
  ])
  expect((await run('apply', 'm.yaml', '--yes')).exit).toBe(0)
  await writeRoads(['2', '3', '4'])
  expect(await planned()).toEqual(expect.arrayContaining([leftOut, lacking]))
  await write(fields, { mode: 'sync', key: 'code' })
  const lines = await planned()
  expect(lines).toEqual(expect.arrayContaining([leftOut, lacking]))
  expect(lines.join('\n')).toContain('synchronizes: 1 feature added')
})

it('a plan says that a changed datatype replaces the features of a synchronized layer', async () => {
  await writeRoads(['2', 'many'])
  const data = { mode: 'sync', key: 'code' }
  await write({ code: 'STRING', lanes: 'STRING' }, data)
  expect((await run('apply', 'm.yaml', '--yes', '--allow-loss', 'roads')).exit).toBe(0)
  await writeRoads(['2', '3'])
  await write({ code: 'STRING', lanes: 'INTEGER' }, data)
  const lines = await planned()
  expect(lines).toContain(
    'replaces instead of synchronizing, because the datatype of the field lanes changes: features get new ids',
  )
  // The value "many" of the server is replaced, not converted.
  expect(lines.join('\n')).not.toContain('cannot be converted')
  expect((await run('apply', 'm.yaml', '--yes')).out).toContain('1 updated')
  expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
})
