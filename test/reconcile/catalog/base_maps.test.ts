import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { adminPassword, describeServer } from '../../support/server.ts'
import { catalogOf, type ServiceBlock } from '../support/catalog_literals.ts'
import { manifestOf } from '../support/literals.ts'

const url = 'https://tile.example.org/{z}/{x}/{y}.png'
const tiles = { type: 'tms', name: 'Tiles', url }
const other = { type: 'geojson', name: 'Other', url: 'https://example.org/a.json' }

/** A manifest of geoservices and base maps by key, each with the name of its service. */
function manifestWith(
  id: string,
  services: Readonly<Record<string, ServiceBlock>> | undefined,
  baseMaps: Readonly<Record<string, string>> = {},
): Manifest {
  const blocks = Object.fromEntries(
    Object.entries(baseMaps).map(([key, qms]) => [
      key,
      {
        cls: 'basemap_layer' as const,
        parent: 'root',
        displayName: key,
        members: { basemap_layer: { qms } },
      },
    ]),
  )
  const { resources } = manifestOf(blocks, id)
  return { id, resources, ...(services === undefined ? {} : { catalog: catalogOf(services, {}, '') }) }
}

describeServer('base maps that name a geoservice', (start) => {
  let api: Api

  const plan = (manifest: Manifest, allow: Partial<PlanOptions> = {}) =>
    planManifest({ api, manifest, options: { ...safeOptions, fuse: 1, prune: true, ...allow } })
  const apply = async (manifest: Manifest) => {
    const { outcomes, problem } = await applyPlan({ api, plan: await plan(manifest) })
    expect([problem, outcomes.filter(({ outcome }) => outcome === 'failed')]).toEqual([undefined, []])
  }
  const issuesOf = async (manifest: Manifest, allow?: Partial<PlanOptions>) =>
    (await plan(manifest, allow)).issues.map(({ code, message, hint }) => [code, message, hint])

  beforeAll(async () => {
    const { url: server } = await start()
    const credentials = { login: 'administrator', password: adminPassword }
    api = createApi({ url: server, credentials })
    await apply(manifestWith('own', { streets: tiles, other }, { map: 'streets' }))
    await apply(manifestWith('foreign', undefined, { guest_map: 'streets' }))
  })
  afterAll(() => api.close())

  test.each([
    [
      'nowhere',
      'the catalog has no geoservice with the key or guid "nowhere" after this plan',
      expect.any(String),
    ],
    [
      'street',
      'the catalog has no geoservice with the key or guid "street" after this plan',
      'did you mean "streets"?',
    ],
    [
      'other',
      'the geoservice "other" is of type geojson; a base map shows services of type tms',
      expect.any(String),
    ],
    [
      'polar',
      'the geoservice "polar" is in EPSG:3413; a base map shows services in EPSG:3857',
      expect.any(String),
    ],
  ])('are refused if they name %s', async (name, message, hint) => {
    const polar = { ...tiles, name: 'Polar', epsg: 3413 }
    const services = { streets: tiles, other, polar }
    expect(await issuesOf(manifestWith('own', services, { map: name }))).toEqual([
      ['plan/missing', message, hint],
    ])
  })

  test('are checked in manifests without records, too', async () => {
    expect(await issuesOf(manifestWith('foreign', undefined, { guest_map: 'streets' }))).toEqual([])
    expect(await issuesOf(manifestWith('foreign', undefined, { guest_map: 'nowhere' }))).toMatchObject([
      ['plan/missing', expect.stringContaining('"nowhere"'), expect.any(String)],
    ])
  })

  test('may name a service of the same plan', async () => {
    const services = { streets: tiles, other, hills: { ...tiles, name: 'Hills' } }
    expect(await issuesOf(manifestWith('own', services, { map: 'hills' }))).toEqual([])
  })

  test('are named when their service is deleted', async () => {
    const manifest = manifestWith('own', { other }, {})
    const referenced = [
      'plan/referenced',
      'deleting "streets" would leave "guest_map" (basemap_layer) without tiles',
      'If the loss is intended, use --allow-loss guest_map.',
    ]
    expect(await issuesOf(manifest)).toEqual([referenced])
    expect(await issuesOf(manifest, { allowLoss: new Set(['guest_map']) })).toEqual([])
  })

  test('are named when the key of their service changes', async () => {
    const roads = { ...tiles, was: 'streets' }
    expect(await issuesOf(manifestWith('own', { roads, other }, { map: 'streets' }))).toEqual([
      [
        'plan/referenced',
        'renaming "streets" to "roads" would leave "guest_map" (basemap_layer) without tiles',
        'If the loss is intended, use --allow-loss guest_map.',
      ],
      [
        'plan/missing',
        'the catalog has no geoservice with the key or guid "streets" after this plan',
        'Its key is now "roads": write that.',
      ],
    ])
  })

  test('keep their tiles when they name the guid', async () => {
    const { geoservices } = await api.call('catalog.records', {})
    const guid = String(geoservices.find(({ keyname }) => keyname === 'streets')?.guid)
    await apply(manifestWith('foreign', undefined, { guest_map: guid.toUpperCase() }))
    const roads = { ...tiles, was: 'streets' }
    expect(await issuesOf(manifestWith('own', { roads, other }, { map: 'roads' }))).toEqual([])
    expect(await issuesOf(manifestWith('own', { other }, {}))).toMatchObject([
      ['plan/referenced', expect.stringContaining('"guest_map"'), expect.any(String)],
    ])
  })
})
