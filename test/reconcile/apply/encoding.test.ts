import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { loadPipeline } from '../../../src/pipeline/load_pipeline.ts'
import { runPipeline } from '../../../src/pipeline/run_pipeline.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { manifestOf, tell } from '../support/literals.ts'

/** A file with the name Москва in CP1251, which does not declare it. */
function writeCyrillic(path: string): Promise<void> {
  const [head = '', tail = ''] = geojson([{ geometry: point(1, 1), properties: { name: '@' } }]).split('@')
  const name = Buffer.from([0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0])
  return writeFile(path, Buffer.concat([Buffer.from(head), name, Buffer.from(tail)]))
}

describeServer('the encoding of a source', (start) => {
  let server: TestServer
  let api: Api
  let folder: string
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-encoding-'))
    await writeCyrillic(join(folder, 'towns.geojson'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })

  const names = async (id: number) =>
    (await openLayerClient(server).features(id)).map(({ fields }) => fields.name)

  describe.each([true, false])('in a manifest, atomic: %s', (atomic) => {
    const key = `towns_${atomic}`
    const path = () => join(folder, 'towns.geojson')
    const manifestWith = (options: object) =>
      manifestOf(
        {
          [key]: {
            cls: 'vector_layer',
            data: { path: path(), source: 'towns.geojson', options: { ...options } },
          },
        },
        key,
      )

    it('is named by the hint, and makes the strings readable', async () => {
      const [fault] = (await planManifest({ api, manifest: manifestWith({}) })).issues
      expect(fault).toMatchObject({
        code: expect.stringMatching(/^source\//),
        hint: expect.stringContaining('Set data.encoding to'),
      })
      const manifest = manifestWith({ encoding: 'CP1251' })
      await applyPlan({ api, plan: await planManifest({ api, manifest }), atomic })
      const next = await planManifest({ api, manifest })
      expect([tell(next), await names(next.ids.get(key) ?? 0)]).toEqual([[], ['Москва']])
    })
  })

  it('is named by the hint of a pipeline, and set there', async () => {
    const fields = [{ keyname: 'name', datatype: 'STRING' }]
    const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Piped', keyname: 'piped' }
    const own = { srs: { id: 3857 }, geometry_type: 'POINT', fields }
    const answer = await server.admin('POST', '/api/resource/', { resource, vector_layer: own })
    const { id } = await answer.json<{ id: number }>()
    const run = async (more: string) => {
      const yaml = `pipeline: towns\nfrom: { file: towns.geojson${more} }\nto: { layer: piped }\n`
      await writeFile(join(folder, 'towns.yaml'), yaml)
      const { pipeline } = await loadPipeline({ path: 'towns.yaml', cwd: folder, env: {} })
      if (pipeline === undefined) throw new Error(yaml)
      const { signal } = new AbortController()
      return runPipeline(pipeline, { api, tell: () => undefined, signal, force: false })
    }
    await expect(run('')).rejects.toMatchObject({ hint: expect.stringContaining('Set from.encoding to') })
    await run(', encoding: CP1251')
    expect(await names(id)).toEqual(['Москва'])
  })
})
