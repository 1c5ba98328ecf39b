import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatManager, formatSource } from '../../../src/contract/markers.ts'
import { startTestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { type DataGround, events, execute, lines, told, useDataGround } from './ground.ts'

const ground = useDataGround()
const run: DataGround['run'] = (words, more) => ground().run(words, more)

describe('landform data import', () => {
  it('creates a layer from a file, and reports its id and feature count', async () => {
    const made = await run([
      'import',
      'towns.geojson',
      '--parent',
      'city',
      '--name',
      'Towns',
      '--keyname',
      'towns',
    ])
    expect([made.exit, made.err]).toEqual([0, 'Towns: upload …\nTowns: load …\n'])
    expect(made.out).toMatch(/^created Towns \(id = \d+, keyname towns\): 3 features in [\d.]+ s\n$/)
    expect((await run('count towns')).out).toBe('3\n')
  })

  it('packs the files of a Shapefile, and creates the layer in a group given by its path', async () => {
    const made = await run(['import', 'roads.shp', '--parent', 'City/In/Out'])
    expect(made).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^created roads \(id = \d+\): 3 features/),
    })
    expect((await run('count City/In/Out/roads')).out).toBe('3\n')
    expect((await run(['count', ' / City / In/Out / roads'])).out).toBe('3\n')
  })

  it('creates a layer from each file, and treats the files of a Shapefile as one source', async () => {
    const parts = ['roads.dbf', 'roads.prj', 'roads.shp', 'roads.shx', 'towns.geojson']
    const made = await run(['import', ...parts, '--parent', 'many'])
    expect(lines(made.out).map((line) => line.split(' ')[1])).toEqual(['roads', 'towns'])
  })

  it('reports invalid features, and skips them with --skip-errors', async () => {
    const refused = await run('import bad.geojson --parent city')
    expect(refused).toMatchObject({ exit: 3, out: '' })
    expect(refused.err).toMatch(/- feature 4: it has no geometry\n- feature 5: it has no geometry\n/)
    expect(refused.err).toEqual(
      told('source/bad-features', '2 features', 'hint: Repair them, set --fix-errors or --skip-errors'),
    )
    const made = await run('import bad.geojson --parent city --skip-errors')
    expect(lines(made.out)).toEqual([
      expect.stringMatching(/^created bad \(id = \d+\): 3 features, 2 invalid skipped in /),
      '  feature 4: it has no geometry',
      '  feature 5: it has no geometry',
    ])
  })

  it('changes only the features that differ with --sync-key', async () => {
    await run('import towns.geojson --parent city --name Synced --keyname synced')
    const done = await run('import towns.geojson --into synced --sync-key name --json')
    expect(events(done.out).at(-1)).toMatchObject({
      type: 'imported',
      action: 'synchronized',
      before: 3,
      count: 3,
      difference: { added: 0, changed: 0, removed: 0, unchanged: 3 },
    })
    const wrong = await run('import towns.geojson --into synced --sync-key nam')
    expect(wrong).toMatchObject({ exit: 3, err: told('data/key', '"nam"', 'did you mean "name"?') })
    const alone = await run('import towns.geojson --parent city --sync-key name')
    expect(alone).toMatchObject({ exit: 3, err: told('usage/bad-argument', '--sync-key', '--into') })
  })

  it('shows the hint of the server for the file', async () => {
    await ground().write('none.geojson', geojson([]))
    expect((await run('import none.geojson --parent many')).err).toEqual(
      told(
        'source/bad-features',
        'no features',
        'hint: Set --cast-geometry-type, or upload a source with features.',
      ),
    )
    const line = {
      type: 'LineString',
      coordinates: [
        [1, 1],
        [2, 2],
      ],
    }
    await ground().write('mixed.geojson', geojson([{ geometry: point(1, 2) }, { geometry: line }]))
    expect((await run('import mixed.geojson --parent many')).err).toEqual(
      told(
        'source/bad-features',
        '1 POINT, 1 LINESTRING',
        'hint: Choose one with --cast-geometry-type, and skip the others with --skip-other-geometry-types.',
      ),
    )
  })

  it('passes the load options of the class', async () => {
    const words = ['--cast-is-multi', 'yes', '--cast-has-z', 'yes', '--cast-geometry-type', 'point']
    await run([
      'import',
      'towns.geojson',
      '--parent',
      'many',
      '--keyname',
      'cast',
      '--name',
      'Cast',
      ...words,
      '--fid-field',
      'people',
    ])
    const head = await run('head cast --order-by id --json -n 1')
    expect(events(head.out)[0]).toMatchObject({
      id: 650_000,
      geometry: { type: 'MultiPoint', coordinates: [[expect.closeTo(19.5), expect.closeTo(51.75), 0]] },
    })
  })

  it('uses --encoding for files that do not declare their encoding', async () => {
    const cp1251 = Buffer.from('Москва', 'utf16le')
      .filter((_, at) => at % 2 === 0)
      .map((low) => low + 0xb0)
    await execute(
      'ogr2ogr',
      ['-f', 'ESRI Shapefile', 'old.shp', 'towns.geojson', '-select', 'name', '-lco', 'ENCODING='],
      { cwd: ground().cwd },
    )
    await rm(join(ground().cwd, 'old.cpg'))
    const dbf = await readFile(join(ground().cwd, 'old.dbf'))
    const at = dbf.indexOf('Oslo')
    dbf[29] = 0
    await ground().write(
      'old.dbf',
      Buffer.concat([dbf.subarray(0, at), cp1251, dbf.subarray(at + cp1251.length)]),
    )
    expect(await run('import old.shp --parent many --encoding CP1251')).toMatchObject({ exit: 0 })
    expect(events((await run('head Many/old --json -n 1')).out)[0]).toMatchObject({
      properties: { name: 'Москва' },
    })
  })

  it('replaces the data of a layer, and reports removed and added fields', async () => {
    await run('import towns.geojson --parent many --name Replaced --keyname replaced')
    const [counted] = events((await run('count replaced --json')).out) as { layer: { id: number } }[]
    const id = counted?.layer.id
    const done = await run('import other.geojson --into replaced --allow-loss')
    expect(lines(done.out)).toEqual([
      expect.stringMatching(/^replaced Replaced \(id = \d+, keyname replaced\): 1 feature \(3 before\) in /),
      '  Fields removed because the file does not have them: people, since.',
      '  The layer has new fields: lanes.',
    ])
    expect(events((await run(`head ${id} --json`)).out)).toMatchObject([
      { properties: { name: 'Bergen', lanes: 2 } },
    ])
    const kept = await run('import towns.geojson --into replaced --keep-fields --allow-loss')
    expect(lines(kept.out)).toHaveLength(1)
    expect((await run('head replaced --no-geom')).out).toMatch(/\nid +name +lanes\n.*\n +1 +Oslo +\(null\)\n/)
  })

  it('does not change a layer if the file is invalid or would lose data', async () => {
    await run('import towns.geojson --parent many --name Safe --keyname safe')
    expect(await run('import bad.geojson --into safe')).toMatchObject({
      exit: 3,
      err: told('source/bad-features'),
    })
    await ground().write('header.csv', 'name,WKT\n')
    const emptied = await run('import header.csv --into safe --cast-geometry-type point')
    expect(emptied).toMatchObject({ exit: 4, err: told('data/loss', '3 → 0 features', '--allow-loss') })
    const fewer = await run('import other.geojson --into safe --keep-fields --json')
    expect(fewer.exit).toBe(4)
    expect(events(fewer.out).at(-1)).toMatchObject({
      type: 'problem',
      code: 'data/loss',
      data: {
        before: 3,
        after: 1,
        lost_fields: [
          { keyname: 'people', value_count: 3 },
          { keyname: 'since', value_count: 2 },
        ],
      },
    })
    expect((await run('count safe')).out).toBe('3\n')
    const meant = await run('import header.csv --into safe --cast-geometry-type point --allow-loss')
    expect(meant.out).toMatch(/^replaced Safe .*: 0 features \(3 before\) in /)
  })

  it('does not replace data that a manifest manages, unless --take is set', async () => {
    await run('import towns.geojson --parent many --name Managed --keyname managed')
    const [counted] = events((await run('count managed --json')).out) as { layer: { id: number } }[]
    const id = counted?.layer.id ?? 0
    const mark = (items: object) =>
      ground().server.admin('PUT', `/api/resource/${id}`, { resmeta: { items } })
    await mark({ 'landform.manager': formatManager({ manifest: 'city', id }) })
    const fields = await run('import towns.geojson --into managed')
    expect(fields).toMatchObject({
      exit: 1,
      err: told('data/managed', 'fields of "managed"', 'manifest "city"', '--keep-fields', '--take'),
    })
    // The manifest has loaded nothing into it: its features are the people's.
    expect((await run('import towns.geojson --into managed --keep-fields')).exit).toBe(0)
    await mark({ 'landform.source': formatSource({ digest: 'a'.repeat(64), version: 2 }) })
    const data = await run('import towns.geojson --into managed --keep-fields --json')
    expect([data.exit, events(data.out).at(-1)]).toMatchObject([
      1,
      { type: 'problem', code: 'data/managed', data: { layer: 'managed', manifest: 'city' } },
    ])
    await mark({ 'landform.source': formatSource({ digest: 'a'.repeat(64), version: 2, pipeline: true }) })
    expect((await run('import towns.geojson --into managed --keep-fields')).err).toEqual(
      told('data/managed', 'hint: Change the source of the pipeline and run it.', '--take'),
    )
    expect((await run('import towns.geojson --into managed --take')).exit).toBe(0)
    // A marker that was copied from another resource says nothing.
    await mark({ 'landform.manager': formatManager({ manifest: 'city', id: id + 1 }) })
    expect((await run('import towns.geojson --into managed')).exit).toBe(0)
  })

  it('writes events as JSON lines', async () => {
    const made = await run('import bad.geojson --parent many --name Json --skip-errors --json')
    expect(made.err).toBe('')
    const all = events(made.out)
    expect(all.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['step', 'progress', 'step-done', 'imported']),
    )
    expect(all.at(-1)).toMatchObject({
      v: 1,
      action: 'created',
      layer: { id: expect.any(Number), keyname: null, display_name: 'Json' },
      count: 3,
      report: { bad_count: 2, bad: [{ number: 4, reason: expect.any(String) }, { number: 5 }] },
    })
    const failed = await run('import bad.geojson --parent many --name Other --json')
    expect(events(failed.out).at(-1)).toMatchObject({ type: 'problem', code: 'source/bad-features' })
  })

  it('rejects conflicting options before sending a request', async () => {
    const cases = [
      ['import towns.geojson', 3, 'Use either --parent or --into'],
      ['import towns.geojson --parent city --into towns', 3, 'Use either --parent or --into'],
      ['import towns.geojson other.geojson --into towns', 3, 'Cannot load 2 files'],
      ['import towns.geojson other.geojson --parent city --name X', 3, 'cannot have the same name'],
      ['import towns.geojson --into towns --name X', 3, 'cannot be combined with --into'],
      ['import nothing.geojson towns.geojson --parent city', 3, 'File "nothing.geojson" not found.'],
      ['import none/x.shp --parent city', 3, 'File "none/x.shp" not found'],
      ['import . --parent city', 3, 'is a directory'],
      ['import towns.geojson --parent cty', 1, 'did you mean "city"?'],
      ['import towns.geojson --parent city --name Towns', 1, 'Replace its data with --into towns.'],
      ['import towns.geojson --parent city --keyname towns', 1, 'The keyname "towns" belongs to "Towns".'],
      ['import towns.geojson --into city', 3, '"City" is a resource_group, which has no features.'],
      ['import towns.geojson --parent city --fix-errors BEST', 3, 'Use one of NONE, SAFE, LOSSY.'],
      ['import towns.geojson --parent city --cast-is-multi maybe', 3, 'Use yes or no.'],
    ] as const
    for (const [words, exit, text] of cases) {
      const ran = await run(words)
      expect([words, ran.exit, ran.err]).toEqual([words, exit, expect.stringContaining(text)])
    }
  })
})

