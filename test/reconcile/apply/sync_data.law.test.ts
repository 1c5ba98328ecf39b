import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest, WantedData } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'
import { geojson } from '../../support/vector.ts'
import { manifestOf, tell } from '../support/literals.ts'
import { emptyTree } from '../support/sandbox.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
/** The drivers have the same SQL: most cases run on the quicker one. */
const numRuns = { postgres: soak ? 1000 : 50, pglite: soak ? 30 : 2 }

/** Only who has time for many cases waits that long. */
const patience = soak ? { timeout: 7_200_000 } : {}

interface Row {
  readonly code: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly geometry: object
}

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 })
const two = (value: number) => String(value).padStart(2, '0')
const degrees = fc.tuple(
  fc.double({ min: -179, max: 179, noNaN: true }),
  fc.double({ min: -80, max: 80, noNaN: true }),
)

const values = fc.record({
  name: nullable(fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'))),
  size: nullable(fc.integer({ min: -1e6, max: 1e6 })),
  long: nullable(fc.integer({ min: 2 ** 33, max: 2 ** 52 })),
  real: nullable(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
  day: nullable(fc.integer({ min: 1, max: 28 }).map((day) => `2020-02-${two(day)}`)),
  hour: nullable(fc.integer({ min: 0, max: 23 }).map((hour) => `${two(hour)}:30:15`)),
  at: nullable(fc.integer({ min: 0, max: 59 }).map((minute) => `1999-12-31T23:${two(minute)}:01`)),
})

const geometries: Readonly<Record<string, fc.Arbitrary<object>>> = {
  POINT: degrees.map((coordinates) => ({ type: 'Point', coordinates })),
  LINESTRING: fc
    .uniqueArray(degrees, { minLength: 2, maxLength: 5, selector: String })
    .map((coordinates) => ({ type: 'LineString', coordinates })),
  MULTIPOLYGON: fc.tuple(degrees, fc.integer({ min: 1, max: 5 })).map(([[x, y], size]) => ({
    type: 'MultiPolygon',
    coordinates: [[square(x / 2, y / 2, size / 10)], [square(x / 2 + 1, y / 2, size / 20)]],
  })),
}

function square(x: number, y: number, size: number) {
  const end = [x, y]
  return [end, [x + size, y], [x + size, y + size], [x, y + size], end]
}

/** Two editions of a source, keys to edit on the server between them, and how the layer is declared. */
const cases = fc.constantFrom(...Object.keys(geometries)).chain((type) => {
  const row = fc.record({
    code: fc.integer({ min: 0, max: 7 }).map((code) => `k${code}`),
    properties: values,
    geometry: geometries[type] as fc.Arbitrary<object>,
  })
  const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 8, selector: ({ code }) => code })
  return fc.record({
    type: fc.constant(type),
    before: rows,
    after: rows,
    kept: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]),
    edited: fc.boolean(),
    two: fc.boolean(),
  })
})

const fields = [
  { keyname: 'code', datatype: 'STRING' },
  { keyname: 'part', datatype: 'INTEGER' },
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'size', datatype: 'INTEGER' },
  { keyname: 'long', datatype: 'BIGINT' },
  { keyname: 'real', datatype: 'REAL' },
  { keyname: 'day', datatype: 'DATE' },
  { keyname: 'hour', datatype: 'TIME' },
  { keyname: 'at', datatype: 'DATETIME' },
]

describeServers('a layer that is synchronized by key', (start, driver) => {
  const runs = { seed: 20_261_124, numRuns: numRuns[driver], endOnFailure: !soak }
  let server: TestServer
  let api: Api
  let folder: string
  let count = 0
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-sync-'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })

  const write = (path: string, rows: readonly Row[]) =>
    writeFile(
      path,
      geojson(
        rows.map(({ code, properties, geometry }) => ({
          geometry,
          properties: { code, part: 1, ...properties },
        })),
      ),
    )

  async function apply(manifest: Manifest, atomic: boolean): Promise<Plan> {
    const options = { ...safeOptions, allowLoss: new Set([...manifest.resources.keys()]) }
    const plan = await planManifest({ api, manifest, options })
    const { outcomes } = await applyPlan({ api, plan, atomic })
    expect(outcomes.flatMap(({ problem }) => problem?.message ?? [])).toEqual([])
    return plan
  }

  const featuresOf = async (manifest: Manifest, key: string) => {
    const { ids } = await planManifest({ api, manifest })
    const features = await openLayerClient(server).features(ids.get(key) ?? 0)
    return new Map(features.map((feature) => [String(feature.fields.code), feature]))
  }

  it('equals a loaded one, keeps ids, and needs no second apply', patience, async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.boolean(), async (one, atomic) => {
        await emptyTree(api)
        count += 1
        const key = `synced_${count}`
        const path = join(folder, `${key}.geojson`)
        const layer = (name: string, more: Partial<WantedData>) => {
          const data = { path, source: path, options: { cast_geometry_type: null }, ...more }
          const own = { geometry_type: one.type, srs: { id: 3857 } }
          const members = { feature_layer: { fields }, vector_layer: own }
          return manifestOf({ [name]: { cls: 'vector_layer', data, members } }, name)
        }
        const featureKey = one.two ? ['code', 'part'] : ['code']
        const synced = layer(key, { mode: 'sync', featureKey })
        await write(path, one.before)
        await apply(synced, atomic)
        const before = await featuresOf(synced, key)
        const edited = one.edited ? await edit(key, before) : undefined
        // Some features stay exactly as they were.
        const byCode = new Map(one.before.map((row) => [row.code, row]))
        const after = one.after.map((row, at) =>
          one.kept.includes(at) ? (byCode.get(row.code) ?? row) : row,
        )
        await write(path, after)
        const plan = await apply(synced, atomic)
        const next = await planManifest({ api, manifest: synced })
        expect([tell(next), next.issues]).toEqual([[], []])
        const loaded = layer(`${key}_loaded`, {})
        await apply(loaded, atomic)
        const found = await featuresOf(synced, key)
        expect(contentsOf(found)).toEqual(contentsOf(await featuresOf(loaded, `${key}_loaded`)))
        for (const [code, { id }] of found) expect(id).toBe(before.get(code)?.id ?? id)
        if (plan.changes.length === 0) return
        const {
          added = 0,
          changed = 0,
          unchanged = 0,
          removed,
        } = plan.changes[0]?.data?.change?.difference ?? {}
        const kept = after.filter((row) => byCode.get(row.code) === row && row.code !== edited)
        expect(unchanged).toBeGreaterThanOrEqual(kept.length)
        expect(added + changed + unchanged).toBe(after.length)
        expect(removed).toBe([...before.keys()].filter((code) => !found.has(code)).length)
        expect(added).toBe([...found.keys()].filter((code) => !before.has(code)).length)
      }),
      runs,
    )
  })

  /** Edits a feature of a layer on the server, and returns its key. */
  const edit = async (key: string, features: Awaited<ReturnType<typeof featuresOf>>) => {
    const answer = await server.admin('GET', `/api/resource/search/?keyname=${key}`)
    const [layer] = await answer.json<{ resource: { id: number } }[]>()
    const [[code, { id }] = ['', { id: 0 }]] = features
    await server.admin('PUT', `/api/resource/${layer?.resource.id}/feature/${id}`, {
      fields: { name: 'edited' },
    })
    return code
  }
})

/** Contents of features by key. */
function contentsOf(features: ReadonlyMap<string, { readonly geom: unknown; readonly fields: unknown }>) {
  return new Map([...features].sort().map(([code, { geom, fields: own }]) => [code, { geom, fields: own }]))
}
