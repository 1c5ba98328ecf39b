import { expect, test } from 'vitest'
import { allowHosts } from '../../src/catalog/allowed_hosts.ts'

const allows = allowHosts(['GIS.example.org', '127.0.0.1:8080', '[::1]:80', 'maps.example.org:443'])

test.each([
  ['http://gis.example.org/wms', true],
  ['https://gis.example.org:8443/wms', true],
  ['http://127.0.0.1:8080/', true],
  ['http://127.0.0.1/', false],
  ['http://127.0.0.2:8080/', false],
  ['http://[::1]/', true],
  ['https://[::1]/', false],
  ['https://maps.example.org/', true],
  ['http://maps.example.org/', false],
  ['http://a.gis.example.org/', false],
])('the rule for %s is %s', (url, isAllowed) => {
  expect(allows(new URL(url))).toBe(isAllowed)
})
