import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorEnv, describeServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const execute = promisify(execFile)

const roads = (names: readonly string[]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: names.map((name, at) => ({
      type: 'Feature',
      properties: { name },
      geometry: { type: 'LineString', coordinates: [...[[at, 0]], [at + 1, 1]] },
    })),
  })

const manifest = `manifest: city
resources:
  root: { existing: true, id: 0 }
  roads: { cls: vector_layer, parent: root, display_name: Roads, data: { source: roads.shp } }
  lines: { cls: vector_layer, parent: root, display_name: Lines, data: { source: lines.tab } }
`

describeServer('sources of several files', (start) => {
  let server: TestServer
  let cwd: string
  const run = (words: string) => {
    const env = administratorEnv(server.url)
    return runCommand(words.split(' '), { cwd, env })
  }
  const convert = async (names: readonly string[]) => {
    await writeFile(join(cwd, 'roads.geojson'), roads(names))
    await execute('ogr2ogr', ['-f', 'ESRI Shapefile', 'roads.shp', 'roads.geojson', '-overwrite'], { cwd })
  }

  beforeAll(async () => {
    server = await start()
    cwd = await mkdtemp(join(tmpdir(), 'landform-parts-'))
    await convert(['North', 'South'])
    await execute('ogr2ogr', ['-f', 'MapInfo File', 'lines.tab', 'roads.geojson'], { cwd })
    await writeFile(join(cwd, 'city.yaml'), manifest)
  })
  afterAll(() => rm(cwd, { recursive: true, force: true }))

  test('are loaded with all of them, and again if any of them has changed', async () => {
    const applied = await run('apply city.yaml --yes')
    expect([applied.exit, applied.out]).toEqual([
      0,
      expect.stringMatching(/2 created\.\n(.|\n)*roads: 2 features loaded(.|\n)*/),
    ])
    expect(applied.out).toContain('lines: 2 features loaded')
    expect((await run('data head roads')).out).toMatch(/North(.|\n)*South/)
    expect((await run('plan city.yaml')).out).toContain('0 changes')
    const shapes = await readFile(join(cwd, 'roads.shp'))
    await convert(['North', 'East'])
    expect(await readFile(join(cwd, 'roads.shp'))).toEqual(shapes)
    expect((await run('plan city.yaml')).out).toMatch(/replaces 2 features with 2: the source has changed/)
    expect((await run('apply city.yaml --yes')).exit).toBe(0)
    expect((await run('data head roads')).out).toContain('East')
    expect((await run('plan city.yaml')).out).toContain('0 changes')
  })

  test('are refused with their place in the manifest if a file is missing', async () => {
    await rename(join(cwd, 'roads.dbf'), join(cwd, 'away'))
    const { exit, out } = await run('validate city.yaml')
    await rename(join(cwd, 'away'), join(cwd, 'roads.dbf'))
    expect([exit, out]).toEqual([
      3,
      expect.stringMatching(
        /^city\.yaml:4:\d+ error file\/not-found: .*is part of a Shapefile, and its \.dbf is missing\n(.|\n)*put it next to the \.shp file/,
      ),
    ])
  })

  test('are compared by key', async () => {
    const synced = manifest.replace('source: roads.shp', 'source: roads.shp, mode: sync, key: name')
    await writeFile(join(cwd, 'city.yaml'), synced)
    expect((await run('apply city.yaml --yes')).exit).toBe(0)
    await convert(['North', 'East', 'West'])
    const applied = await run('apply city.yaml --yes')
    expect([applied.exit, applied.out]).toEqual([
      0,
      expect.stringContaining('roads: 1 feature added, 2 unchanged'),
    ])
    expect((await run('plan city.yaml')).out).toContain('0 changes')
  })
})
