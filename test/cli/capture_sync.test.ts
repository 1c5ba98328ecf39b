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
  cwd = await mkdtemp(join(tmpdir(), 'landform-capture-sync-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })

/** Writes the source with a number of stops, without the field `use` if told so. */
async function writeStops(count: number, { use }: { readonly use: boolean }): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => ({
    properties: { code: `S${at}`, ...(use ? { use: at } : {}) },
    geometry: point(at, 1),
  }))
  await writeFile(join(cwd, 'stops.geojson'), geojson(rows))
}

it('refuses losses of layers with mode: sync in a plan from a capture', async () => {
  await writeStops(30, { use: true })
  const manifest = `manifest: town
resources:
  root: { existing: true, id: 0 }
  stops:
    cls: vector_layer
    parent: root
    display_name: Stops
    data: { source: stops.geojson, mode: sync, key: code }
`
  await writeFile(join(cwd, 'town.yaml'), manifest)
  expect((await run('apply', 'town.yaml', '--yes')).exit).toBe(0)
  expect((await run('capture', '--out', 'town.capture')).exit).toBe(0)
  const plan = async () => {
    const { exit, out, err } = await run('plan', 'town.yaml', '--from', 'town.capture')
    return [exit, `${err}${out}`]
  }
  await writeStops(11, { use: true })
  const fewer = '30 → 11 features'
  expect(await plan()).toEqual([
    1,
    expect.stringContaining(`error data/loss: "stops" would lose data: ${fewer}\n`),
  ])
  expect((await plan())[1]).toContain(`synchronizes: ${fewer}, not compared`)
  await writeStops(30, { use: false })
  expect(await plan()).toEqual([
    1,
    expect.stringContaining('error data/loss: "stops" would lose data: field use (30 values)\n'),
  ])
  await writeStops(29, { use: true })
  expect(await plan()).toEqual([0, expect.stringContaining('synchronizes: 30 → 29 features, not compared')])
})
