import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { annotationsOf } from '../../../src/contract/descriptor.ts'
import { clsNames, descriptorOf } from '../../../src/contract/registry.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { readCapture, writeCapture } from '../../../src/reconcile/capture/capture_file.ts'
import { captureReader } from '../../../src/reconcile/capture/capture_reader.ts'
import { captureServer } from '../../../src/reconcile/capture/capture_server.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planFrom, planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { liveReader } from '../../../src/reconcile/plan/plan_reader.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { manifestOf } from '../support/literals.ts'
import { emptyTree, renameTop } from '../support/sandbox.ts'

const options = { ...safeOptions, prune: true, fuse: 1 }

/** Trees of a run, each applied to the one before. */
const steps = 5

describeServer('a plan against a capture', (start) => {
  let server: TestServer
  let api: Api
  let folder: string

  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-capture-'))
  })

  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true, force: true })
  })

  const pathOf = (name: string) => ({ path: join(folder, name), shownPath: name })

  async function capture(account = api, manifest?: Manifest) {
    const reader = liveReader(account, undefined)
    const now = new Date('2026-01-02T03:04:05Z')
    await writeCapture(pathOf('capture'), await captureServer({ reader, manifest, countsValues: true, now }))
    return captureReader(await readCapture(pathOf('capture')))
  }

  const apply = async (manifest: Manifest) =>
    applyPlan({ api, plan: await planManifest({ api, manifest, options }) })

  it('equals the plan against the server', patience, async () => {
    let count = 0
    await assertLaw(
      fc.asyncProperty(stepsOf(arbitraryTree('T'), steps), async (trees) => {
        await emptyTree(api)
        count += 1
        for (const blocks of trees) {
          const top = `t${count}`
          const manifest = manifestOf({ [top]: {}, ...renameTop(blocks, top) }, top)
          const offline = await planFrom({ reader: await capture(), manifest, options })
          expect(offline).toEqual(await planManifest({ api, manifest, options }))
          const { outcomes } = await apply(manifest)
          expect(outcomes.filter(({ problem }) => problem !== undefined)).toEqual([])
        }
      }),
      { seed: 20_260_102, cases: casesOn.postgres, steps },
    )
  })

  it('counts features and lost values without the server', async () => {
    const points = (names: readonly string[]) =>
      JSON.stringify({
        type: 'FeatureCollection',
        features: names.map((name) => ({
          type: 'Feature',
          properties: { name, note: 'x' },
          geometry: { type: 'Point', coordinates: [1, 2] },
        })),
      })
    const path = join(folder, 'points.geojson')
    await writeFile(path, points(['a', 'b']))
    const layer = (fields: readonly string[]) =>
      manifestOf(
        {
          points: {
            cls: 'vector_layer',
            data: { path, source: 'points.geojson', options: {} },
            members: {
              feature_layer: { fields: fields.map((keyname) => ({ keyname, datatype: 'STRING' })) },
            },
          },
        },
        'points',
      )
    await apply(layer(['name', 'note']))
    const reader = await capture(api, layer(['name']))
    const dropped = await planFrom({ reader, manifest: layer(['name']), options })
    expect(dropped.changes[0]?.edits).toMatchObject([{ lostValues: 2, loses: 'deletes 2 values' }])
    await writeFile(path, points(['a']))
    for (const manifest of [layer(['name']), manifestOf({}, 'points')])
      expect(await planFrom({ reader, manifest, options })).toEqual(
        await planManifest({ api, manifest, options }),
      )
  })

  it('says what an account that cannot read all resources does not know', async () => {
    const guest = createApi({ url: server.url })
    const manifest = manifestOf({ secret: {}, other: {} }, 'guest')
    const rule = { action: 'allow', principal: 'user:guest', identity: '', propagate: false } as const
    const rules = [{ ...rule, scope: 'resource', permission: 'read' }]
    const root = { existing: true, id: 0, permissions: { owns: 'listed' as const, rules } }
    await apply(manifestOf({ root }, 'open'))
    await server.admin('POST', '/api/resource/', {
      resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'Secret', keyname: 'secret' },
    })
    const live = await planManifest({ api: guest, manifest })
    expect(live.unknown.map(({ key }) => key)).toContain('secret')
    const reader = await capture(guest, manifest)
    expect(await planFrom({ reader, manifest })).toEqual(live)
    await expect(planFrom({ reader: await capture(guest), manifest })).rejects.toMatchObject({
      code: 'plan/capture',
    })
    await guest.close()
  })

  it('compares descriptions and attachments of features if it was made with the manifest, else says that it lacks them', async () => {
    const path = join(folder, 'sights.geojson')
    const point = { type: 'Point', coordinates: [1, 2] }
    const features = ['a', 'b'].map((code) => ({ type: 'Feature', properties: { code }, geometry: point }))
    await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features }))
    const note = join(folder, 'note.txt')
    await writeFile(note, 'note')
    const data = { path, source: 'sights.geojson', options: {} }
    const layer = (texts: Readonly<Record<string, string>>) => {
      const descriptions = new Map(Object.entries(texts))
      const attachments = new Map([['a', [{ path: note, name: 'note.txt' }]]])
      const extended = { key: 'code', descriptions, attachments }
      return manifestOf({ sights: { cls: 'vector_layer', data, features: extended } }, 'sights')
    }
    await apply(layer({ a: 'A', b: 'B' }))
    const manifest = layer({ a: 'A', b: 'Other' })
    const complete = await capture(api, manifest)
    expect(await planFrom({ reader: complete, manifest, options })).toEqual(
      await planManifest({ api, manifest, options }),
    )
    const lacking = await planFrom({ reader: await capture(), manifest, options })
    expect(lacking.issues).toMatchObject([{ code: 'plan/capture', severity: 'warning' }])
    expect(lacking.issues[0]?.message).toContain('the capture has no descriptions and attachments')
    expect(lacking.issues[0]?.hint).toContain('landform capture MANIFEST')
    expect(lacking.unknown).toMatchObject([
      { key: 'sights', reason: expect.stringContaining('the capture has no descriptions') },
    ])
    await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features: features.slice(1) }))
    const plain = manifestOf({ sights: { cls: 'vector_layer', data } }, 'sights')
    const live = await planManifest({ api, manifest: plain, options: safeOptions })
    expect(live.changes[0]?.data?.change).toMatchObject({ lostAttachments: 1, lostDescriptions: 2 })
    expect(await planFrom({ reader: complete, manifest: plain, options: safeOptions })).toEqual(live)
    // With --prune, what the manifest no longer lists is deleted, and counted there.
    const pruned = await planManifest({ api, manifest: plain, options })
    expect(pruned.issues.map(({ message }) => message)).toEqual([
      '"sights" would lose 2 of 2 feature descriptions',
      '"sights" would lose 1 of 1 attachment',
    ])
    const blind = await planFrom({ reader: await capture(), manifest: plain, options: safeOptions })
    expect(blind.issues.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('which of them the load deletes'),
    )
  })

  it('contains no secrets', async () => {
    const members = {
      wmsclient_connection: {
        url: 'http://127.0.0.1:1/',
        version: '1.3.0',
        username: 'ada',
        password: 'opensesame',
      },
    }
    await apply(manifestOf({ wms: { cls: 'wmsclient_connection', members } }, 'wms'))
    await capture()
    expect(await readFile(pathOf('capture').path, 'utf8')).not.toContain('opensesame')
    const nested = clsNames.flatMap((cls) =>
      Object.values(descriptorOf(cls).members).flatMap(({ properties }) =>
        Object.entries(properties).filter(
          ([, field]) =>
            !annotationsOf(field)['x-secret'] && JSON.stringify(field).includes('"x-secret":true'),
        ),
      ),
    )
    expect(nested).toEqual([])
  })

  it('refuses files that are not complete captures', async () => {
    await capture()
    const text = await readFile(pathOf('capture').path, 'utf8')
    const cases = {
      cut: text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1),
      half: text.slice(0, text.length / 2),
      newer: text.replace('"landform_capture":1', '"landform_capture":99'),
      other: '{"type":"FeatureCollection"}',
      list: '[]',
      empty: '',
      binary: '\u0000\u0001',
    }
    for (const [name, content] of Object.entries(cases)) {
      await writeFile(join(folder, name), content)
      await expect(readCapture(pathOf(name)), name).rejects.toMatchObject({ code: 'plan/capture' })
    }
    await expect(readCapture(pathOf('absent'))).rejects.toMatchObject({ code: 'file/not-found' })
    await expect(readCapture({ path: folder, shownPath: '.' })).rejects.toMatchObject({
      code: 'file/unreadable',
    })
  })
})