describe('landform data with NextGIS Web', () => {
  it('loads, replaces when losses are allowed, counts, shows and exports', async () => {
    const plain = await startTestServer('postgres', { plain: true, dialect: 'nextgis' })
    const env = { LANDFORM_SERVER: plain.url }
    const results = []
    const unsure = async () => run('import towns.geojson --into plain', { env })
    for (const words of [
      'import bad.geojson --parent 0 --keyname plain --skip-errors',
      'count plain --filter people__gt=700000',
      'import other.geojson --into plain --allow-loss',
      'head plain --no-geom',
      'export plain -o plain.csv',
    ])
      results.push(await run(words, { env }))
    // It cannot tell what a file holds before it has replaced the data.
    expect(await unsure()).toMatchObject({
      exit: 4,
      err: told('data/loss', 'may lose data: it has 1 feature,'),
    })
    await plain.stop()
    expect(results.map(({ exit, err }) => [exit, err.replaceAll(/^.*…\n/gm, '')])).toEqual(
      Array.from({ length: 5 }, () => [0, '']),
    )
    const [made, count, replaced, head] = results.map(({ out }) => out)
    expect(made).toMatch(/^created bad \(id = \d+, keyname plain\): 3 features in /)
    expect(count).toBe('2\n')
    expect(replaced).toMatch(/: 1 feature \(3 before\) in /)
    expect(head).toMatch(/\n +1 +Bergen +2\n$/)
    expect(await readFile(join(ground().cwd, 'plain.csv'), 'utf8')).toContain('Bergen')
  })
})
