import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import type { Manifest, WantedData } from '../../src/manifest/manifest.ts'
import { applyPlan } from '../../src/reconcile/apply.ts'
import type { Plan } from '../../src/reconcile/change.ts'
import { safeOptions } from '../../src/reconcile/input.ts'
import type { Report } from '../../src/reconcile/outcome.ts'
import { planManifest } from '../../src/reconcile/read.ts'
import { startProxy } from '../api/proxy.ts'
import { openAttachments } from '../support/attachments.ts'
import { listFeatureTables } from '../support/import.ts'
import { openLayerClient } from '../support/layer_client.ts'
import { adminPassword, describeServers, type TestServer } from '../support/server.ts'
import { geojson, point } from '../support/vector.ts'
import { manifestOf, tell } from './support/literals.ts'

const credentials = { login: 'administrator', password: adminPassword }

describeServers('a source that would take data away', (start) => {
  let server: TestServer
  let api: Api
  let folder: string
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials })
    folder = await mkdtemp(join(tmpdir(), 'landform-losses-'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })

  let count = 0
  let key = ''
  let path = ''
  beforeEach(async () => {
    count += 1
    key = `lossy_${count}`
    path = join(folder, `${key}.geojson`)
    await write(20)
  })

  const write = (features: number, fields = ['name', 'lanes']) =>
    writeFile(
      path,
      geojson(
        Array.from({ length: features }, (_, at) => ({
          geometry: point(at / 10, 1),
          properties: Object.fromEntries(fields.map((name) => [name, name === 'name' ? `n${at}` : at])),
        })),
      ),
    )

  interface Wish {
    readonly data?: Partial<WantedData>
    readonly fields?: readonly string[]
  }

  const manifest = ({ data, fields }: Wish = {}): Manifest => {
    const list = fields?.map((keyname) => ({ keyname, datatype: keyname === 'name' ? 'STRING' : 'INTEGER' }))
    const members = list === undefined ? {} : { feature_layer: { fields: list } }
    const whole = { path, source: path, options: {}, ...data }
    return manifestOf({ [key]: { cls: 'vector_layer', data: whole, members } }, key)
  }

  const plan = (wish?: Wish, options = safeOptions): Promise<Plan> =>
    planManifest({ api, manifest: manifest(wish), options })

  const features = async ({ ids }: Plan) => openLayerClient(server).features(ids.get(key) ?? 0)

  describe.each([
    ['in one transaction', true],
    ['request by request', false],
  ] as const)('is refused %s', (_, atomic) => {
    const apply = async (planned: Plan): Promise<Report> => applyPlan({ api, plan: planned, atomic })
    const load = async () => {
      await apply(await plan())
      return plan()
    }

    it('where it has far fewer features, with the counts, and nothing changes', async () => {
      const loaded = await load()
      const tables = await listFeatureTables(server.database)
      await write(3)
      const planned = await plan()
      expect(planned.changes[0]?.data).toMatchObject({ before: 20, reason: 'source changed' })
      const { outcomes } = await apply(planned)
      expect(outcomes).toMatchObject([
        {
          outcome: 'failed',
          problem: { code: 'data/loss', data: { layer: key, before: 20, after: 3, lost_fields: [] } },
        },
      ])
      expect(outcomes[0]?.problem?.message).toBe(
        `"${key}" would lose data: 20 → 3 features. Nothing was loaded.`,
      )
      expect(await features(loaded)).toHaveLength(20)
      expect(await listFeatureTables(server.database)).toEqual(tables)
    })

    it('where it has none, or no longer has a field with values', async () => {
      const loaded = await load()
      await write(0)
      const cast = { options: { cast_geometry_type: 'POINT' } }
      const [emptied] = (await apply(await plan({ data: cast }))).outcomes
      expect(emptied?.problem?.message).toContain('20 → 0 features')
      await write(20, ['name'])
      const [narrowed] = (await apply(await plan())).outcomes
      expect(narrowed?.problem?.message).toContain('would lose data: field lanes (20 values).')
      // The manifest lists the field still: it would stay, without values.
      const [listed] = (await apply(await plan({ fields: ['name', 'lanes'] }))).outcomes
      expect(listed?.problem?.message).toContain('field lanes (20 values)')
      expect((await features(loaded))[19]?.fields).toEqual({ name: 'n19', lanes: 19 })
    })

    it('where features have attachments that the new ones would not have', async () => {
      const loaded = await load()
      const attachments = openAttachments(server.admin, loaded.ids.get(key) ?? 0, 2)
      await attachments.attach('a photo')
      await write(21)
      const [refused] = (await apply(await plan())).outcomes
      expect(refused?.problem?.message).toContain('would lose data: 1 attachment.')
      expect(await attachments.list()).toHaveLength(1)
    })

    it('where somebody edits the data between the plan and the load', async () => {
      const loaded = await load()
      await write(21)
      const planned = await plan()
      const path = `/api/resource/${loaded.ids.get(key)}/feature/1`
      await server.admin('PUT', path, { fields: { name: 'meanwhile' } })
      expect((await apply(planned)).outcomes[0]?.problem?.code).toBe('apply/stale')
      expect((await features(loaded))[0]?.fields.name).toBe('meanwhile')
      expect((await plan()).issues.map(({ code }) => code)).toEqual(['plan/data-edited'])
    })

    it.each<[string, Wish, Partial<typeof safeOptions>]>([
      ['by key', {}, {}],
      ['in the manifest', { data: { allowLoss: true } }, {}],
    ])('unless the loss is allowed %s, and then tells the counts', async (how, wish, options) => {
      await load()
      await write(3, ['name'])
      const allowLoss = new Set(how === 'by key' ? [key] : [])
      const report = await apply(await plan(wish, { ...safeOptions, ...options, allowLoss }))
      expect(report.outcomes).toMatchObject([
        { outcome: 'updated', before: 20, report: { feature_count: 3 } },
      ])
      const next = await plan(wish)
      expect([tell(next), await features(next)]).toEqual([[], expect.objectContaining({ length: 3 })])
    })

    it('unless the manifest drops the field itself, or the fuse is wide enough', async () => {
      await load()
      await write(20, ['name'])
      const [dropped] = (await apply(await plan({ fields: ['name'] }))).outcomes
      expect(dropped?.outcome).toBe('updated')
      await write(15, ['name'])
      const wide = await plan({ fields: ['name'] }, { ...safeOptions, fuse: 0.25 })
      expect((await apply(wide)).outcomes[0]).toMatchObject({ outcome: 'updated', before: 20 })
    })
  })

  it('is refused in the plan where the server does not count it before it loads it', async () => {
    await applyPlan({ api, plan: await plan() })
    const proxy = await startProxy({
      target: server.url,
      decide: (_, to) => (to.startsWith('/api/component/landform/') ? 'unknown' : 'pass'),
    })
    const foreign = createApi({ url: proxy.url, credentials })
    await write(19)
    const planned = await planManifest({ api: foreign, manifest: manifest() })
    expect(planned.issues.map(({ code }) => code)).toEqual(['data/loss'])
    const options = { ...safeOptions, allowLoss: new Set([key]) }
    const allowed = await planManifest({ api: foreign, manifest: manifest(), options })
    expect((await applyPlan({ api: foreign, plan: allowed })).outcomes[0]?.outcome).toBe('updated')
    await foreign.close()
    await proxy.close()
  })
})
