import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest, WantedData } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Report } from '../../../src/reconcile/apply/outcome.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { startProxy } from '../../api/proxy.ts'
import { openAttachments } from '../../support/attachments.ts'
import { listFeatureTables } from '../../support/import.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { manifestOf, tell } from '../support/literals.ts'

const credentials = { login: 'administrator', password: adminPassword }

describeServer('a source that would lose data', (start) => {
  let server: TestServer
  let api: Api
  let folder: string
  const open: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials })
    folder = await mkdtemp(join(tmpdir(), 'landform-losses-'))
  })
  afterAll(async () => {
    for (const one of open.reverse()) await one.close()
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

  const write = (features: number, fields = ['name', 'lanes'], more = '') =>
    writeFile(
      path,
      geojson(
        Array.from({ length: features }, (_, at) => ({
          geometry: point(at / 10, 1),
          properties: Object.fromEntries(
            fields.map((name) => [name, name === 'name' ? `n${at}${more}` : at]),
          ),
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

  const stale = (effect: string, feature: number) => ({
    code: 'apply/stale',
    message: expect.stringMatching(
      RegExp(
        `^The data of "${key}", which the plan ${effect}, were changed on the server since the plan was made \\(feature ${feature}\\), last by administrator at .* UTC\\.$`,
      ),
    ),
  })

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

    /** A source that is written anew when the plan has been made is looked at by the server alone. */
    const applyLate = async (wish: Wish, writeLate: () => Promise<void>) => {
      await write(20, undefined, 'again')
      const planned = await plan(wish)
      expect(planned.issues).toEqual([])
      await writeLate()
      return (await apply(planned)).outcomes[0]
    }

    it('if it has far fewer features, with the counts, and nothing changes', async () => {
      const loaded = await load()
      const tables = await listFeatureTables(server.database)
      const refused = await applyLate({}, () => write(3))
      expect(refused).toMatchObject({
        outcome: 'failed',
        problem: { code: 'data/loss', data: { layer: key, before: 20, after: 3, lost_fields: [] } },
      })
      expect(refused?.problem?.message).toBe(`"${key}" would lose data: 20 → 3 features. Nothing was loaded.`)
      expect(await features(loaded)).toHaveLength(20)
      expect(await listFeatureTables(server.database)).toEqual(tables)
    })

    it('if it has no features, or lacks a field with values', async () => {
      const loaded = await load()
      const cast = { data: { options: { cast_geometry_type: 'POINT' } } }
      const emptied = await applyLate(cast, () => write(0))
      expect(emptied?.problem?.message).toContain('20 → 0 features')
      const narrowed = await applyLate({}, () => write(20, ['name']))
      expect(narrowed?.problem?.message).toContain('would lose data: field lanes (20 values).')
      // The manifest lists the field still: it would stay, without values.
      const listed = await applyLate({ fields: ['name', 'lanes'] }, () => write(20, ['name']))
      expect(listed?.problem?.message).toContain('field lanes (20 values)')
      expect((await features(loaded))[19]?.fields).toEqual({ name: 'n19', lanes: 19 })
    })

    it('if features have attachments that would be lost', async () => {
      const loaded = await load()
      const attachments = openAttachments(server.admin, loaded.ids.get(key) ?? 0, 2)
      await write(21)
      const planned = await plan()
      await attachments.attach('a photo')
      const [refused] = (await apply(planned)).outcomes
      expect(refused?.problem?.message).toContain('would lose data: 1 attachment.')
      expect((await plan()).issues.map(({ code, message }) => [code, message])).toEqual([
        ['data/loss', expect.stringContaining('would lose data: 1 attachment')],
      ])
      expect(await attachments.list()).toHaveLength(1)
    })

    it('if the data are edited between the plan and the load', async () => {
      const loaded = await load()
      await write(21)
      const planned = await plan()
      const path = `/api/resource/${loaded.ids.get(key)}/feature/1`
      await server.admin('PUT', path, { fields: { name: 'meanwhile' } })
      expect((await apply(planned)).outcomes[0]?.problem).toMatchObject(stale('replaces', 1))
      expect((await features(loaded))[0]?.fields.name).toBe('meanwhile')
      expect((await plan()).issues.map(({ code }) => code)).toEqual(['plan/data-edited'])
    })

    it('if the data are edited between the preparation and the load', async () => {
      const loaded = await load()
      await write(21)
      const planned = await plan()
      const id = loaded.ids.get(key)
      const proxy = await startProxy({
        target: server.url,
        decide: async (method, to): Promise<'pass'> => {
          if (atomic ? to.endsWith('/batch') : method === 'PUT')
            await server.admin('PUT', `/api/resource/${id}/feature/3`, { fields: { name: 'meanwhile' } })
          return 'pass'
        },
      })
      const late = createApi({ url: proxy.url, credentials })
      open.push(proxy, late)
      const { outcomes } = await applyPlan({ api: late, plan: planned, atomic })
      expect(outcomes[0]?.problem).toMatchObject(stale('replaces', 3))
      expect((await features(loaded))[2]?.fields.name).toBe('meanwhile')
    })

    const prune = async (more: Manifest['resources'], deletes: string) =>
      planManifest({
        api,
        manifest: { ...manifestOf({}, key), resources: more },
        options: { ...safeOptions, prune: true, fuse: 1, allowDelete: new Set([deletes]) },
      })

    it('or deleted, if its data are edited after the plan, also below a deleted group', async () => {
      const loaded = await load()
      const gone = await prune(new Map(), key)
      expect(tell(gone)).toEqual([`delete ${key}`])
      const path = `/api/resource/${loaded.ids.get(key)}/feature/2`
      await server.admin('PUT', path, { fields: { name: 'meanwhile' } })
      expect((await apply(gone)).outcomes[0]?.problem).toMatchObject(stale('deletes', 2))
      const group = `${key}_group`
      const whole = manifest().resources.get(key)
      const grouped = manifestOf({ [group]: {}, [key]: { ...whole, parent: group } } as never, key)
      const overwriteData = new Set([key])
      await apply(await planManifest({ api, manifest: grouped, options: { ...safeOptions, overwriteData } }))
      const both = await prune(new Map(), group)
      await server.admin('PUT', path, { fields: { name: 'again' } })
      expect((await apply(both)).outcomes[0]?.problem).toMatchObject(stale('deletes', 2))
      expect((await features(loaded))[1]?.fields.name).toBe('again')

      const more = await prune(new Map(), group)
      const resource = { cls: 'resource_group', display_name: 'New', keyname: `${key}_new` }
      const parent = { id: more.changes[0]?.id }
      await server.admin('POST', '/api/resource/', { resource: { ...resource, parent } })
      expect((await apply(more)).outcomes[0]?.problem?.message).toBe(
        `"${key}_new" was created or moved below "${group}", which the plan deletes, since the plan was made.`,
      )
    })

    it('unless the loss is allowed by key, and reports the counts', async () => {
      await load()
      await write(3, ['name'])
      const report = await apply(await plan({}, { ...safeOptions, allowLoss: new Set([key]) }))
      expect(report.outcomes).toMatchObject([
        { outcome: 'updated', before: 20, report: { feature_count: 3 } },
      ])
      const next = await plan()
      expect([tell(next), await features(next)]).toEqual([[], expect.objectContaining({ length: 3 })])
    })
  })

  it('is loaded if the manifest allows it or drops the field itself, or the fuse is high enough', async () => {
    const apply = async (planned: Plan) => (await applyPlan({ api, plan: planned })).outcomes[0]
    await apply(await plan())
    await write(20, ['name'])
    expect((await apply(await plan({ fields: ['name'] })))?.outcome).toBe('updated')
    await write(15, ['name'])
    const wide = await plan({ fields: ['name'] }, { ...safeOptions, fuse: 0.25 })
    expect(await apply(wide)).toMatchObject({ outcome: 'updated', before: 20 })
    await write(3, ['name'])
    const allowed = await plan({ fields: ['name'], data: { allowLoss: true } })
    expect(await apply(allowed)).toMatchObject({ outcome: 'updated', before: 15 })
  })

  describe('is refused in the plan', () => {
    const tellLoss = ({ issues, changes }: Plan) => [
      issues.map(({ code, message }) => `${code}: ${message}`),
      changes[0]?.data?.before,
      changes[0]?.data?.change?.after,
    ]

    it('if the source can be read locally, before anything is sent', async () => {
      await applyPlan({ api, plan: await plan() })
      await write(3, ['name'])
      const message = `data/loss: "${key}" would lose data: 20 → 3 features, field lanes (20 values)`
      expect(tellLoss(await plan())).toEqual([[message], 20, 3])
      // Neither what the manifest drops nor what the caller allows is in the way.
      expect(tellLoss(await plan({ fields: ['name'] }))[0]).toEqual([
        `data/loss: "${key}" would lose data: 20 → 3 features`,
      ])
      const allowed = await plan({}, { ...safeOptions, allowLoss: new Set([key]) })
      expect(tellLoss(allowed)).toEqual([[], 20, 3])
      expect(allowed.changes[0]?.data?.change?.lostFields).toEqual([{ keyname: 'lanes', valueCount: 20 }])
    })

    it('where a field has no values in any feature', async () => {
      await applyPlan({ api, plan: await plan() })
      const values = { name: '', lanes: null }
      await writeFile(
        path,
        geojson(Array.from({ length: 20 }, () => ({ geometry: point(1, 1), properties: values }))),
      )
      const message = `data/loss: "${key}" would lose data: fields name (20 values), lanes (20 values)`
      const whole = { fields: ['name', 'lanes'] }
      expect(tellLoss(await plan(whole))[0]).toEqual([message])
      path = join(folder, `${key}.csv`)
      await writeFile(path, `lon,lat,name,lanes\n${'1,1,,\n'.repeat(20)}`)
      expect(tellLoss(await plan(whole))[0]).toEqual([message])
      await writeFile(path, `lon,lat,name,lanes\n${'1,1,,\n'.repeat(19)}1,1,a,1\n`)
      expect(tellLoss(await plan(whole))[0]).toEqual([])
    })

    it('unless the missing field has no values', async () => {
      await applyPlan({ api, plan: await plan({ fields: ['name', 'lanes', 'note'] }) })
      await write(19)
      expect(tellLoss(await plan({ fields: ['name', 'lanes', 'note'] }))).toEqual([[], 20, 19])
    })

    it('also for servers without prepared sources, and for sources that cannot be read locally', async () => {
      await applyPlan({ api, plan: await plan() })
      const proxy = await startProxy({
        target: server.url,
        decide: (_, to) => (to.startsWith('/api/component/landform/') ? 'unknown' : 'pass'),
      })
      const foreign = createApi({ url: proxy.url, credentials })
      open.push(proxy, foreign)
      const planForeign = (options = safeOptions) =>
        planManifest({ api: foreign, manifest: manifest(), options })
      await write(3)
      expect(tellLoss(await planForeign())).toEqual([
        [`data/loss: "${key}" would lose data: 20 → 3 features`],
        20,
        3,
      ])
      await write(19)
      expect(tellLoss(await planForeign())).toEqual([[], 20, 19])
      expect((await applyPlan({ api: foreign, plan: await planForeign() })).outcomes[0]?.outcome).toBe(
        'updated',
      )
      await writeFile(path, 'this is no data')
      const blind = await planForeign()
      expect(blind.issues.map(({ code, message }) => [code, message])).toEqual([
        [
          'data/loss',
          expect.stringContaining('this server cannot count the features of a source before loading it'),
        ],
      ])
      const allowed = await planForeign({ ...safeOptions, allowLoss: new Set([key]) })
      expect(allowed.issues).toEqual([])
    })
  })
})
