import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { formatManager, formatSource } from '../../src/contract/markers.ts'
import { loadPipeline } from '../../src/pipeline/load_pipeline.ts'
import type { RunReport } from '../../src/pipeline/run_event.ts'
import { runPipeline } from '../../src/pipeline/run_pipeline.ts'
import { startProxy } from '../api/proxy.ts'
import { listFeatureTables } from '../support/import.ts'
import { openLayerClient } from '../support/layer_client.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { geojson, point } from '../support/vector.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-run-'))
})
afterAll(() => rm(folder, { recursive: true }))

const good = 'name,lon,lat,pop\nÄ,10,50,5\nB,11,51,6\n'
const header = 'name,lon,lat,pop\n'

const fields = [
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'pop', datatype: 'INTEGER' },
]

describeServer('a pipeline', (start) => {
  let server: TestServer
  let api: Api
  let id = 0
  let keyname = ''

  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
  })
  afterAll(() => api.close())

  let layers = 0
  beforeEach(async () => {
    layers += 1
    keyname = `places_${layers}`
    const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name: keyname, keyname }
    const own = { srs: { id: 3857 }, geometry_type: 'POINT', fields }
    const answer = await server.admin('POST', '/api/resource/', { resource, vector_layer: own })
    id = (await answer.json<{ id: number }>()).id
  })

  interface How {
    readonly force?: boolean
    readonly take?: ReadonlySet<string>
  }

  async function run(yaml: string, { force = false, ...more }: How = {}): Promise<RunReport> {
    const path = join(folder, 'pipeline.yaml')
    await writeFile(path, yaml)
    const { pipeline, issues } = await loadPipeline({ path, cwd: folder, env: {} })
    if (pipeline === undefined) throw new Error(JSON.stringify(issues))
    const { signal } = new AbortController()
    return runPipeline(pipeline, { api, tell: () => undefined, signal, force, ...more })
  }

  async function load(
    csv: string | Uint8Array,
    more = '',
    { from = 'csv: {}', ...how }: How & { readonly from?: string } = {},
  ): Promise<RunReport> {
    await writeFile(join(folder, 'places.csv'), csv)
    return run(
      `pipeline: places
from: { file: places.csv, geometry: { longitude: lon, latitude: lat }, ${from} }
to: { layer: ${keyname}, mode: replace }
${more}`,
      how,
    )
  }

  /** Marks the layer as managed by a manifest, which loaded its data if there is a digest. */
  const mark = async (digest: string | undefined) => {
    const source = digest === undefined ? {} : { 'landform.source': formatSource({ digest, version: 1 }) }
    const items = { 'landform.manager': formatManager({ manifest: 'city', id }), ...source }
    await server.admin('PUT', `/api/resource/${id}`, { resmeta: { items } })
  }

  const names = async () => (await openLayerClient(server).features(id)).map((one) => one.fields.name)

  describe('an import', () => {
    it('accounts for every row, and does nothing if the source is unchanged', async () => {
      expect(await load(good)).toMatchObject({
        outcome: 'loaded',
        layers: [{ layer: keyname, read: 2, loaded: 2, unchanged: 0, quarantined: 0 }],
      })
      expect(await names()).toEqual(['Ä', 'B'])
      expect(await load(good)).toMatchObject({
        outcome: 'unchanged',
        layers: [{ read: 2, loaded: 0, unchanged: 2 }],
      })
    })

    it('is refused before anything is sent where a manifest loads the data, unless taken', async () => {
      await mark('a'.repeat(64))
      await expect(load(good)).rejects.toMatchObject({
        code: 'data/managed',
        message: `The manifest "city" loads the data of "${keyname}" with data:. Nothing was loaded.`,
        hint: expect.stringContaining(`--take ${keyname}`),
      })
      expect(await names()).toEqual([])
      expect((await load(good, '', { take: new Set([keyname]) })).outcome).toBe('loaded')
      expect((await load(`${good}C,12,52,7\n`)).outcome).toBe('loaded')
    })

    it.each(['csv', 'geojson'])('fills a layer that a manifest only creates from %s', async (format) => {
      await mark(undefined)
      for (const edition of [1, 2]) {
        const path = join(folder, `only.${format}`)
        const csv = `${header}A,${edition},50,5\n`
        const feature = { geometry: point(edition, 50), properties: { name: 'A', pop: 5 } }
        await writeFile(path, format === 'csv' ? csv : geojson([feature]))
        const geometry = format === 'csv' ? ', geometry: { longitude: lon, latitude: lat }' : ''
        const yaml = `pipeline: only\nfrom: { file: only.${format}${geometry} }\nto: { layer: ${keyname} }\n`
        expect((await run(yaml)).outcome).toBe('loaded')
      }
    })

    it('quarantines bad rows with line and reason', async () => {
      const report = await load(
        `${good}C,abc,51,6\nD,11,51,six\n`,
        'quarantine: { file: bad.ndjson, limit: 2 }',
      )
      expect(report.layers).toMatchObject([{ read: 4, loaded: 2, quarantined: 2 }])
      const bad = (await readFile(join(folder, 'bad.ndjson'), 'utf8')).trim().split('\n')
      expect(bad.map((line) => JSON.parse(line))).toEqual([
        { line: 4, reason: 'longitude: "abc" is not a finite number', cells: ['C', 'abc', '51', '6'] },
        { line: 5, reason: expect.stringContaining('"six"'), cells: ['D', '11', '51', 'six'] },
      ])
    })

    it('leaves rows with invalid bytes in the quarantine, or reads the encoding that is set', async () => {
      const latin = Buffer.from(good, 'latin1')
      const limit = 'quarantine: { file: bad.ndjson, limit: 1 }'
      expect((await load(latin, limit)).layers).toMatchObject([{ read: 2, loaded: 1, quarantined: 1 }])
      const bad = JSON.parse(await readFile(join(folder, 'bad.ndjson'), 'utf8'))
      expect(bad).toMatchObject({ line: 2, reason: 'name: is not UTF-8' })
      expect(await names()).toEqual(['B'])
      await load(latin, '', { from: 'encoding: ISO-8859-1' })
      expect(await names()).toEqual(['Ä', 'B'])
    })

    it('reads a file that only the server reads in the encoding that is set', async () => {
      const place = geojson([{ geometry: point(1, 2), properties: { name: 'Ä', pop: 1 } }])
      await writeFile(join(folder, 'places.geojson'), Buffer.from(place, 'latin1'))
      const yaml = (encoding: string) =>
        `pipeline: places\nfrom: { file: places.geojson${encoding} }\nto: { layer: ${keyname} }\n`
      await expect(run(yaml(''))).rejects.toMatchObject({ code: expect.stringMatching(/^source\//) })
      await run(yaml(', encoding: ISO-8859-1'))
      expect(await names()).toEqual(['Ä'])
    })

    it('changes nothing if there are too many bad rows or an unclosed quote', async () => {
      await load(good)
      await expect(load(`${good}C,abc,51,6\n`)).rejects.toMatchObject({ code: 'pipeline/quarantine' })
      await expect(load(`${good}"C,1,51,6\n`)).rejects.toMatchObject({
        code: 'source/unreadable',
        message: expect.stringContaining('line 4 has an unclosed quote'),
      })
      expect(await names()).toEqual(['Ä', 'B'])
    })

    it('refuses an empty file, unless loss is allowed', async () => {
      await load(good)
      await expect(load('')).rejects.toMatchObject({ code: 'source/unreadable' })
      await expect(load(header)).rejects.toMatchObject({ code: 'data/loss' })
      expect(await names()).toEqual(['Ä', 'B'])
      expect(await load(header, 'check: { rows: { minimum: 0 } }')).toMatchObject({
        outcome: 'loaded',
        layers: [{ read: 0, loaded: 0 }],
      })
      expect(await names()).toEqual([])
    })

    it('refuses a table without a column of the layer, unless loss is allowed', async () => {
      await load(good)
      const narrow = good.replaceAll(/,(pop|\d)$/gm, '')
      await expect(load(narrow)).rejects.toMatchObject({
        code: 'data/loss',
        data: { before: 2, after: 2, lost_fields: [{ keyname: 'pop', value_count: 2 }] },
      })
      const pops = async () => (await openLayerClient(server).features(id)).map((one) => one.fields.pop)
      expect(await pops()).toEqual([5, 6])
      const allowed = narrow.replaceAll('Ä', 'C')
      await writeFile(join(folder, 'places.csv'), allowed)
      const [layer] = (
        await run(
          `pipeline: places\nfrom: { file: places.csv, geometry: { longitude: lon, latitude: lat } }\nto: { layer: ${keyname}, allow_loss: true }\n`,
        )
      ).layers
      expect([layer?.before, layer?.loaded, await pops()]).toEqual([2, 2, [null, null]])
    })

    it('refuses a loss before any change on servers without prepared sources, too', async () => {
      await load(good)
      const direct = api
      const proxy = await startProxy({
        target: server.url,
        decide: (_, path) => (path.startsWith('/api/component/core/route') ? 'unknown' : 'pass'),
      })
      api = createApi({ url: proxy.url, credentials: { login: 'administrator', password: adminPassword } })
      const refused = load(good.replaceAll(/,(pop|\d)$/gm, ''))
      await expect(refused).rejects.toMatchObject({ code: 'data/loss' })
      await api.close()
      api = direct
      await proxy.close()
      expect(await names()).toEqual(['Ä', 'B'])
    })

    it('loads only the fields of the layer from a file that the server reads, and nothing if it is refused', async () => {
      const features = [{ geometry: point(1, 2), properties: { id: 7, name: 'a', pop: 1 } }]
      const pipeline = `pipeline: file\nfrom: { file: places.geojson }\nto: { layer: ${keyname} }\n`
      await writeFile(join(folder, 'places.geojson'), geojson(features))
      const [loaded] = (await run(pipeline)).layers
      expect(loaded).toMatchObject({ read: 1, loaded: 1 })
      expect(loaded?.notes).toBeUndefined()
      const before = await listFeatureTables(server.database)
      const bad = [...features, { geometry: null, properties: { name: 'b' } }]
      await writeFile(join(folder, 'places.geojson'), geojson(bad))
      await expect(run(pipeline)).rejects.toMatchObject({ code: 'source/bad-features' })
      expect(await names()).toEqual(['a'])
      expect(await listFeatureTables(server.database)).toEqual(before)
    })
  })

  describe('an export', () => {
    const write = (force = false) =>
      run(`pipeline: out\nfrom: { layers: [${keyname}] }\nto: { folder: ${keyname} }\n`, { force })

    it('writes the features with a checksum, and does nothing if the layer is unchanged', async () => {
      await load(good)
      const [layer] = (await write()).layers
      expect(layer).toMatchObject({ read: 2, loaded: 2 })
      const manifest = JSON.parse(await readFile(join(folder, keyname, 'manifest.json'), 'utf8'))
      expect(manifest.files).toMatchObject([{ features: 2, sha256: layer?.digest }])
      expect((await write()).outcome).toBe('unchanged')
    })

    it('writes an empty layer once, and reports it', async () => {
      expect(await write()).toMatchObject({ outcome: 'exported', layers: [{ read: 0, loaded: 0 }] })
      expect((await readdir(join(folder, keyname))).sort()).toEqual(['manifest.json', `${keyname}.geojson`])
      expect((await write()).outcome).toBe('unchanged')
      expect((await write(true)).outcome).toBe('exported')
    })
  })
})
