import { expect, test } from 'vitest'
import { capabilitiesUrl } from '../../src/ogc/capabilities_url.ts'

const wms = 'SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0'

test.each([
  ['http://a.example/wms', '', `?${wms}`],
  ['http://a.example/wms?', '?', `?${wms}`],
  ['http://a.example/?map=/x.map&Request=GetMap&version=1.0.0&service=wfs#top', '', `?map=/x.map&${wms}`],
  ['http://a.example/?key=a%20b&flag', '&time=2024&SERVICE=WMS', `?key=a%20b&flag&time=2024&${wms}`],
  ['http://a.example/?%53ervice=x', 'a=1&&b=2', `?a=1&b=2&${wms}`],
])('the request for the capabilities of %s with the parameters "%s" is %s', (url, parameters, search) => {
  const found = capabilitiesUrl(url, { service: 'WMS', version: '1.3.0', parameters })
  expect(found.href).toBe(`${new URL(url).origin}${new URL(url).pathname}${search}`)
})
