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
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'
import { geojson } from '../../support/vector.ts'
import { manifestOf, tell } from '../support/literals.ts'
import { emptyTree } from '../support/sandbox.ts'

/** Editions of a run, each synchronized with the one before. */
const steps = 5

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
  real: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
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

/** Editions of a source, and how the layer is declared. */
const cases = fc.constantFrom(...Object.keys(geometries)).chain((type) => {
  const row = fc.record({
    code: fc.integer({ min: 0, max: 7 }).map((code) => `k${code}`),
    properties: values,
    geometry: geometries[type] as fc.Arbitrary<object>,
  })
  const edition = fc.record({
    rows: fc.uniqueArray(row, { minLength: 1, maxLength: 8, selector: ({ code }) => code }),
    /** Places of rows that stay exactly as they were. */
    kept: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]),
    /** Whether a feature is edited on the server before. */
    edited: fc.boolean(),
    atomic: fc.boolean(),
  })
  return fc.record({ type: fc.constant(type), editions: stepsOf(edition, steps + 1), two: fc.boolean() })
})
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never

/** The rows of each edition, with those that it keeps of the one before. */
function listRows({ editions }: Case): Row[][] {
  let before = new Map<string, Row>()
  return editions.map(({ rows, kept }) => {
    const all = rows.map((row, at) => (kept.includes(at) ? (before.get(row.code) ?? row) : row))
    before = new Map(all.map((row) => [row.code, row]))
    return all
  })
}

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
  const runs = { seed: 20_261_124, cases: casesOn[driver], steps }
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

  /** Loads all editions into one layer, and gives the contents of each. */
  async function load(key: string, type: string, editions: readonly (readonly Row[])[]) {
    const path = join(folder, `${key}.geojson`)
    const all = editions.flatMap((rows, edition) =>
      rows.map((row) => ({ ...row, properties: { ...row.properties, edition } })),
    )
    await write(path, all)
    const manifest = layerOf(key, {
      type,
      path,
      list: [...fields, { keyname: 'edition', datatype: 'INTEGER' }],
    })
    await apply(manifest, true)
    const { ids } = await planManifest({ api, manifest })
    const features = await openLayerClient(server).features(ids.get(key) ?? 0)
    return editions.map((_, at) => {
      const own = features.filter(({ fields: { edition } }) => edition === at)
      const plain = own.map(({ fields: { edition: _edition, ...rest }, ...feature }) => ({
        ...feature,
        fields: rest,
      }))
      return contentsOf(new Map(plain.map((feature) => [String(feature.fields.code), feature])))
    })
  }

  it('equals a loaded one, keeps ids, and needs no second apply', patience, async () => {
    await assertLaw(
      fc.asyncProperty(cases, async (one) => {
        await emptyTree(api)
        count += 1
        const key = `synced_${count}`
        const path = join(folder, `${key}.geojson`)
        const featureKey = one.two ? ['code', 'part'] : ['code']
        const synced = layerOf(key, {
          type: one.type,
          path,
          list: fields,
          more: { mode: 'sync', featureKey },
        })
        const all = listRows(one)
        const loaded = await load(`${key}_loaded`, one.type, all)
        await write(path, all[0] ?? [])
        await apply(synced, true)
        let before = await featuresOf(synced, key)
        for (const [at, { edited: isEdited, atomic }] of one.editions.entries()) {
          if (at === 0) continue
          const edited = isEdited ? await edit(key, before) : undefined
          const [last = [], rows = []] = [all[at - 1], all[at]]
          await write(path, rows)
          const plan = await apply(synced, atomic)
          const next = await planManifest({ api, manifest: synced })
          expect([tell(next), next.issues]).toEqual([[], []])
          const found = await featuresOf(synced, key)
          expect(contentsOf(found)).toEqual(loaded[at])
          for (const [code, { id }] of found) expect(id).toBe(before.get(code)?.id ?? id)
          const kept = rows.filter((row) => last.includes(row) && row.code !== edited)
          expectCounts(plan, { before: [...before.keys()], after: [...found.keys()], kept: kept.length })
          before = found
        }
      }),
      runs,
    )
  })

  it('takes a negative zero for a zero, so that a feature with one is not changed by every load', async () => {
    await emptyTree(api)
    const path = join(folder, 'zero.geojson')
    const more = { mode: 'sync', featureKey: ['code'] } as const
    const synced = layerOf('zero', { type: 'POINT', path, list: fields, more })
    const writeTo = (lastCode: string) => {
      const rows = ['a', 'b', lastCode].map((code) => ({
        geometry: { type: 'Point', coordinates: [5, 6] },
        properties: { code, part: 1, real: 5 },
      }))
      return writeFile(path, geojson(rows).replaceAll('5', '-0.0'))
    }
    await writeFile(
      path,
      geojson([{ geometry: { type: 'Point', coordinates: [1, 2] }, properties: { code: 'a' } }]),
    )
    await apply(synced, true)
    await writeTo('c')
    await apply(synced, true)
    await writeTo('d')
    const [change] = (await apply(synced, true)).changes
    expect(change?.data?.change?.difference).toMatchObject({ added: 1, changed: 0, unchanged: 2, removed: 1 })
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

interface Layer {
  readonly type: string
  readonly path: string
  readonly list: readonly object[]
  readonly more?: Partial<WantedData>
}

/** A manifest of a layer. */
function layerOf(key: string, { type, path, list, more = {} }: Layer): Manifest {
  const data = { path, source: path, options: { cast_geometry_type: null }, ...more }
  const own = { geometry_type: type, srs: { id: 3857 } }
  const members = { feature_layer: { fields: list }, vector_layer: own }
  return manifestOf({ [key]: { cls: 'vector_layer', data, members } }, key)
}

/** Expects that a plan counts what it added, changed and removed. */
function expectCounts(
  plan: Plan,
  codes: { readonly before: readonly string[]; readonly after: readonly string[]; readonly kept: number },
): void {
  // Nothing is loaded from another spelling of the same features.
  if (plan.changes[0]?.data === undefined) return
  const { added = 0, changed = 0, unchanged = 0, removed } = plan.changes[0].data.change?.difference ?? {}
  expect(unchanged).toBeGreaterThanOrEqual(codes.kept)
  expect(added + changed + unchanged).toBe(codes.after.length)
  expect(removed).toBe(codes.before.filter((code) => !codes.after.includes(code)).length)
  expect(added).toBe(codes.after.filter((code) => !codes.before.includes(code)).length)
}

/** Contents of features by key. */
function contentsOf(features: ReadonlyMap<string, { readonly geom: unknown; readonly fields: unknown }>) {
  return new Map([...features].sort().map(([code, { geom, fields: own }]) => [code, { geom, fields: own }]))
}
