import { afterAll, expect, it } from 'vitest'
import { createApi } from '../../../src/api/api.ts'
import { loadManifest } from '../../../src/manifest/load_manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { fixtures } from '../../support/fixtures.ts'
import { adminPassword, describeServer } from '../../support/server.ts'

const open: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of open) await one.close()
})

describeServer('the example catalog', (start) => {
  it('is applied, planned without changes, and served with its icons', async () => {
    const server = await start()
    const credentials = { login: 'administrator', password: adminPassword }
    const api = createApi({ url: server.url, credentials })
    open.push(api)
    const cwd = fixtures.replace(/test\/fixtures$/, '')
    const { manifest } = await loadManifest({ paths: ['manifests/catalog'], env: {}, cwd })
    if (manifest === undefined) throw new Error('the example catalog has errors')
    const plan = await planManifest({ api, manifest })
    expect([plan.issues, plan.changes.length]).toEqual([[], 44])
    const { outcomes } = await applyPlan({ api, plan })
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['created']))
    expect((await planManifest({ api, manifest })).changes).toEqual([])
    const served = await api.call('catalog.geoservices', { query: {} })
    const items = Array.isArray(served) ? served : served.results
    expect(items.map(({ name }) => name).sort()).toEqual(
      [...(manifest.catalog?.geoservice.values() ?? [])].map(({ members }) => String(members.name)).sort(),
    )
    const icons = new Set(items.map(({ icon }) => icon))
    expect(icons.size).toBe(9)
    for (const id of icons) {
      const answer = await server.guest('GET', `/api/v1/icons/${id}/content?width=64&height=64`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    }
  })
})
