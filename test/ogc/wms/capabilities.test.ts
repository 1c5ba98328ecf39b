import { expect, test } from 'vitest'
import { wmsCapabilities } from '../../../src/ogc/wms/capabilities.ts'
import { wmsProtocols } from '../../../src/ogc/wms/wms_protocol.ts'

test.each([
  ['1.3.0', /<CRS>EPSG:3035<\/CRS><CRS>EPSG:25833<\/CRS><CRS>CRS:84<\/CRS>/],
  ['1.1.1', /<SRS>EPSG:3035<\/SRS><SRS>EPSG:25833<\/SRS><LatLonBoundingBox/],
] as const)('announces the reference systems of layers once, version %s', (version, expected) => {
  const service = { title: 'Maps', url: 'https://example.org/wms', systems: [4326, 25_833], layers: [] }
  const xml = wmsCapabilities(service, wmsProtocols[version])
  expect(xml).toMatch(expected)
  expect(xml.match(/RS>EPSG:4326</g)).toHaveLength(1)
})
