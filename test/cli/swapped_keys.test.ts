import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startProxy, type TestProxy } from '../api/proxy.ts'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describe.each(oneDriver)('swapped keys on %s', (driver) => {
  let server: TestServer
  let proxy: TestProxy
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    proxy = await startProxy({ target: server.url })
    cwd = await mkdtemp(join(tmpdir(), 'landform-swap-'))
    for (const [name, count] of [
      ['north', 2],
      ['south', 3],
    ] as const) {
      const features = Array.from({ length: count }, (_, at) => ({
        type: 'Feature',
        properties: { code: `${name}${at}` },
        geometry: { type: 'Point', coordinates: [10 + at, 60] },
      }))
      await writeFile(join(cwd, `${name}.geojson`), JSON.stringify({ type: 'FeatureCollection', features }))
    }
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })
  beforeEach(async () => {
    const found = await (await server.admin('GET', '/api/resource/?parent=0')).json<
      { resource: { id: number } }[]
    >()
    for (const { resource } of found) await server.admin('DELETE', `/api/resource/${resource.id}`)
  })

  const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(proxy.url) })

  const style = '<map><layer><class><style><color red="9" green="9" blue="9"/></style></class></layer></map>'

  interface Layer {
    readonly key: string
    readonly name: string
    readonly source: string
    readonly mode?: object
    readonly was?: string
    readonly parent?: string
  }

  /** Writes a manifest of two layers with data and styles, and a web map of both. */
  const write = (...layers: readonly Layer[]) => {
    const blocks = layers.map(({ key, name, source, mode, was, parent = 'root' }) => {
      const formerly = (suffix: string) => (was === undefined ? {} : { was: `${was}${suffix}` })
      const child = {
        ...{ cls: 'mapsrv_style', display_name: 'Style', mapsrv_style: { xml: style } },
        ...formerly('_style'),
      }
      const block = {
        ...{ cls: 'vector_layer', parent, display_name: name, data: { source, ...mode }, ...formerly('') },
        permissions: {
          include: [
            { action: 'allow', principal: 'guest', scope: 'resource', permission: 'read', propagate: false },
          ],
        },
        children: { [`${key}_style`]: child },
      }
      return [key, block] as const
    })
    const sorted = layers.toSorted((one, other) => (one.source < other.source ? -1 : 1))
    const children = sorted.map(({ key, source }) => ({
      ...{ item_type: 'layer', display_name: source, layer_style_id: `${key}_style` },
    }))
    const map = {
      cls: 'webmap',
      parent: 'root',
      display_name: 'Map',
      webmap: { root_item: { item_type: 'root', children } },
    }
    const group = { cls: 'resource_group', parent: 'root', display_name: 'Group' }
    const resources = { root: { existing: true, id: 0 }, group, ...Object.fromEntries(blocks), map }
    return writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: 'swap', resources }))
  }

  const apply = async (...words: readonly string[]) => {
    const applied = await run('apply', 'm.yaml', '--yes', ...words)
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
    return applied.out
  }
  /** Ids and versions of the data by key. */
  const read = async () => {
    const found = await (await server.admin('GET', '/api/resource/search/?serialization=full')).json<
      { resource: { id: number; keyname: string | null }; vector_layer?: { data_version: number } }[]
    >()
    return Object.fromEntries(
      found.map(({ resource, vector_layer: layer }) => [
        resource.keyname,
        [resource.id, layer?.data_version],
      ]),
    )
  }
  const lastEntry = async () => {
    const [entry] = await (await server.admin('GET', '/api/component/landform/journal/?limit=1')).json<
      { id: number }[]
    >()
    return String(entry?.id)
  }

  /** Keys that are given back with was: still there would exchange the data. */
  const expectRefusal = async (places: string, words: readonly string[]) => {
    const { exit, err } = await run('apply', 'm.yaml', '--yes', ...words)
    expect([exit, err]).toEqual([1, expect.stringContaining('error plan/ambiguous')])
    expect(err).toContain(`would exchange the content of ${places}`)
    expect(err).toContain('hint: To give the keys back, apply the manifest as it was before, without was:')
  }

  test.each([
    ['at once, without data that are sent', {}, []],
    ['request by request, of synchronized layers', { mode: 'sync', key: 'code' }, ['--no-atomic']],
  ])('keep resources and data, with names and places that change: %s', async (_, mode, words) => {
    const north = { source: 'north.geojson', mode }
    const south = { source: 'south.geojson', mode }
    await write({ key: 'a', name: 'North', ...north }, { key: 'b', name: 'South', ...south })
    await apply()
    const before = await read()
    const swapped = {
      ...before,
      ...{ a: before.b, b: before.a, a_style: before.b_style, b_style: before.a_style },
    }
    // The names are swapped too, so that the layer with two features is South now; the other one moves.
    await write(
      { key: 'a', was: 'b', name: 'North', parent: 'group', ...south },
      { key: 'b', was: 'a', name: 'South', ...north },
    )
    const start = proxy.seen.length
    const planned = await run('plan', 'm.yaml')
    expect(planned.out.split('\n').filter((line) => line.startsWith('      '))).toEqual([
      '      keyname  "a" → "b"',
      '      display_name  "North" → "South"',
      '      keyname  "a_style" → "b_style"',
      '      keyname  "b" → "a"',
      '      display_name  "South" → "North"',
      '      parent  "root" → "group"',
      '      keyname  "b_style" → "a_style"',
      '      refers to renamed keys; records its fields with the new ones',
    ])
    await apply(...words)
    expect(proxy.seen.slice(start).join('\n')).not.toMatch(/upload|prepared/)
    expect(await read()).toEqual(swapped)

    // was: stays in the file.
    for (const again of [1, 2]) {
      const next = await run('plan', 'm.yaml', '--exit-code')
      expect([again, next.exit, next.out]).toEqual([again, 0, expect.stringContaining('0 changes')])
      expect(next.err + next.out).toContain('"a" already has its new key; was: "b" has no effect')
      expect(next.err + next.out).toContain('To give the keys back, apply once without was:')
      expect(await apply(...words)).toContain('0 changes')
      expect(await read()).toEqual(swapped)
    }

    await write(
      { key: 'a', was: 'b', name: 'South', ...north },
      { key: 'b', was: 'a', name: 'North', ...south },
    )
    await expectRefusal(`"a" (resource ${before.b?.[0]}) and "b" (resource ${before.a?.[0]})`, words)
    expect(await read()).toEqual(swapped)

    await write({ key: 'a', name: 'North', parent: 'group', ...south }, { key: 'b', name: 'South', ...north })
    expect((await run('plan', 'm.yaml')).out).toContain('4 to record, 3 unchanged')
    expect((await apply(...words)) + (await run('history')).out).toMatch(/4 recorded.*4 recorded/s)
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
    await write(
      { key: 'a', was: 'b', name: 'North', ...north },
      { key: 'b', was: 'a', name: 'South', ...south },
    )
    await apply(...words)
    expect(await read()).toEqual(before)
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
  })

  test('are taken back by undo, and set again by undo of the undo', async () => {
    const north = { source: 'north.geojson' }
    const south = { source: 'south.geojson' }
    await write({ key: 'a', name: 'North', ...north }, { key: 'b', name: 'South', ...south })
    await apply()
    const before = await read()
    await write(
      { key: 'a', was: 'b', name: 'South', ...south },
      { key: 'b', was: 'a', name: 'North', ...north },
    )
    await apply()
    const after = await read()
    const undone = await run('undo', await lastEntry(), '--yes')
    expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
    expect(await read()).toEqual(before)
    expect((await run('plan', 'm.yaml')).out).toContain('4 to update')
    const redone = await run('undo', await lastEntry(), '--yes')
    expect([redone.exit, redone.exit === 0 ? '' : redone.err]).toEqual([0, ''])
    expect(await read()).toEqual(after)
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
  })

  test('of uses of fragments keep all resources of the uses', async () => {
    const writeUses = (uses: object) => {
      const styleKey = '${param.key}_style'
      const child = { cls: 'mapsrv_style', display_name: 'Style', mapsrv_style: { xml: style } }
      const layer = {
        ...{ cls: 'vector_layer', display_name: '${param.title}' },
        vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
        children: { [styleKey]: child },
      }
      const lines = { parameters: { title: { type: 'string' } }, resources: { '${param.key}': layer } }
      const resources = { root: { existing: true, id: 0, children: uses } }
      return writeFile(
        join(cwd, 'm.yaml'),
        JSON.stringify({ manifest: 'uses', fragments: { lines }, resources }),
      )
    }
    const use = (title: string, was?: string) => ({
      ...{ use: 'lines', with: { title } },
      ...(was === undefined ? {} : { was }),
    })
    await writeUses({ a: use('One'), b: use('Two'), c: use('Three') })
    await apply()
    const before = await read()
    await writeUses({ a: use('Two', 'b'), b: use('One', 'a'), d: use('Three', 'c') })
    expect((await run('plan', 'm.yaml')).out).toContain('6 to update, 1 unchanged')
    await apply()
    const after = {
      ...{ a: before.b, a_style: before.b_style, b: before.a, b_style: before.a_style },
      ...{ d: before.c, d_style: before.c_style },
    }
    expect(await read()).toMatchObject(after)
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
  })

  test('are taken back by undo where a new resource has the old key', async () => {
    const north = { source: 'north.geojson' }
    await write({ key: 'a', name: 'North', ...north })
    await apply()
    const before = await read()
    await write(
      { key: 'a', name: 'South', source: 'south.geojson' },
      { key: 'b', was: 'a', name: 'North', ...north },
    )
    await apply()
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
    const undone = await run('undo', await lastEntry(), '--yes', '--allow-delete', 'a')
    expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
    expect(await read()).toEqual(before)
  })
})
