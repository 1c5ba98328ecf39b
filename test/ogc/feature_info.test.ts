import { expect, test } from 'vitest'
import { parseFeatureInfo } from '../../src/ogc/feature_info.ts'
import { findServiceException } from '../../src/ogc/service_exception.ts'

const parse = (contentType: string, text: string) => parseFeatureInfo({ contentType, text })

test('GeoJSON has features with their properties', () => {
  const json = {
    type: 'FeatureCollection',
    features: [{ id: 'a.1', properties: { size: 3, Name: 'Nord' } }, { id: 'a.2' }],
  }
  expect(parse('application/json', JSON.stringify(json))).toEqual([
    { label: 'Nord', fields: { size: 3, Name: 'Nord' } },
    { label: 'a.2', fields: {} },
  ])
})

test.each([
  [
    'MapServer',
    '<msGMLOutput><towns_layer><towns_feature><gml:boundedBy xmlns:gml="http://www.opengis.net/gml"><gml:Box/></gml:boundedBy><name>Nord</name></towns_feature></towns_layer></msGMLOutput>',
  ],
  [
    'GeoServer',
    '<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml"><gml:featureMember><t:towns xmlns:t="u" fid="towns.1"><t:name>Nord</t:name><t:geom><gml:Point/></t:geom></t:towns></gml:featureMember></wfs:FeatureCollection>',
  ],
  [
    'QGIS',
    '<GetFeatureInfoResponse><Layer name="towns"><Feature id="1"><Attribute name="name" value="Nord"/></Feature></Layer></GetFeatureInfoResponse>',
  ],
])('GML of %s has features with their fields', (_, xml) => {
  expect(parse('application/vnd.ogc.gml', `<?xml version="1.0"?>\n${xml}`)).toEqual([
    { label: 'Nord', fields: { name: 'Nord' } },
  ])
})

test('text is one feature, unless it says that there is none', () => {
  expect(parse('text/plain', 'towns: Nord\nsize: 3\n')).toEqual([
    { label: 'towns: Nord', fields: { text: 'towns: Nord\nsize: 3' } },
  ])
  expect(parse('text/plain; charset=UTF-8', 'no features were found\n')).toEqual([])
  expect(parse('text/plain', '')).toEqual([])
})

test.each([
  ['text/html', '<html></html>'],
  ['application/json', '{"a":'],
  ['application/json', '{"type":"Feature"}'],
  ['application/vnd.ogc.gml', '<a><b></a>'],
  ['application/vnd.ogc.gml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['application/octet-stream', 'xyz'],
])('other content is not understood: %s %s', (type, text) => {
  expect(parse(type, text)).toBeUndefined()
})

test('the text of an exception is found in all versions, and in nothing else', () => {
  const report = (inner: string) =>
    `<?xml version="1.0"?><ServiceExceptionReport>${inner}</ServiceExceptionReport>`
  expect(findServiceException(report('<ServiceException code="a">\n No\n  layer </ServiceException>'))).toBe(
    'No layer',
  )
  expect(findServiceException(report(''))).toBe('')
  expect(
    findServiceException(
      '<ows:ExceptionReport xmlns:ows="u"><ows:Exception><ows:ExceptionText>Bad</ows:ExceptionText></ows:Exception></ows:ExceptionReport>',
    ),
  ).toBe('Bad')
  expect(
    findServiceException(report(`<ServiceException>${'x'.repeat(400)}</ServiceException>`)),
  ).toHaveLength(301)
  expect(findServiceException('<html><ServiceException>x</ServiceException></html>')).toBeUndefined()
})
