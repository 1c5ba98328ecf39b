import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askWms, publishMaps, type TestMaps } from '../support/map_service.ts'
import { findSchemaErrors, hasQgis, readWithOwslib, readWithQgis } from '../support/ogc_client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const run = promisify(execFile)
const qgis = await hasQgis()

describe('clients of WMS and WMTS', () => {
  let server: TestServer
  let maps: TestMaps
  let folder = ''
  beforeAll(async () => {
    server = await startTestServer('postgres')
    maps = await publishMaps(server)
    folder = await mkdtemp(join(tmpdir(), 'landform-wms-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const get = async (path: string) => (await server.guest('GET', `${maps.path}/${path}`)).text()
  const address = () => `${server.url}${maps.path}`
  const pixel = async (file: string, x: number, y: number) => {
    const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    return [...data.subarray(4 * (y * info.width + x), 4 * (y * info.width + x) + 4)]
  }
  const green = [0, 128, 0, 255]
  // The drivers write a cache to the current folder.
  const gdal = (program: string, args: readonly string[]) => run(program, args, { cwd: folder })

  test('the schemas of OGC accept all documents', async () => {
    const fault = async (parameters: Record<string, string>) =>
      (await askWms(server.guest, maps, { layers: 'rivers', ...parameters })).text()
    for (const id of [maps.service, maps.squareStyle])
      await server.admin('PUT', `/api/resource/${id}`, {
        resource: { description: '<p>Squares &amp; more</p>' },
      })
    const describe = async (path: string) => {
      const text = await (await server.admin('GET', `${maps.path}/${path}`)).text()
      expect(text.match(/Abstract>Squares &amp; more</g)).toHaveLength(2)
      return text
    }
    const wms = (version: string) => describe(`wms?service=WMS&request=GetCapabilities&version=${version}`)
    const documents = [
      ['WMS 1.1.1 capabilities', await wms('1.1.1')],
      ['WMS 1.3.0 capabilities', await wms('1.3.0')],
      ['WMS 1.1.1 exception', await fault({ version: '1.1.1', srs: 'EPSG:4326' })],
      ['WMS 1.1.1 exception', await fault({ version: '1.1.1', srs: 'EPSG:1' })],
      ['WMS 1.3.0 exception', await fault({})],
      ['WMS 1.3.0 exception', await fault({ width: '100000' })],
      ['WMTS capabilities', await describe('wmts?service=WMTS&request=GetCapabilities')],
      ['WMTS capabilities', await describe('wmts/1.0.0/WMTSCapabilities.xml')],
      ['OWS exception', await get('wmts?service=WMTS&request=GetTile')],
      ['OWS exception', await get('wmts/1.0.0/square/default/GoogleMapsCompatible/0/1/0.png')],
    ] as const
    for (const [kind, document] of documents)
      expect([kind, await findSchemaErrors(kind, document)]).toEqual([kind, []])
    const [, broken] = documents[1]
    expect(
      await findSchemaErrors(
        'WMS 1.3.0 capabilities',
        broken.replace('<Title>', '<Titel>').replace('</Title>', '</Titel>'),
      ),
    ).not.toEqual([])
  })

  test('OWSLib reads capabilities, maps, tiles and features', async () => {
    const found = await readWithOwslib(address(), 'square')
    const png = [...Buffer.from('\x89PNG', 'latin1')]
    for (const version of ['1.1.1', '1.3.0'] as const)
      expect(found[version]).toMatchObject({
        title: 'Maps WMS',
        layers: ['square', 'road', 'town'],
        box: [10, 10, 20, 20],
        queryable: true,
        legend: expect.stringContaining('GetLegendGraphic'),
        image: png,
        features: ['square.1'],
      })
    expect(found.wmts).toMatchObject({
      layers: ['square', 'road', 'town'],
      sets: ['GoogleMapsCompatible', 'GoogleMapsCompatible512'],
      kvp: png,
      resources: 7,
    })
  })

  test('GDAL reads layers of WMS', async () => {
    const { stdout } = await gdal('gdalinfo', [`WMS:${address()}/wms`])
    expect(stdout).toMatch(/SUBDATASET_1_NAME=WMS:.*LAYERS=square/)
    for (const version of ['1.1.1', '1.3.0']) {
      const reference = version === '1.3.0' ? 'CRS=EPSG:4326' : 'SRS=EPSG:4326'
      const source = `WMS:${address()}/wms?SERVICE=WMS&VERSION=${version}&REQUEST=GetMap&LAYERS=square&STYLES=&${reference}&BBOX=0,0,30,30&FORMAT=image/png`
      const file = join(folder, `wms-${version}.tif`)
      await gdal('gdal_translate', [
        '-q',
        '-outsize',
        '100',
        '100',
        '-projwin',
        '8',
        '29',
        '28',
        '9',
        source,
        file,
      ])
      // 12° east, 17° north.
      expect((await pixel(file, 20, 60)).slice(0, 3)).toEqual(green.slice(0, 3))
      expect(await pixel(file, 80, 20)).not.toEqual(green)
    }
  })

  test('GDAL reads layers of WMTS', async () => {
    const source = `WMTS:${address()}/wmts/1.0.0/WMTSCapabilities.xml,layer=square,tilematrixset=GoogleMapsCompatible`
    const file = join(folder, 'wmts.tif')
    const window = ['-projwin', '1113194', '2273030', '2226389', '1118889']
    await gdal('gdal_translate', ['-q', '-outsize', '100', '100', ...window, source, file])
    expect(await pixel(file, 50, 50)).toEqual(green)
  })

  test('GDAL reads tiles by their address', async () => {
    const template = `${server.url}/api/component/render/tile?z=\${z}&amp;x=\${x}&amp;y=\${y}&amp;resource=${maps.squareStyle}`
    const half = 20_037_508.34
    const dataset = `<GDAL_WMS><Service name="TMS"><ServerUrl>${template}</ServerUrl></Service>
      <DataWindow><UpperLeftX>-${half}</UpperLeftX><UpperLeftY>${half}</UpperLeftY><LowerRightX>${half}</LowerRightX>
        <LowerRightY>-${half}</LowerRightY><TileLevel>6</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY>
        <YOrigin>top</YOrigin></DataWindow>
      <Projection>EPSG:3857</Projection><BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY><BandsCount>4</BandsCount>
    </GDAL_WMS>`
    const source = join(folder, 'tms.xml')
    const file = join(folder, 'tms.tif')
    await writeFile(source, dataset)
    const window = ['-projwin', '1113194', '2273030', '2226389', '1118889']
    await gdal('gdal_translate', ['-q', '-outsize', '50', '50', ...window, source, file])
    expect(await pixel(file, 25, 25)).toEqual(green)
  })

  const title = qgis
    ? 'QGIS draws layers, and finds features'
    : 'QGIS is NOT tested: install python3-qgis to test it'
  test(title, async () => {
    if (!qgis) return
    const uris = ['1.1.1', '1.3.0'].map(
      (version) =>
        `url=${address()}/wms?VERSION%3D${version}&layers=square&styles=&format=image/png&crs=EPSG:4326&version=${version}`,
    )
    const tiles = `url=${address()}/wmts?SERVICE%3DWMTS%26REQUEST%3DGetCapabilities&layers=square&styles=default&format=image/png&crs=EPSG:3857&tileMatrixSet=GoogleMapsCompatible`
    const found = await readWithQgis([...uris, tiles])
    expect(found.map(({ error, color }) => [error, color])).toEqual(
      found.map(() => [undefined, green.slice(0, 3)]),
    )
    for (const { text } of found.slice(0, 2)) expect(text.join()).toContain('A & <b>')
  })
})
