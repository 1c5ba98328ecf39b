import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { wmsFormats } from '../../../src/contract/catalog/catalog.ts'
import { loadManifest } from '../../../src/manifest/load_manifest.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { formatManifest } from '../../../src/manifest/rewrite.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { pullCatalog } from '../../../src/reconcile/catalog/pull_catalog.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { iconImage } from '../../support/catalog.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { adminPassword, describeServers } from '../../support/server.ts'
import { catalogOf } from '../support/catalog_literals.ts'
import { tell } from '../support/literals.ts'

/** All cases change the records of one manifest, as its versions do. */
const id = 'law'

const keys = ['a', 'b', 'c', 'd', 'e']
const iconKeys = ['x', 'y', 'z']
const colors = ['#111', '#222', '#333']

const text = fc.option(fc.string({ maxLength: 30, unit: 'grapheme' }).filter((one) => !one.includes('\0')))
const link = fc.option(fc.constantFrom('', 'https://example.org/a?b=c&d=ü', 'http://example.org'))
const level = fc.option(fc.nat({ max: 15 }))
const degree = fc.oneof(fc.double({ min: -80, max: 80, noNaN: true }), fc.integer({ min: -80, max: 80 }))

/** A triangle with an area, in any spelling. */
const boundary = fc
  .tuple(
    degree,
    degree,
    fc.constantFrom(1, 1e-3, 7.25),
    fc.constantFrom('POLYGON', 'polygon ', 'SRID=4326;POLYGON'),
  )
  .map(([x, y, size, head]) => `${head}((${x} ${y}, ${x + size} ${y}, ${x} ${y + size}, ${x} ${y}))`)

const shared = {
  desc: text,
  epsg: fc.option(fc.constantFrom(3857, 4326, 27700)),
  icon: fc.option(fc.constantFrom(...iconKeys)),
  license_name: text,
  license_url: link,
  copyright_text: text,
  source: text,
  boundary: fc.option(boundary),
}
const service = <T>(type: string, url: string, members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(
    { type: fc.constant(type), url: fc.constant(url), ...shared, ...members },
    { requiredKeys: ['type', 'url', ...(type === 'wfs' ? ['layer'] : [])] as never },
  ) as fc.Arbitrary<Record<string, unknown>>

const anyService = fc.oneof(
  service('tms', 'https://{switch:a,b}.example.org/{z}/{x}/{y}', {
    z_min: level,
    z_max: level.map((one) => (one === null ? null : one + 15)),
    y_origin_top: fc.boolean(),
  }),
  service('wms', 'https://example.org/wms?a={b}', {
    layers: text,
    params: text,
    turn_over: fc.boolean(),
    format: fc.option(fc.constantFrom(...wmsFormats)),
  }),
  service('wfs', 'https://example.org/wfs', { layer: fc.constantFrom('a:b', 'ö') }),
  service('geojson', 'https://example.org/a.json', {}),
)

/** Records of a manifest: any keys, names exchanged among them, icons of any color. */
const step = fc.record({
  services: fc
    .subarray(keys)
    .chain((some) => fc.record(Object.fromEntries(some.map((key) => [key, anyService])))),
  names: fc.shuffledSubarray(keys, { minLength: keys.length }),
  icons: fc.record(Object.fromEntries(iconKeys.map((key) => [key, fc.constantFrom(...colors)]))),
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Adds was: where a plan suspects that a record was renamed: its name is that of a record that is no longer wanted. */
function followHints(manifest: Manifest, { issues }: Pick<Plan, 'issues'>): Manifest {
  const geoservice = new Map(manifest.catalog?.geoservice)
  for (const { code, message, hint = '' } of issues) {
    const [key = '', was] = [/^"(.)"/.exec(message)?.[1], /was: (.)\.$/.exec(hint)?.[1]]
    const record = geoservice.get(key)
    if (code === 'plan/renamed' && record !== undefined && was !== undefined)
      geoservice.set(key, { ...record, was })
  }
  return { ...manifest, catalog: { icon: manifest.catalog?.icon ?? new Map(), geoservice } }
}

/** Versions of the manifest in a run. */
const steps = 5

describeServers('any records of a manifest', (start, driver) => {
  const runs = { seed: 20_261_123, cases: casesOn[driver], steps }
  let api: Api
  let folder: string
  let count = 0
  beforeAll(async () => {
    const { url } = await start()
    api = createApi({ url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-records-'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })

  async function manifestWith({ services, names, icons }: Step): Promise<Manifest> {
    for (const [key, color] of Object.entries(icons))
      await writeFile(join(folder, `${key}.svg`), Buffer.from(iconImage(String(color)), 'base64'))
    const named = Object.entries(services).map(([key, members]) => {
      return [key, { ...(members as object), name: `${id} ${names[keys.indexOf(key)]}` }] as const
    })
    const drawn = iconKeys.map((key) => [key, { name: `${id} ${key}` }] as const)
    const catalog = catalogOf(Object.fromEntries(named), Object.fromEntries(drawn), folder)
    return { id, resources: new Map(), catalog }
  }

  async function pull(): Promise<Manifest> {
    const { icons, geoservices, files } = await pullCatalog(api, { manifestId: id, of: id })
    const into = join(folder, 'pulled', String(count))
    count += 1
    await mkdir(into, { recursive: true })
    await writeFile(join(into, 'all.yaml'), formatManifest({ manifest: id, icons, geoservices }))
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(into, path)), { recursive: true })
      await writeFile(join(into, path), bytes)
    }
    const { manifest, issues } = await loadManifest({ paths: [into], env: {}, cwd: into })
    expect(issues).toEqual([])
    if (manifest === undefined) throw new Error('the pulled manifest has errors')
    return manifest
  }

  it('are there after an apply: the next plan is empty, and so is that of a pull', patience, async () => {
    await assertLaw(
      fc.asyncProperty(stepsOf(step, steps), async (all) => {
        for (const wanted of all) {
          const manifest = await manifestWith(wanted)
          const every = new Set([...keys, ...iconKeys])
          const options = { ...safeOptions, prune: true, fuse: 1, replace: every, allowLoss: every }
          const first = await planManifest({ api, manifest, options })
          const plan = await planManifest({ api, manifest: followHints(manifest, first), options })
          expect(plan.issues).toEqual([])
          const { outcomes } = await applyPlan({ api, plan })
          expect(outcomes.flatMap(({ problem }) => problem?.message ?? [])).toEqual([])
          const next = await planManifest({ api, manifest, options })
          expect([tell(next), next.issues]).toEqual([[], []])
          const pulled = await planManifest({ api, manifest: await pull(), options })
          expect([tell(pulled), pulled.issues]).toEqual([[], []])
        }
      }),
      runs,
    )
  })
})
