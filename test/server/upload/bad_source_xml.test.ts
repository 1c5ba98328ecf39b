import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { onlyNew } from '../../support/only_new.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'
import { makeZip } from '../../support/zip.ts'

const kml = (...geometries: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document>
${geometries.map((geometry) => `<Placemark><name>Town</name>${geometry}</Placemark>`).join('\n')}
</Document></kml>`
const kmlPoint = (coordinates: string) => `<Point><coordinates>${coordinates}</coordinates></Point>`
const kmlLine = (coordinates: string) => `<LineString><coordinates>${coordinates}</coordinates></LineString>`
const placemarks = (coordinates: string) => kml(kmlPoint('1,2'), kmlPoint(coordinates))
const paths = (coordinates: string) => kml(kmlLine('0,0 1,1'), kmlLine(coordinates))

const gml = (...geometries: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml">
${geometries
  .map(
    (geometry) =>
      `<gml:featureMember><ogr:t><ogr:g>${geometry}</ogr:g><ogr:name>Town</ogr:name></ogr:t></gml:featureMember>`,
  )
  .join('\n')}
</ogr:FeatureCollection>`
const gmlPoint = (element: string, text: string) =>
  `<gml:Point srsName="EPSG:4326"><gml:${element}>${text}</gml:${element}></gml:Point>`
const gmlLine = (text: string) =>
  `<gml:LineString srsName="EPSG:4326"><gml:posList>${text}</gml:posList></gml:LineString>`
const members = (element: string, text: string) => gml(gmlPoint('pos', '1 2'), gmlPoint(element, text))

const gpx = (point: string) =>
  `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="1" lon="2"/>${point}</gpx>`

const half = (text: string) => text.slice(0, text.length / 2)
const inWesternPage = (text: string) => Buffer.from(text.replace('Town', 'Orléans'), 'latin1')
const withEntities = (text: string, entities: string) =>
  text.replace(/<(kml|ogr:F)/, `<!DOCTYPE x [${entities}]><$1`).replace('Town', '&z;')
const external = '<!ENTITY z SYSTEM "file:///etc/hostname">'
/** Nine entities, each of which is ten of the one before it. */
const laughs = [...'bcdefghij']
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`)
  .join('')
const many = `<!ENTITY a "ha">${laughs}<!ENTITY z "&j;">`

let server: TestServer
let client: LayerClient
beforeAll(async () => {
  server = await startTestServer('postgres')
  client = openLayerClient(server)
})
const findNewFiles = onlyNew(() => findUnreferencedFiles(server))
afterEach(async () => expect(await findNewFiles()).toEqual([]))
afterAll(() => server.stop())

const notNumber = 'feature 2: a coordinate is not a number'
const declares = 'it declares entities'

describe('XML is loaded as declared, or refused with the reason:', () => {
  test.each<[what: string, name: string, content: string | Buffer, words: string]>([
    ['KML with a letter for a latitude', 'a.kml', placemarks('1,x'), notNumber],
    ['KML with a letter for a longitude', 'a.kml', placemarks('x,1'), notNumber],
    ['KML with a letter for a height', 'a.kml', placemarks('1,2,x'), notNumber],
    ['KML with a letter behind a number', 'a.kml', placemarks('1,2x'), notNumber],
    ['KML without a latitude', 'a.kml', placemarks('1,'), notNumber],
    ['KML with NaN', 'a.kml', placemarks('NaN,1'), notNumber],
    ['KML with two dots in a number', 'a.kml', placemarks('1.5.5,2'), notNumber],
    ['KML with a position of four', 'a.kml', placemarks('1,2,3,4'), notNumber],
    ['KML of no position', 'a.kml', placemarks(''), 'feature 2: it has no geometry'],
    ['a line in KML with half a position', 'a.kml', paths('1,2 3 5,6'), notNumber],
    ['a line in KML with a letter', 'a.kml', paths('1,2 x,4 5,6'), notNumber],
    ['a KMZ with a letter', 'a.kmz', makeZip([{ name: 'doc.kml', content: placemarks('1,x') }]), notNumber],
    ['KML cut in the middle', 'a.kml', half(placemarks('3,4')), 'unclosed tag'],
    ['KML that is not in UTF-8', 'a.kml', inWesternPage(placemarks('3,4')), 'its text is not UTF-8'],
    ['KML with an external entity', 'a.kml', withEntities(placemarks('3,4'), external), declares],
    ['KML with entities of entities', 'a.kml', withEntities(placemarks('3,4'), many), declares],
    ['GML 2 with a letter', 'a.gml', members('coordinates', '1,x'), notNumber],
    ['GML 2 with NaN', 'a.gml', members('coordinates', 'NaN,1'), notNumber],
    ['GML 3 with a letter', 'a.gml', members('pos', '1 x'), notNumber],
    ['GML 3 with a letter behind a number', 'a.gml', members('pos', '1 2x'), notNumber],
    ['GML 3 with half a position', 'a.gml', members('pos', '1'), '1 of 2 features can be read'],
    ['a line in GML with a letter', 'a.gml', gml(gmlLine('0 0 1 1'), gmlLine('0 0 1 x')), notNumber],
    ['GML cut in the middle', 'a.gml', half(members('pos', '3 4')), 'unclosed tag'],
    ['GML with an external entity', 'a.gml', withEntities(members('pos', '3 4'), external), declares],
    ['GML with entities of entities', 'a.gml', withEntities(members('pos', '3 4'), many), declares],
    ['GPX with a letter', 'a.gpx', gpx('<wpt lat="x" lon="2"/>'), notNumber],
    ['GPX without a latitude', 'a.gpx', gpx('<wpt lon="2"></wpt>'), notNumber],
  ])('%s', async (_, name, content, words) => {
    const source = await client.upload(name, content)
    const own = name.endsWith('gpx') ? { source_layer: 'waypoints' } : {}
    const { status, message, detail } = await client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
      vector_layer: { source, srs: { id: 3857 }, ...own },
    })
    expect(status, message).toBe(422)
    expect(`${message}\n${detail}`).toContain(words)
  })

  test('skipping errors omits only features with an invalid coordinate', async () => {
    const source = await client.upload('a.kml', kml(kmlPoint('1,2'), kmlPoint('1,x'), kmlPoint(' 3, 4\n')))
    const id = await client.create({ source, srs: { id: 3857 }, skip_errors: true })
    expect(await client.features(id)).toHaveLength(2)
  })

  test.each([
    ['KML', 'a.kml', placemarks('3,4'), 'Name'],
    ['GML', 'a.gml', members('pos', '3 4'), 'name'],
  ])('%s in the encoding that it declares', async (_, name, content, field) => {
    const source = await client.upload(name, inWesternPage(content.replace('UTF-8', 'windows-1252')))
    const [first] = await client.features(await client.create({ source, srs: { id: 3857 } }))
    expect(first?.fields[field]).toBe('Orléans')
  })
})
