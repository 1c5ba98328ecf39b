import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startProxy } from '../../api/proxy.ts'
import { readBytes } from '../../support/exports.ts'
import { geojson, point } from '../../support/vector.ts'
import { type DataGround, events, execute, lines, told, useDataGround } from './ground.ts'

const ground = useDataGround()
const run: DataGround['run'] = (words, more) => ground().run(words, more)

beforeAll(async () => {
  const words = ['import', 'towns.geojson', '--parent', 'city', '--name', 'Towns', '--keyname', 'towns']
  expect(await run(words)).toMatchObject({ exit: 0 })
})

describe('landform data head', () => {
  it('shows the first features as a table, with datatypes and shortened geometries', async () => {
    const { out, err } = await run('head towns')
    expect(err).toBe('')
    expect(lines(out)).toEqual([
      expect.stringMatching(
        /^Towns \(id = \d+, keyname towns\): 3 features, coordinates in EPSG:4326, layer in EPSG:3857$/,
      ),
      'id  name     people  since       geom',
      '    STRING  INTEGER  DATE        POINT',
      ' 1  Oslo     709000  1048-01-01  POINT (10.75 59.875)',
      ' 2  Wien    2000000  (null)      POINT (16.375 48.25)',
      ' 3  Łódź     650000  1423-07-29  POINT (19.5 51.75)',
    ])
  })

  it('selects and sorts features and fields', async () => {
    const words = [
      'head',
      'towns',
      '-n',
      '2',
      '--fields',
      'people,name',
      '--order-by=-people',
      '--srs',
      'EPSG:3857',
    ]
    expect(lines((await run(words)).out).slice(1)).toEqual([
      'id   people  name    geom',
      '    INTEGER  STRING  POINT',
      ' 2  2000000  Wien    POINT (1822856.66 6148547.16)',
      ' 1   709000  Oslo    POINT (1196684.53 8371960.44)',
    ])
    const filtered = await run([
      'head',
      'towns',
      '--filter',
      'name__ilike=%O%',
      '--filter',
      'people__gt=1',
      '--no-geom',
    ])
    expect(lines(filtered.out).slice(3)).toEqual([' 1  Oslo     709000  1048-01-01'])
    const boxed = await run('head towns --bbox 16,48,20,50 --fields name --no-geom')
    expect(lines(boxed.out).slice(3)).toEqual([' 2  Wien'])
  })

  it('writes GeoJSON in degrees, one feature per line', async () => {
    const { out } = await run('head towns --json -n 1 --srs 3857')
    expect(events(out)).toEqual([
      {
        type: 'Feature',
        id: 1,
        geometry: { type: 'Point', coordinates: [expect.closeTo(10.75), expect.closeTo(59.875)] },
        properties: { name: 'Oslo', people: 709_000, since: '1048-01-01' },
      },
    ])
  })

  it('reports empty results', async () => {
    expect((await run('head towns --filter name=Rom')).err).toBe('No feature matches the filter.\n')
  })

  it('suggests the correct name of an unknown layer or field', async () => {
    const cases = [
      ['head twons', 1, 'did you mean "towns"?'],
      ['head cty', 1, 'Use a keyname, an id, or a path'],
      ['head Towns', 1, 'has that name: use its id'],
      ['head 999999', 1, 'resource/not-found'],
      ['head city', 3, 'has no features'],
      ['head towns --fields nme', 3, 'did you mean "name"?'],
      ['head 9223372036854775808', 1, 'There is no resource "9223372036854775808"'],
      ['head towns --filter nme=Oslo', 1, 'no field "nme"'],
      ['head towns --filter nme=Oslo', 1, 'did you mean "name"?'],
      ['head towns --filter people__gt=many', 1, 'people'],
      ['head towns --filter name', 3, 'Use a filter such as name=Oslo'],
      ['head towns --bbox 1,2,3', 3, 'west,south,east,north'],
      ['head towns --bbox 170,-20,-170,0', 3, 'West must be less than east'],
      ['head towns -n 0', 3, 'positive integer'],
    ] as const
    for (const [words, exit, text] of cases) {
      const ran = await run(words)
      expect([words, ran.exit, ran.err]).toEqual([words, exit, expect.stringContaining(text)])
    }
  })
})

it('asks guests to sign in', async () => {
  const env = { LANDFORM_PASSWORD: '' }
  const needed = expect.stringContaining('LANDFORM_USER') as string
  for (const words of ['head towns', 'import towns.geojson --parent 0'])
    expect(await run(words, { env })).toMatchObject({ exit: 1, err: needed })
})

it('reports an ambiguous name', async () => {
  for (const parent of ['city', 'many']) await run(`import towns.geojson --parent ${parent} --name Twin`)
  expect(await run('head Twin')).toMatchObject({
    exit: 1,
    err: told('resource/not-found', '2 resources have the name "Twin"', 'hint: Use an id'),
  })
  expect(await run('head Many/Twin')).toMatchObject({ exit: 0 })
})

describe('landform data count', () => {
  it('includes features near the poles, which web maps do not show', async () => {
    await ground().write('pole.geojson', geojson([{ geometry: point(10, 89.5) }]))
    await run('import pole.geojson --parent many --keyname pole')
    expect((await run('count pole --bbox -180,-90,180,90')).out).toBe('1\n')
    expect((await run('count pole --bbox -180,-90,180,89')).out).toBe('0\n')
  })

  it('counts all features, or those that match filters', async () => {
    expect((await run('count towns --filter people__ge=700000')).out).toBe('2\n')
    expect((await run('count towns --bbox 16,48,20,50')).out).toBe('1\n')
    expect(events((await run('count towns --json')).out)).toEqual([
      {
        v: 1,
        type: 'count',
        layer: { id: expect.any(Number), keyname: 'towns', display_name: 'Towns' },
        count: 3,
      },
    ])
  })
})

