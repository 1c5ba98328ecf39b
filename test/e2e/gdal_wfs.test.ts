import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasQgis, readFeaturesWithOwslib, readFeaturesWithQgis } from '../support/ogc_client.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { publishTowns, readValues } from '../support/wfs.ts'

const run = promisify(execFile)
const qgis = await hasQgis()
const credentials = ['--config', 'GDAL_HTTP_USERPWD', `administrator:${adminPassword}`]

describeServer('the WFS driver of GDAL', (start) => {
  let server: TestServer
  let folder = ''
  let path = ''
  beforeAll(async () => {
    server = await start()
    folder = await mkdtemp(join(tmpdir(), 'landform-gdal-wfs-'))
    path = (await publishTowns(server.admin, 'Towns', { srs: 4326 })).path
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const dataset = (version: string, from = path) => `WFS:${server.url}${from}?VERSION=${version}`
  const info = async (...args: string[]) => (await run('ogrinfo', [...args, ...credentials])).stdout
  const list = (output: string, field: string) =>
    [...output.matchAll(new RegExp(` ${field} \\(\\w+\\) = (.*)`, 'g'))].map(([, value]) => value)

  test.each(['1.0.0', '1.1.0', '2.0.0'])('reads features of version %s', async (version) => {
    const output = await info('-al', dataset(version))
    expect(output).toContain('Geometry: Point')
    expect(output).toContain('Feature Count: 4')
    expect(output).toMatch(/ID\["EPSG",4326\]/)
    expect(list(output, 'name')).toEqual(['Oslo', 'Wien', 'Łódź & <co> "x"'])
    expect(list(output, 'area')).toEqual(['9007199254740993'])
    expect(list(output, 'since')).toEqual(['1048/01/01', '0881/05/06'])
    expect(list(output, 'opens')).toEqual(['08:30:00'])
    expect(list(output, 'seen')).toEqual(['2020/01/31 23:59:59'])
    expect(list(output, '_2020_total')).toEqual(['1'])
    expect(list(output, 'высота')).toEqual(['0.1'])
    expect(output.match(/POINT \(.*\)/g)).toEqual([
      'POINT (10.75 59.91)',
      'POINT (16.37 48.21)',
      'POINT (19.46 51.77)',
    ])
  })

  test.each(['1.0.0', '1.1.0', '2.0.0'])('pushes filters down in version %s', async (version) => {
    const found = async (...args: string[]) =>
      list(await info('-q', '-al', '-geom=NO', ...args, dataset(version)), 'name')
    expect(await found('-where', 'people > 650000 AND people < 1000000')).toEqual(['Oslo'])
    expect(await found('-where', "name LIKE 'W%' OR name = 'Oslo'")).toEqual(['Oslo', 'Wien'])
    expect(await found('-where', 'since IS NULL AND name IS NOT NULL')).toEqual(['Łódź & <co> "x"'])
    expect(await found('-spat', '15', '45', '17', '50')).toEqual(['Wien'])
    expect(await found('-spat', '5', '45', '17', '60', '-where', 'people < 1000000')).toEqual(['Oslo'])
  })

  test.each(['1.0.0', '1.1.0', '2.0.0'])('filters by dates and times in version %s', async (version) => {
    const found = async (where: string) =>
      list(await info('-q', '-al', '-geom=NO', '-where', where, dataset(version)), 'name')
    expect(await found("since = '1048-01-01'")).toEqual(['Oslo'])
    expect(await found("since > '0881-05-06'")).toEqual(['Oslo'])
    expect(await found("since < '1048-01-01'")).toEqual(['Wien'])
    expect(await found("since BETWEEN '0881-05-06' AND '1047-12-31'")).toEqual(['Wien'])
    expect(await found("since IN ('0881-05-06', '1048-01-01')")).toEqual(['Oslo', 'Wien'])
    expect(await found("since > '1047-12-31 12:00:00'")).toEqual(['Oslo'])
    expect(await found("since >= '1048-01-01 12:00:00' OR since = '1048-01-01 12:00:00'")).toEqual([])
    expect(await found("opens = '08:30:00'")).toEqual(['Oslo'])
    expect(await found("opens > '08:29:59'")).toEqual(['Oslo'])
    expect(await found("opens < '08:30:00'")).toEqual([])
    expect(await found("opens BETWEEN '08:00:00' AND '09:00:00'")).toEqual(['Oslo'])
    expect(await found("seen = '2020-01-31 23:59:59'")).toEqual(['Oslo'])
    expect(await found("seen > '2020-01-31'")).toEqual(['Oslo'])
    expect(await found("seen < '2020-01-31'")).toEqual([])
    expect(await found("seen BETWEEN '2020-01-31' AND '2020-02-01'")).toEqual(['Oslo'])
  })

  test('reads in pages, and sorts', async () => {
    const paged = await publishTowns(server.admin, 'Paged', { entry: { maxfeatures: 2 } })
    const pages = await info('-q', '-al', '-geom=NO', dataset('2.0.0', paged.path))
    expect(list(pages, 'name')).toEqual(['Oslo', 'Wien', 'Łódź & <co> "x"'])
    const sorted = await info(
      '-q',
      '-sql',
      'SELECT * FROM "svc:towns" WHERE people > 0 ORDER BY people DESC',
      dataset('2.0.0'),
    )
    expect(list(sorted, 'name')).toEqual(['Wien', 'Oslo', 'Łódź & <co> "x"'])
  })

  // The driver does not read the identifiers in responses of version 2.0.0.
  test.each(['1.0.0', '1.1.0'])('inserts, updates and deletes in version %s', async (version) => {
    const { path: own } = await publishTowns(server.admin, `Written ${version}`, { srs: 4326 })
    const source = join(folder, `new-${version}.geojson`)
    const feature = (name: string, x: number) => ({
      type: 'Feature',
      properties: { name, people: 5, since: '2001-02-03' },
      geometry: { type: 'Point', coordinates: [x, 60] },
    })
    await writeFile(
      source,
      JSON.stringify({ type: 'FeatureCollection', features: [feature('A', 1), feature('B', 2)] }),
    )
    const target = ['-append', '-update', dataset(version, own), source, '-nln', 'svc:towns']
    await run('ogr2ogr', [...target, ...credentials])
    const read = (parameters: Record<string, string>) => readValues(server, own, parameters)
    expect(await read({ bbox: '0,59,3,61,EPSG:4326' })).toEqual(['A', 'B'])
    expect(await read({ property: 'since', bbox: '0,59,3,61,EPSG:4326' })).toEqual([
      '2001-02-03',
      '2001-02-03',
    ])
    await info(dataset(version, own), '-update', '-sql', `DELETE FROM svc:towns WHERE name = 'A'`)
    const change = `UPDATE "svc:towns" SET people = 6 WHERE name = 'B'`
    await info(dataset(version, own), '-update', '-dialect', 'SQLITE', '-sql', change)
    expect(await read({ property: 'people' })).toEqual(['709000', '2000000', '650000', '6'])
    expect(await read({})).toEqual(['Oslo', 'Wien', 'Łódź &amp; &lt;co&gt; &quot;x&quot;', 'B'])
  })

  test('OWSLib reads features of every version, and of OGC API', async () => {
    const filter =
      '<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc"><ogc:PropertyIsEqualTo><ogc:PropertyName>name</ogc:PropertyName><ogc:Literal>Wien</ogc:Literal></ogc:PropertyIsEqualTo></ogc:Filter>'
    const account = ['administrator', adminPassword]
    const url = server.url + path.replace('/wfs', '')
    const found = await readFeaturesWithOwslib(url, { layer: 'towns', filter, account })
    for (const version of ['1.0.0', '1.1.0', '2.0.0'] as const)
      expect(found[version]).toMatchObject({ title: 'Towns', names: ['Wien'] })
    expect(found.api).toEqual({
      ...{ collections: ['towns'], queryables: true },
      ...{ names: ['Oslo'], filtered: ['Łódź & <co> "x"'] },
    })
  })

  const title = qgis
    ? 'QGIS reads features of every version, and of OGC API'
    : 'QGIS is NOT tested: install python3-qgis to test it'
  test(title, async () => {
    if (!qgis) return
    const account = `username='administrator' password='${adminPassword}'`
    const wfs = ['1.0.0', '1.1.0', '2.0.0'].map((version) => {
      const uri = `url='${server.url}${path}' typename='svc:towns' version='${version}' srsname='EPSG:4326'`
      return ['WFS', `${uri} restrictToRequestBBOX='1' pagingEnabled='true' ${account}`] as const
    })
    const api = `url='${server.url}${path.replace('/wfs', '/ogcapi')}' typename='towns' ${account}`
    const found = await readFeaturesWithQgis([...wfs, ['OAPIF', api]])
    const [first] = found
    expect(first?.names.length).toBeGreaterThan(2)
    for (const one of found) expect(one).toEqual({ crs: 'EPSG:4326', names: first?.names, near: ['Oslo'] })
  })
})
