import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProxy, type TestProxy } from '../api/proxy.ts'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describe.each(oneDriver)('a renamed key of a layer with data on %s', (driver) => {
  let server: TestServer
  let proxy: TestProxy
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    proxy = await startProxy({ target: server.url })
    cwd = await mkdtemp(join(tmpdir(), 'landform-keys-'))
    const features = ['A', 'B', 'C'].map((code, at) => ({
      type: 'Feature',
      properties: { code },
      geometry: { type: 'Point', coordinates: [10 + at, 60] },
    }))
    await writeFile(join(cwd, 'places.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
    await writeFile(join(cwd, 'plan.txt'), 'Plan')
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => {
    const env = administratorEnv(proxy.url)
    return runCommand(words, { cwd, env })
  }

  const style = "<map><layer><class><style><color red='9' green='9' blue='9'/></style></class></layer></map>"
  const features = { key: 'code', descriptions: { A: 'First' }, attachments: { A: ['plan.txt'] } }

  /** Writes the manifest: a layer with a style and a web map, under keys that may have been others. */
  const write = (id: string, data: object, was?: string) => {
    const name = id.replace('2', '')
    const formerly = (key: string) => (was === undefined ? {} : { was: `${was}${key}` })
    const resources = {
      root: { existing: true, id: 0 },
      [`${id}_layer`]: {
        ...{ cls: 'vector_layer', parent: 'root', display_name: `Places ${name}`, features, data },
        ...formerly('_layer'),
      },
      [`${id}_style`]: {
        ...{
          cls: 'mapsrv_style',
          parent: `${id}_layer`,
          display_name: 'Style',
          mapsrv_style: { xml: style },
        },
        ...formerly('_style'),
      },
      [`${id}_map`]: {
        ...{ cls: 'webmap', parent: 'root', display_name: `Map ${name}`, ...formerly('_map') },
        webmap: {
          root_item: {
            item_type: 'root',
            children: [{ item_type: 'layer', display_name: 'Places', layer_style_id: `${id}_style` }],
          },
        },
      },
    }
    return writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: name, resources }))
  }

  const find = async (key: string) => {
    const [found] = await (
      await server.admin('GET', `/api/resource/search/?keyname=${key}&serialization=full`)
    ).json<{ resource: { id: number }; vector_layer: { data_version: number } }[]>()
    return [found?.resource.id, found?.vector_layer?.data_version]
  }
  const expectEmptyPlan = async () => {
    const planned = await run('plan', 'm.yaml', '--exit-code')
    expect([planned.exit, planned.out]).toEqual([0, expect.stringContaining('0 changes')])
  }

  test.each([
    ['plain', {}],
    ['replaced', { mode: 'replace' }],
    ['seeded', { mode: 'seed' }],
    ['synced', { mode: 'sync', key: 'code' }],
  ])('changes the keys and reads and sends no data: %s', async (id, mode) => {
    const source = `${id}.geojson`
    await rename(join(cwd, 'places.geojson'), join(cwd, source))
    await write(id, { source, ...mode })
    const created = await run('apply', 'm.yaml', '--yes')
    expect([created.exit, created.exit === 0 ? '' : created.err]).toEqual([0, ''])
    // The data and the attachments.
    expect(created.err.match(/^uploaded /gm)).toHaveLength(1)
    await expectEmptyPlan()
    const before = await find(`${id}_layer`)
    // The path of the source is no part of the data.
    await rename(join(cwd, source), join(cwd, 'places.geojson'))
    await write(`${id}2`, { source: 'places.geojson', ...mode }, id)
    const start = proxy.seen.length
    const planned = await run('plan', 'm.yaml')
    expect(planned.out).toContain('3 to update, 1 unchanged')
    expect(planned.out.split('\n').filter((line) => line.startsWith('      '))).toEqual([
      `      keyname  "${id}_layer" → "${id}2_layer"`,
      `      keyname  "${id}_style" → "${id}2_style"`,
      `      keyname  "${id}_map" → "${id}2_map"`,
    ])
    const applied = await run('apply', 'm.yaml', '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
    const requests = proxy.seen.slice(start).join('\n')
    expect(requests).not.toMatch(/upload|prepared|\/feature\/|feature_digest/)
    expect(applied.out).not.toContain('loaded')
    expect(await find(`${id}2_layer`)).toEqual(before)
    await expectEmptyPlan()
    await write(`${id}2`, { source: 'places.geojson', ...mode })
    await expectEmptyPlan()
  })
})