describe('landform data export', () => {
  const read = async (name: string) => readBytes(name, await readFile(join(ground().cwd, name)))

  it('writes the format of the file extension, and reports the size', async () => {
    const done = await run('export towns -o out.gpkg')
    expect(done).toMatchObject({ exit: 0, err: 'towns: export …\n' })
    expect(done.out).toMatch(/^out\.gpkg: Towns as GPKG, [\d.]+ kB in [\d.]+ s\n$/)
    const { driver, layers } = await read('out.gpkg')
    expect(driver).toBe('GPKG')
    expect(layers[0]?.features.map(({ values }) => values.name)).toEqual(['Oslo', 'Wien', 'Łódź'])
  })

  it('writes the selected reference system, ids, fields and features', async () => {
    const how = ['--srs', '3857', '--fid', 'nr', '--fields', 'name', '--filter', 'people__gt=700000']
    await run(['export', 'towns', '-o', 'some.gpkg', ...how])
    expect((await read('some.gpkg')).layers[0]).toMatchObject({
      srs: expect.stringContaining('+proj=merc'),
      features: [{ values: { nr: 1, name: 'Oslo' } }, { values: { nr: 2, name: 'Wien' } }],
    })
  })

  it('packs formats with several files, in the selected encoding', async () => {
    await run('export towns -o out.shp.zip --encoding CP1251 --filter name=Oslo')
    const { stdout } = await execute('ogrinfo', ['-q', '-al', 'out.shp.zip'], { cwd: ground().cwd })
    expect(stdout).toContain('name (String) = Oslo')
  })

  it('overwrites an existing file only with --force', async () => {
    await ground().write('there.csv', 'mine')
    expect(await run('export towns -o there.csv')).toMatchObject({
      exit: 3,
      err: told('usage/bad-argument', '"there.csv" already exists', '--force'),
    })
    expect(await readFile(join(ground().cwd, 'there.csv'), 'utf8')).toBe('mine')
    expect((await run('export towns -o there.csv --force')).exit).toBe(0)
    expect(await readFile(join(ground().cwd, 'there.csv'), 'utf8')).toContain('Łódź')
  })

  it('writes only the data to standard output', async () => {
    const { out, err } = await run('export towns -o - --format GeoJSON')
    expect([(JSON.parse(out) as { features: object[] }).features.length, err]).toEqual([3, ''])
    expect(await run('export towns -o - --format CSV --json')).toMatchObject({ exit: 3 })
  })

  it('keeps the existing file if the connection fails or the export is interrupted', async () => {
    await ground().write('kept.geojson', 'mine')
    const proxy = await startProxy({
      target: ground().server.url,
      decide: (_, path) => (path.includes('/export') ? 'cut after' : 'pass'),
    })
    const broken = await run('export towns -o kept.geojson --force', { env: { LANDFORM_SERVER: proxy.url } })
    expect(broken).toMatchObject({ exit: 1, err: told('http/unreachable') })
    await proxy.close()
    const stopped = await run('export towns -o kept.geojson --force', { interrupt: AbortSignal.abort() })
    expect(stopped.exit).toBe(130)
    expect(await readFile(join(ground().cwd, 'kept.geojson'), 'utf8')).toBe('mine')
    expect(readdirSync(ground().cwd).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('rejects invalid options before sending a request', async () => {
    const cases = [
      ['export towns -o out.shp', 3, 'Name it out.shp.zip.'],
      ['export towns -o out.xyz', 3, 'Cannot determine the format'],
      ['export towns -o none/out.gpkg', 3, 'The folder "none" does not exist.'],
      ['export towns -o .', 3, 'Cannot determine the format'],
      ['export towns -o new.gpkg --fid name', 1, 'is already a field'],
      ['export towns -o new.gpkg --srs 0', 3, 'Use an EPSG code'],
      ['export towns -o new.kml --srs 3857', 1, 'always in EPSG:4326'],
      ['export city -o new.gpkg', 3, 'has no features'],
      ['export towns', 3, "required option '-o, --output <file>' not specified"],
    ] as const
    for (const [words, exit, text] of cases) {
      const ran = await run(words)
      expect([words, ran.exit, ran.err]).toEqual([words, exit, expect.stringContaining(text)])
    }
    expect(readdirSync(ground().cwd).filter((name) => name.startsWith('new'))).toEqual([])
  })

  it('reports what the format cannot represent', async () => {
    await ground().write(
      'long.geojson',
      geojson([{ geometry: point(1, 2), properties: { inhabitants_2020: 5 } }]),
    )
    await run('import long.geojson --parent many --name Long --keyname long')
    const note = 'Field inhabitants_2020 was renamed to inhabitant.'
    const written = await run('export long -o long.shp.zip')
    expect(written).toMatchObject({ exit: 0, err: expect.stringContaining(`note: ${note}\n`) })
    expect(events((await run('export long -o long.shp.zip --force --json')).out).at(-1)).toMatchObject({
      notes: [note],
    })
  })

  it('writes events as JSON lines', async () => {
    const done = events((await run('export towns -o event.kml --json')).out)
    const size = (await readFile(join(ground().cwd, 'event.kml'))).length
    expect(done.at(-1)).toMatchObject({
      type: 'exported',
      file: 'event.kml',
      format: 'KML',
      size_bytes: size,
    })
  })
})
