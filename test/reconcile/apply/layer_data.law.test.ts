import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Datatype } from '../../../src/contract/geometry.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { manifestOf, tell } from '../support/literals.ts'
import { emptyTree } from '../support/sandbox.ts'

/** Datatypes that the values of a field in the source convert to and from. */
const datatypes: Readonly<Record<string, readonly Datatype[]>> = {
  name: ['STRING'],
  size: ['INTEGER', 'BIGINT', 'REAL', 'STRING'],
  built: ['DATE', 'STRING'],
  code: ['STRING', 'INTEGER'],
}

interface WantedField {
  readonly keyname: string
  readonly datatype: Datatype
  readonly display_name: string
  readonly label_field: boolean
}

/** Fields of a layer: any of the source's, as any datatype, in any order, under any alias. */
const fields: fc.Arbitrary<readonly WantedField[]> = fc
  .shuffledSubarray(Object.keys(datatypes), { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      ...names.map((keyname) =>
        fc.record({
          keyname: fc.constant(keyname),
          datatype: fc.constantFrom(...(datatypes[keyname] ?? [])),
          display_name: fc.constantFrom(keyname, `The ${keyname}`),
          label_field: fc.constant(keyname === names[0]),
        }),
      ),
    ),
  )

const step = fc.record({ fields, newSource: fc.boolean() })

/** Versions of the manifest in a run. */
const steps = 5

describeServers('the fields of a layer with data', (start, driver) => {
  const runs = { seed: 20_260_601, cases: casesOn[driver], steps }
  let server: TestServer
  let api: Api
  let folder: string
  let count = 0
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-fields-'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })

  const writeSource = (path: string, edition: number) => {
    const features = [1, 2, 3].map((at) => ({
      geometry: point(at, edition),
      properties: { name: `n${at}`, size: at * 10 + edition, built: `200${at}-01-02`, code: `${at}00` },
    }))
    return writeFile(path, geojson(features))
  }

  async function apply(manifest: Manifest, atomic: boolean): Promise<Plan> {
    const options = { ...safeOptions, allowLoss: new Set([...manifest.resources.keys()]) }
    const plan = await planManifest({ api, manifest, options })
    const { outcomes } = await applyPlan({ api, plan, atomic })
    expect(outcomes.flatMap(({ problem }) => problem?.message ?? [])).toEqual([])
    return plan
  }

  it(
    'changed in any way make the next plan empty, and are loaded again only if fields are added',
    patience,
    async () => {
      await assertLaw(
        fc.asyncProperty(stepsOf(step, steps), fc.boolean(), async (wanted, atomic) => {
          await emptyTree(api)
          count += 1
          const key = `fields_${count}`
          const path = join(folder, `${key}.geojson`)
          await writeSource(path, 0)
          for (const [at, { fields: list, newSource }] of wanted.entries()) {
            if (newSource) await writeSource(path, at + 1)
            const data = { path, source: path, options: {} }
            const members = { feature_layer: { fields: list } }
            const manifest = manifestOf({ [key]: { cls: 'vector_layer', data, members } }, key)
            const planned = await apply(manifest, atomic)
            const isLoaded = planned.changes.some((change) => change.data !== undefined)
            const before = wanted[at - 1]?.fields.map(({ keyname }) => keyname) ?? []
            const isAdded = list.some(({ keyname }) => !before.includes(keyname))
            expect(isLoaded).toBe(newSource || isAdded)
            const next = await planManifest({ api, manifest })
            expect([tell(next), next.issues]).toEqual([[], []])
            const [first] = await openLayerClient(server).features(next.ids.get(key) ?? 0)
            expect(Object.values(first?.fields ?? {})).not.toContain(null)
          }
        }),
        runs,
      )
    },
  )

  describe.each([
    ['in one transaction', true],
    ['request by request', false],
  ] as const)('changed %s', (_, atomic) => {
    it('are distinguished from edits on the server, which are reported', async () => {
      const key = `edited_${atomic}`
      const path = join(folder, `${key}.geojson`)
      await writeSource(path, 0)
      const manifestWith = (names: readonly string[]) => {
        const list = names.map((keyname) => ({ keyname, datatype: datatypes[keyname]?.[0] }))
        const data = { path, source: path, options: {} }
        const members = { feature_layer: { fields: list } }
        return manifestOf({ [key]: { cls: 'vector_layer' as const, data, members } }, key)
      }
      await apply(manifestWith(['name', 'size', 'built']), atomic)
      const { ids } = await planManifest({ api, manifest: manifestWith(['name', 'size', 'built']) })
      const id = ids.get(key) ?? 0
      const next = manifestWith(['name', 'size'])
      const plan = await planManifest({ api, manifest: next })
      await server.admin('PUT', `/api/resource/${id}/feature/1`, { fields: { name: 'meanwhile' } })
      await applyPlan({ api, plan, atomic })
      const { issues, changes } = await planManifest({ api, manifest: next })
      expect(issues.map(({ code }) => code)).toEqual(['plan/data-edited'])
      expect(changes[0]?.data?.edited).toMatchObject({ changes: 1, last: { by: 'administrator' } })
      const [first] = await openLayerClient(server).features(id)
      expect(first?.fields).toEqual({ name: 'meanwhile', size: 10 })
    })
  })
})
