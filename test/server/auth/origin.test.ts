import { expect, test } from 'vitest'
import { readProxies } from '../../../src/server/auth/client_address.ts'
import { checkOrigin, type OriginRequest, readOrigins } from '../../../src/server/auth/origin.ts'

const base: OriginRequest = {
  method: 'POST',
  origin: undefined,
  fetchSite: undefined,
  host: 'gis.example.org',
  allowed: ['https://maps.example.net'],
}

test.each([
  ['a program that is no browser', {}],
  ['a page of the server', { origin: 'https://gis.example.org', fetchSite: 'same-origin' }],
  ['a page of the server, in an older browser', { origin: 'https://gis.example.org' }],
  [
    'a page of the server, through a proxy that changes the host',
    { fetchSite: 'same-origin', host: 'app:8080' },
  ],
  ['an allowed site', { origin: 'https://maps.example.net', fetchSite: 'cross-site' }],
  ['whoever only reads', { method: 'GET', origin: 'https://evil.example', fetchSite: 'cross-site' }],
])('accepts %s', (_, request) => {
  expect(() => checkOrigin({ ...base, ...request })).not.toThrow()
})

test.each([
  ['another site', { origin: 'https://evil.example', fetchSite: 'cross-site' }],
  ['another site, in an older browser', { origin: 'https://evil.example' }],
  ['a neighbour of the same domain', { origin: 'https://blog.example.org', fetchSite: 'same-site' }],
  ['another port', { origin: 'https://gis.example.org:8443' }],
  ['a page without origin', { origin: 'null' }],
  ['a site whose name begins alike', { origin: 'https://maps.example.net.evil.example' }],
])('refuses %s', (_, request) => {
  expect(() => checkOrigin({ ...base, ...request })).toThrow('Cross-site request')
})

test('invalid origins and proxies are refused', () => {
  expect(readOrigins(['https://Maps.example.net', 'http://localhost:3000/'])).toEqual([
    'https://maps.example.net',
    'http://localhost:3000',
  ])
  for (const wrong of ['*', 'null', 'maps.example.net', 'https://maps.example.net/app', 'file:///x'])
    expect(() => readOrigins([wrong]), wrong).toThrow('it is not an origin')
  expect(readProxies(['loopback', '10.0.0.0/8', '::1'])).toHaveLength(3)
  for (const wrong of ['true', '10.0.0', '10.0.0.0/33', 'proxy.example.org', '1.2.3.4/8/9'])
    expect(() => readProxies([wrong]), wrong).toThrow('it is not an address or a network')
})
