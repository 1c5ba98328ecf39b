import { expect, test } from 'vitest'
import { parseSrsName } from '../../src/ogc/reference_system.ts'

test.each([
  ['EPSG:4326', 4326, false],
  ['epsg:3857', 3857, false],
  ['http://www.opengis.net/gml/srs/epsg.xml#4326', 4326, false],
  ['urn:ogc:def:crs:EPSG::4326', 4326, true],
  ['urn:ogc:def:crs:EPSG:6.9:31467', 31467, true],
  ['urn:x-ogc:def:crs:EPSG:4326', 4326, true],
  ['http://www.opengis.net/def/crs/EPSG/0/25832', 25832, true],
  ['https://www.opengis.net/def/crs/EPSG/9.9/4326', 4326, true],
  ['urn:ogc:def:crs:OGC:1.3:CRS84', 4326, false],
  ['http://www.opengis.net/def/crs/OGC/1.3/CRS84', 4326, false],
  ['CRS:84', 4326, false],
])('%s is EPSG:%i, by the authority: %s', (name, srs, followsAuthority) => {
  expect(parseSrsName(` ${name} `)).toEqual({ name, srs, followsAuthority })
})

test.each([
  '',
  '4326',
  'EPSG:',
  'EPSG:1234567',
  'EPSG:4326x',
  'urn:ogc:def:crs:EPSG::',
  'AUTO:42001',
  'EPSG:-1',
])('"%s" is not a name', (name) => {
  expect(parseSrsName(name)).toBeUndefined()
})
