import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

interface Layer {
  readonly data?: object
  readonly features?: object
  readonly fields: readonly object[]
}

describe.each(oneDriver)('renamed fields of a layer on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-renamed-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]): Promise<Ran> => {
    const env = administratorEnv(server.url)
    return runCommand(words, { cwd, env })
  }

  /** Writes a manifest with a layer. */
  const write = (key: string, { data, features, fields }: Layer) => {
    const own =
      data === undefined ? { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } } } : { data }
    const layer = {
      ...{ cls: 'vector_layer', parent: 'root', display_name: key, feature_layer: { fields }, ...own },
      ...(features === undefined ? {} : { features }),
    }
    const resources = { root: { existing: true, id: 0 }, [key]: layer }
    return writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: key, resources }, undefined, 1))
  }

  const writeSource = (rows: readonly Record<string, unknown>[]) => {
    const features = rows.map((properties, at) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [10 + at, 60] },
    }))
    return writeFile(join(cwd, 'places.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  }

  const apply = async (...more: readonly string[]) => {
    const applied = await run('apply', 'm.yaml', '--yes', ...more)
    expect([applied.exit, applied.exit === 0 ? '' : applied.err + applied.out]).toEqual([0, ''])
    const again = await run('plan', 'm.yaml', '--exit-code')
    expect([again.exit, again.out]).toEqual([0, expect.stringContaining('0 changes')])
    return { ...applied, again }
  }

  const find = async (key: string) => {
    const [found] = await (
      await server.admin('GET', `/api/resource/search/?keyname=${key}&serialization=full`)
    ).json<
      { resource: { id: number }; feature_layer: { fields: { keyname: string; display_name: string }[] } }[]
    >()
    if (found === undefined) throw new Error(`no resource ${key}`)
    return found
  }

  const values = async (key: string) => {
    const { id } = (await find(key)).resource
    const all = await (await server.admin('GET', `/api/resource/${id}/feature/?geom=no`)).json<
      { id: number; fields: Record<string, unknown> }[]
    >()
    return all.map(({ id: fid, fields }) => [fid, fields])
  }

  test('keep their values without data, also if was: stays, and an undo renames them back', async () => {
    const lanes = { keyname: 'lanes', datatype: 'INTEGER' }
    await write('plain', { fields: [{ keyname: 'name', datatype: 'STRING' }, lanes] })
    await apply()
    const { id } = (await find('plain')).resource
    const feature = { geom: 'POINT (1 2)', fields: { name: 'Main', lanes: 2 } }
    expect((await server.admin('POST', `/api/resource/${id}/feature/`, feature)).status).toBe(200)
    await write('plain', { fields: [lanes, { keyname: 'title', datatype: 'STRING', was: 'name' }] })
    const renamed = await apply()
    expect(renamed.out).toContain('feature_layer.fields.title  renamed from "name"')
    expect(renamed.out).not.toMatch(/fields.*[+-] |deletes|display_name/)
    expect(renamed.again.err).toContain(
      'the field "title" of "plain" already has its new keyname; was: "name" has no effect',
    )
    expect(await values('plain')).toEqual([[1, { title: 'Main', lanes: 2 }]])
    expect((await find('plain')).feature_layer.fields).toMatchObject([
      { keyname: 'lanes' },
      { keyname: 'title', display_name: 'title' },
    ])
    const drifted = await run('drift', 'm.yaml', '--exit-code')
    expect([drifted.exit, drifted.out]).toEqual([0, expect.any(String)])
    const history = await run('history', '--limit', '1')
    const entry = /^\d+/m.exec(history.out)?.[0] ?? ''
    const undone = await run('undo', entry, '--yes')
    expect([undone.exit, undone.out + undone.err]).toEqual([0, expect.any(String)])
    expect(undone.out).toContain('feature_layer.fields.name  renamed from "title"')
    expect(await values('plain')).toEqual([[1, { name: 'Main', lanes: 2 }]])
  })

  test('are converted, and have other fields added and dropped, in the same plan', async () => {
    const code = { keyname: 'code', datatype: 'STRING' }
    await write('mixed', { fields: [code, { keyname: 'old', datatype: 'STRING' }] })
    await apply()
    const { id } = (await find('mixed')).resource
    for (const [one, old] of [
      ['1', 'x'],
      ['two', 'y'],
    ])
      await server.admin('POST', `/api/resource/${id}/feature/`, {
        geom: 'POINT (1 2)',
        fields: { code: one, old },
      })
    const number = { keyname: 'number', datatype: 'INTEGER', was: 'code' }
    const added = { keyname: 'note', datatype: 'STRING' }
    await write('mixed', { fields: [number, added] })
    const refused = await run('plan', 'm.yaml')
    expect(refused.err).toContain(
      '1 value of the field "number" of "mixed" cannot be converted from STRING to INTEGER',
    )
    await server.admin('PUT', `/api/resource/${id}/feature/2`, { fields: { code: '2' } })
    const applied = await apply()
    expect(applied.out).toContain('feature_layer.fields.number  renamed from "code"')
    expect(applied.out).toContain('feature_layer.fields.number.datatype  "STRING" → "INTEGER"')
    expect(applied.out).toMatch(/feature_layer\.fields\.note {2}\+/)
    expect(applied.out).toMatch(/feature_layer\.fields\.old {2}-.*deletes 2 values/)
    expect(await values('mixed')).toEqual([
      [1, { number: 1, note: null }],
      [2, { number: 2, note: null }],
    ])
  })

  test('with data are not loaded again, and a later source with the new name loses nothing', async () => {
    const fields = (name: object) => [{ keyname: 'code', datatype: 'STRING' }, name]
    const data = { source: 'places.geojson' }
    await writeSource([
      { code: 'A', name: 'Main' },
      { code: 'B', name: 'Park' },
    ])
    await write('loaded', { data, fields: fields({ keyname: 'name', datatype: 'STRING' }) })
    await apply()
    const title = { keyname: 'title', datatype: 'STRING', was: 'name' }
    await write('loaded', { data, fields: fields(title) })
    const renamed = await apply()
    expect(renamed.out).toContain('feature_layer.fields.title  renamed from "name"')
    expect(renamed.out).not.toContain('places.geojson')
    const expected = [
      [1, { code: 'A', title: 'Main' }],
      [2, { code: 'B', title: 'Park' }],
    ]
    expect(await values('loaded')).toEqual(expected)
    await writeSource([
      { code: 'A', name: 'High' },
      { code: 'B', name: 'Park' },
    ])
    const refused = await run('plan', 'm.yaml')
    expect(refused.err).toContain('"loaded" would lose data: field title (2 values)')
    expect(refused.err).toContain('rename "name" in the source, too')
    await writeSource([
      { code: 'A', title: 'High' },
      { code: 'B', title: 'Park' },
    ])
    expect((await apply()).out).toContain('replaces 2 features with 2: the source has changed')
    // Both at once.
    await writeSource([
      { code: 'A', label: 'Low' },
      { code: 'B', label: 'Park' },
    ])
    await write('loaded', { data, fields: fields({ keyname: 'label', datatype: 'STRING', was: 'title' }) })
    const both = await apply()
    expect(both.out).toContain('feature_layer.fields.label  renamed from "title"')
    expect(both.out).not.toContain('loses data')
    expect(await values('loaded')).toEqual([
      [1, { code: 'A', label: 'Low' }],
      [2, { code: 'B', label: 'Park' }],
    ])
  })

  test('that are keys of data and features keep features, attachments and ids', async () => {
    const fields = (key: object) => [key, { keyname: 'name', datatype: 'STRING' }]
    await writeFile(join(cwd, 'photo.jpg'), 'photo')
    const features = (key: string) => ({
      key,
      attachments: { A: ['photo.jpg'] },
      descriptions: { B: 'Park' },
    })
    const data = (key: string) => ({ source: 'places.geojson', mode: 'sync', key })
    await writeSource([
      { code: 'A', name: 'Main' },
      { code: 'B', name: 'Park' },
    ])
    const layer = { data: data('code'), features: features('code') }
    await write('keyed', { ...layer, fields: fields({ keyname: 'code', datatype: 'STRING' }) })
    await apply()
    const ref = { keyname: 'ref', datatype: 'STRING', was: 'code' }
    const next = { data: data('ref'), features: features('ref'), fields: fields(ref) }
    await write('keyed', next)
    const renamed = await apply()
    expect(renamed.out).toContain('feature_layer.fields.ref  renamed from "code"')
    expect(renamed.out).not.toMatch(/synchronizes|photo|description/)
    await writeSource([
      { ref: 'B', name: 'Park' },
      { ref: 'A', name: 'High' },
    ])
    const synced = await apply()
    expect(synced.out).toContain('synchronizes: 2 features changed: the source has changed')
    expect(synced.out).toContain('~ "A" name "Main" → "High", geometry')
    // Both at once.
    await writeSource([
      { sign: 'B', name: 'Park' },
      { sign: 'A', name: 'Low' },
    ])
    const sign = { keyname: 'sign', datatype: 'STRING', was: 'ref' }
    await write('keyed', { data: data('sign'), features: features('sign'), fields: fields(sign) })
    const both = await apply()
    expect(both.out).toContain('synchronizes: 1 feature changed, 1 unchanged: the source has changed')
    expect(both.out).toContain('~ "A" name "High" → "Low"')
    expect(both.out).not.toMatch(/photo|description {2}/)
    expect(await values('keyed')).toEqual([
      [1, { sign: 'A', name: 'Low' }],
      [2, { sign: 'B', name: 'Park' }],
    ])
    const { id } = (await find('keyed')).resource
    const path = `/api/resource/${id}/feature_extensions?key=sign`
    expect(await (await server.admin('GET', path)).json()).toMatchObject([
      { key: 'A', attachments: [{ name: 'photo.jpg' }] },
      { key: 'B', description: 'Park' },
    ])
  })

  test('with wrong names are refused at their position', async () => {
    const text = (fields: string) => `manifest: wrong
resources:
  root: { existing: true, id: 0 }
  wrong:
    cls: vector_layer
    parent: root
    display_name: Wrong
    vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
    feature_layer:
      fields:
${fields}`
    const check = async (fields: string, ...expected: readonly string[]) => {
      await writeFile(join(cwd, 'm.yaml'), text(fields))
      const planned = await run('plan', 'm.yaml')
      expect(planned.exit).not.toBe(0)
      for (const one of expected) expect(planned.err).toContain(one)
    }
    const one = '        - { keyname: a, datatype: STRING }\n'
    await writeFile(join(cwd, 'm.yaml'), text(one))
    await apply()
    await check(
      '        - { keyname: b, datatype: STRING, was: c }\n',
      'm.yaml:11:48 error plan/missing: "wrong" has no field "c" on the server that could be renamed to "b"',
    )
    await check(
      `${one}        - { keyname: b, datatype: STRING, was: a }\n`,
      'm.yaml:12:48 error manifest/conflict: wrong.feature_layer.fields[1].was: the old keyname "a" is still that of the field [0]',
    )
    await check(
      '        - { keyname: b, datatype: STRING, was: a }\n        - { keyname: c, datatype: STRING, was: a }\n',
      'm.yaml:12:48 error manifest/conflict: wrong.feature_layer.fields[1].was: the field "b" has the same was',
    )
    await check(
      '        - { keyname: a, datatype: STRING, was: a }\n',
      'm.yaml:11:48 error manifest/conflict: wrong.feature_layer.fields[0].was: the old keyname equals the new one',
    )
  })
})
