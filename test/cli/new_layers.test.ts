import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorEnv, describeServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const source = (geometry: object) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { use: 'R' }, geometry }],
  })
const point = { type: 'Point', coordinates: [1, 2] }
const line = {
  type: 'LineString',
  coordinates: [
    [1, 2],
    [3, 4],
  ],
}

describeServer('layers with data', (start) => {
  let server: TestServer
  let cwd: string
  const run = (words: string) => {
    const env = administratorEnv(server.url)
    return runCommand(words.split(' '), { cwd, env })
  }
  const write = (manifest: string, ...resources: readonly string[]) => {
    const lines = [`manifest: ${manifest}`, 'resources:', '  root: { existing: true, id: 0 }', ...resources]
    return writeFile(join(cwd, `${manifest}.yaml`), `${lines.join('\n')}\n`)
  }

  beforeAll(async () => {
    server = await start()
    cwd = await mkdtemp(join(tmpdir(), 'landform-layers-'))
    await writeFile(join(cwd, 'plots.geojson'), source(point))
  })
  afterAll(() => rm(cwd, { recursive: true, force: true }))

  test('are created after the lookup table of their field, whatever their keys', async () => {
    await write(
      'city',
      '  a_plots:',
      '    cls: vector_layer',
      '    parent: root',
      '    display_name: Plots',
      '    data: { source: plots.geojson }',
      '    feature_layer: { fields: [{ keyname: use, datatype: STRING, lookup_table: b_uses }] }',
      '  b_uses: { cls: lookup_table, parent: root, display_name: Uses, lookup_table: { items: { R: Residential } } }',
    )
    const applied = await run('apply city.yaml --yes')
    expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('2 created')])
    expect((await run('plan city.yaml')).out).toContain('0 changes')
  })

  test('are refused in the plan if they will not have the key of their data', async () => {
    const data = '{ source: plots.geojson, mode: sync, key: usse }'
    const layer = `{ cls: vector_layer, parent: root, display_name: Keyed, data: ${data} }`
    await write('keyed', `  keyed: ${layer}`)
    const { exit, err } = await run('plan keyed.yaml')
    expect([exit, err]).toEqual([
      3,
      expect.stringMatching(
        /keyed\.yaml:4:\d+ error data\/key: "keyed" will have no field "usse"\n(.|\n)*did you mean "use"\?/,
      ),
    ])
  })

  test('are replaced only on request if the source has other geometries', async () => {
    await writeFile(join(cwd, 'lines.geojson'), source(point))
    await write(
      'lines',
      '  lines: { cls: vector_layer, parent: root, display_name: Lines, data: { source: lines.geojson } }',
    )
    expect((await run('apply lines.yaml --yes')).exit).toBe(0)
    await writeFile(join(cwd, 'lines.geojson'), source(line))
    const planned = await run('plan lines.yaml')
    expect([planned.exit, planned.err]).toEqual([
      1,
      expect.stringMatching(
        /error plan\/replace: cannot change "lines" in place: the source has geometry type LINESTRING, the layer POINT\n(.|\n)*use --replace lines/,
      ),
    ])
    const replaced = await run('apply lines.yaml --replace lines --allow-delete lines --yes')
    expect([replaced.exit, replaced.out]).toEqual([0, expect.stringContaining('1 replaced')])
    expect((await run('data head lines')).out).toContain('LINESTRING')
    expect((await run('plan lines.yaml')).out).toContain('0 changes')
  })

  test('get the geometry type of their source, and the plan says why', async () => {
    const rows = (...geometries: readonly (readonly number[][])[]) => {
      const features = geometries.map((coordinates, at) => ({
        type: 'Feature',
        properties: { code: `k${at}` },
        geometry:
          coordinates.length === 2
            ? { type: 'LineString', coordinates }
            : { type: 'MultiLineString', coordinates: [coordinates.slice(0, 2), coordinates.slice(2)] },
      }))
      return writeFile(join(cwd, 'ways.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
    }
    const first = line.coordinates
    const second = first.map(([x = 0, y = 0]) => [x + 4, y + 4])
    await rows(first, second)
    const layer = (key: string, mode: string) =>
      `  ${key}: { cls: vector_layer, parent: root, display_name: ${key}, data: { source: ways.geojson${mode} } }`
    await write('ways', layer('whole', ''), layer('synced', ', mode: sync, key: code'))
    expect((await run('apply ways.yaml --yes')).exit).toBe(0)
    await rows(first, [...second, [9, 9], [10, 10]])
    const planned = await run('plan ways.yaml')
    const reason =
      /vector_layer\.geometry_type {2}"LINESTRING" → "MULTILINESTRING" {2}\(the source has multi-part/g
    expect(planned.out.match(reason)).toHaveLength(2)
    expect(planned.out).toContain('synchronizes: 1 feature changed, 1 unchanged')
    expect((await run('apply ways.yaml --yes')).exit).toBe(0)
    expect((await run('plan ways.yaml')).out).toContain('0 changes')
    await rows([...first.map((position) => [...position, 5])], second)
    const raised = await run('plan ways.yaml')
    expect(raised.out).toContain('"MULTILINESTRING" → "MULTILINESTRINGZ"  (the source has Z values)')
    expect(raised.out).toContain('synchronizes: 2 features changed')
    await rows(first, second)
    expect((await run('apply ways.yaml --yes')).out).toContain('synchronizes: 1 feature changed, 1 unchanged')
    expect((await run('plan ways.yaml')).out).toContain('0 changes')
    await writeFile(join(cwd, 'ways.geojson'), source(point).replace('use', 'code'))
    const { err } = await run('plan ways.yaml')
    expect(err.match(/plan\/replace: cannot change "(whole|synced)" in place/g)).toHaveLength(2)
    const words =
      'apply ways.yaml --replace whole --replace synced --allow-delete whole --allow-delete synced --yes'
    const replaced = await run(words)
    expect([replaced.exit, replaced.out]).toEqual([0, expect.stringContaining('2 replaced')])
  })
})
