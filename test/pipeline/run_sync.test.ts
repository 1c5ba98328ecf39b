import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { formatRunReport } from '../../src/cli/print/run.ts'
import { loadPipeline } from '../../src/pipeline/load_pipeline.ts'
import type { LayerReport } from '../../src/pipeline/run_event.ts'
import { runPipeline } from '../../src/pipeline/run_pipeline.ts'
import { openLayerClient } from '../support/layer_client.ts'
import { uploadContent } from '../support/samples.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'

const header = 'name,lon,lat,pop\n'
const rows = (names: string) => header + [...names].map((name, at) => `${name},${at},50,5\n`).join('')

describeServer('a pipeline that synchronizes a layer by key', (start) => {
  let server: TestServer
  let api: Api
  let folder = ''
  let id = 0
  let keyname = ''
  let lossAllowed = ''
  let layers = 0
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-sync-run-'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    lossAllowed = ''
    layers += 1
    keyname = `synced_places_${layers}`
    const fields = [
      { keyname: 'name', datatype: 'STRING' },
      { keyname: 'pop', datatype: 'INTEGER' },
    ]
    const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name: keyname, keyname }
    const own = { srs: { id: 3857 }, geometry_type: 'POINT', fields }
    const answer = await server.admin('POST', '/api/resource/', { resource, vector_layer: own })
    id = (await answer.json<{ id: number }>()).id
  })

  async function run(csv: string, more = '', key = 'name'): Promise<LayerReport | undefined> {
    await writeFile(join(folder, 'places.csv'), csv)
    return runFrom('{ file: places.csv, geometry: { longitude: lon, latitude: lat } }', more, key)
  }

  async function runFrom(from: string, more: string, key: string): Promise<LayerReport | undefined> {
    const path = join(folder, 'pipeline.yaml')
    await writeFile(
      path,
      `pipeline: places
from: ${from}
to: { layer: ${keyname}, mode: sync, key: ${key}${lossAllowed} }
${more}`,
    )
    const { pipeline, issues } = await loadPipeline({ path, cwd: folder, env: {} })
    if (pipeline === undefined) throw new Error(JSON.stringify(issues))
    const { signal } = new AbortController()
    const report = await runPipeline(pipeline, { api, tell: () => undefined, signal, force: false })
    return report.layers[0]
  }

  const format = (report: LayerReport | undefined) =>
    formatRunReport({
      ...{ pipeline: 'places', run: '1', seconds: 1, outcome: 'loaded' },
      layers: report === undefined ? [] : [report],
    })

  const features = async () =>
    (await openLayerClient(server).features(id)).map(({ id: fid, fields }) => [fid, fields.name, fields.pop])

  it('accounts for every row, keeps ids, and does nothing if the source is unchanged', async () => {
    expect(await run(rows('ABCDEFGHIJK'))).toMatchObject({ read: 11, loaded: 11, unchanged: 0, before: 0 })
    const next = `${header}L,9,51,1\n${rows('ABCDEFGHIJ').slice(header.length).replace('B,1,50,5', 'B,1,50,6')}`
    expect(await run(next)).toMatchObject({ read: 11, loaded: 2, unchanged: 9, removed: 1, before: 11 })
    const found = await features()
    expect(found.slice(0, 3)).toEqual([
      [1, 'A', 5],
      [2, 'B', 6],
      [3, 'C', 5],
    ])
    expect(found.slice(9)).toEqual([
      [10, 'J', 5],
      [12, 'L', 1],
    ])
    expect(await run(next)).toMatchObject({ read: 11, loaded: 0, unchanged: 11 })
  })

  it('reverts edits, and leaves quarantined rows out', async () => {
    await run(rows('AB'))
    await server.admin('PUT', `/api/resource/${id}/feature/1`, { fields: { pop: 99 } })
    const report = await run(`${rows('AB')}C,2,50,many\n`, 'quarantine: { limit: 1 }')
    expect(report).toMatchObject({ read: 3, loaded: 1, unchanged: 1, quarantined: 1 })
    expect(await features()).toEqual([
      [1, 'A', 5],
      [2, 'B', 5],
    ])
  })

  it.each(['name', '[name, pop]'])(
    'keeps the features of rows that have become bad, by key %s',
    async (key) => {
      await run(rows('ABCDEFGHIJKLMNOPQRST'), '', key)
      const next = rows('ABCDEFGHIJKLMNOPQRST')
        .replace('B,1,', 'B,east,')
        .replace(/^C.*\n/m, '')
      const report = await run(next, 'quarantine: { limit: 1 }', key)
      expect(report).toMatchObject({ read: 19, loaded: 0, unchanged: 18, removed: 1, quarantined: 1 })
      expect(report?.kept).toEqual({ count: 1, unreadKeys: 0 })
      expect(format(report)).toContain('1 feature kept whose row is bad')
      expect((await features()).slice(0, 3)).toEqual([
        [1, 'A', 5],
        [2, 'B', 5],
        [4, 'D', 5],
      ])
      expect(await run(next, 'quarantine: { limit: 1 }', key)).toMatchObject({ read: 19, loaded: 0 })
    },
  )

  it.each([
    ['is empty', ',east,50,5'],
    ['is lost in a row with fewer cells', 'B,1'],
  ])('keeps all features without a row if the key of a bad row %s', async (_, bad) => {
    await run(rows('ABCD'))
    const next = rows('ABCD')
      .replace('B,1,50,5', bad)
      .replace(/^C.*\n/m, '')
    const report = await run(next, 'quarantine: { limit: 1 }')
    expect(report).toMatchObject({ read: 3, unchanged: 2, quarantined: 1, kept: { count: 2 } })
    expect(report?.removed).toBeUndefined()
    expect(format(report)).toContain('2 features kept, since the key of 1 bad row is unknown')
    expect(await features()).toHaveLength(4)
  })

  it('refuses to delete attachments and descriptions with their features, unless that is allowed', async () => {
    await run(rows('ABCDEFGHIJKLMNOPQRST'))
    const path = `/api/resource/${id}/feature/2`
    const { id: upload } = await uploadContent(server.admin, 'photo')
    await server.admin('POST', `${path}/attachment/`, { name: 'a.jpg', file_upload: { id: upload } })
    await server.admin('PUT', path, { extensions: { description: 'By hand.' } })
    await server.admin('PUT', `${path.slice(0, -1)}3`, { extensions: { description: 'Stays.' } })
    const next = rows('ABCDEFGHIJKLMNOPQRST').replace(/^B.*\n/m, '')
    await expect(run(next)).rejects.toMatchObject({
      code: 'data/loss',
      message: `"${keyname}" would lose data: 1 of 20 features, 1 attachment, 1 feature description. Nothing was loaded.`,
    })
    expect(await features()).toHaveLength(20)
    lossAllowed = ', allow_loss: true'
    const report = await run(next)
    expect(report).toMatchObject({ removed: 1, removedAttachments: 1, removedDescriptions: 1, unchanged: 19 })
    expect(format(report)).toContain('1 feature removed with 1 attachment and 1 description')
    expect(await run(next.replace(/^A.*\n/m, ''))).toMatchObject({ removed: 1, unchanged: 18 })
  })

  it.each([
    ['loses more features than allowed', rows('A'), '', 'data/loss', '3 of 4 features'],
    [
      'has lost a column',
      rows('ABCD').replaceAll(/,[^,\n]*\n/g, '\n'),
      '',
      'data/loss',
      'field pop (4 values)',
    ],
    ['has two rows with one key', rows('ABCDA'), '', 'data/key', 'the key name "A"'],
    [
      'has a row without a key',
      `${rows('ABCD')},9,50,5\n`,
      '',
      'data/key',
      'no value in the key field "name"',
    ],
    ['has too many bad rows', `${rows('ABCD')}E,9,50,x\n`, '', 'pipeline/quarantine', '1 of 5 rows'],
    ['has too few rows', rows('ABCD'), 'check: { rows: { minimum: 5 } }', 'pipeline/rows', 'fewer than'],
  ])('changes nothing if the source %s', async (_, csv, more, code, words) => {
    await run(rows('ABCD'))
    const before = await features()
    await expect(run(csv, more)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
    expect(await features()).toEqual(before)
  })

  it('reports the version of data whose features and geometry type change', async () => {
    const synchronize = async (geometries: readonly object[]) => {
      const features = geometries.map((geometry, at) => ({
        ...{ type: 'Feature', properties: { name: `${at}`, pop: at }, geometry },
      }))
      await writeFile(join(folder, 'places.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
      return runFrom('{ file: places.geojson }', '', 'name')
    }
    const point = { type: 'Point', coordinates: [1, 2] }
    await synchronize([point])
    const report = await synchronize([point, { type: 'MultiPoint', coordinates: [[3, 4]] }])
    const { vector_layer: layer } = await (await server.admin('GET', `/api/resource/${id}`)).json<{
      vector_layer: { geometry_type: string; data_version: number }
    }>()
    expect([layer.geometry_type, report?.dataVersion]).toEqual(['MULTIPOINT', layer.data_version])
  })

  it('refuses a key that is not a field of the layer', async () => {
    await expect(run(rows('AB'), '', '[name, pops]')).rejects.toMatchObject({
      code: 'data/key',
      message: 'The layer has no field "pops".',
      hint: 'did you mean "pop"?',
    })
  })
})
