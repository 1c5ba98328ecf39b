import { describe, expect, it } from 'vitest'
import { AddressFault, checkUrl } from '../../src/catalog/check_request.ts'
import type { CheckTarget } from '../../src/store/catalog/check_target.ts'
import { checkTarget } from '../support/check_targets.ts'

const template = 'https://tiles.example.org/{z}/{x}/{y}.png'
const berlin = [13.4, 52.5] as const
const urlOf = (members: Partial<CheckTarget>, random = 0) =>
  checkUrl(checkTarget({ url: template, ...members }), random).href

describe('the tile that a check requests', () => {
  it('is at z_min, else z_max, else 0', () => {
    expect(urlOf({ z_min: 2, z_max: 5 })).toContain('/2/')
    expect(urlOf({ z_max: 5 })).toContain('/5/')
    expect(urlOf({ z_min: 0, z_max: 5 })).toContain('/0/')
    expect(urlOf({})).toBe('https://tiles.example.org/0/0/0.png')
  })

  it('contains the position, else the middle of the world', () => {
    expect(urlOf({ z_min: 10, position: berlin })).toBe('https://tiles.example.org/10/550/335.png')
    expect(urlOf({ z_min: 10 })).toBe('https://tiles.example.org/10/512/512.png')
    expect(urlOf({ z_min: 3, position: [-180, 90] })).toBe('https://tiles.example.org/3/0/0.png')
  })

  it('is one of the grid of degrees for services in EPSG:4326', () => {
    const degrees = { z_min: 4, epsg: 4326 }
    expect(urlOf({ ...degrees, position: berlin })).toBe('https://tiles.example.org/4/17/3.png')
    expect(urlOf({ ...degrees, position: [180, -90] })).toBe('https://tiles.example.org/4/31/15.png')
    expect(urlOf({ ...degrees, position: berlin, y_origin_top: false })).toContain('/4/17/12.png')
  })

  it('has its row counted from the bottom, unless the origin is at the top', () => {
    const bottom = { z_min: 10, y_origin_top: false }
    expect(urlOf({ ...bottom, position: berlin })).toBe('https://tiles.example.org/10/550/688.png')
    expect(urlOf(bottom)).toBe('https://tiles.example.org/10/512/511.png')
  })

  it('has a quadkey of one digit at least, counted from the top', () => {
    const url = 'https://tiles.example.org/{q}?z={z}'
    expect(urlOf({ url, z_min: 3, position: berlin, y_origin_top: false })).toBe(
      'https://tiles.example.org/120?z=3',
    )
    expect(urlOf({ url, position: berlin })).toBe('https://tiles.example.org/1?z=1')
  })

  it('is at one of the alternative hosts', () => {
    const url = 'https://{switch:a, b,c}.example.org/{z}/{x}/{y}'
    const hosts = [0, 0.4, 0.999].map((random) => new URL(urlOf({ url }, random)).hostname)
    expect(hosts).toEqual(['a.example.org', 'b.example.org', 'c.example.org'])
  })

  it.each([
    ['https://tiles.example.org/{z}/{x}/{y}{r}.png', 'The address has the unknown placeholder {r}.'],
    ['https://a.{switch:a,b/{z}/{x}/{y}', 'is not a valid HTTP address.'],
    ['{z}/{x}/{y}', '"0/0/0" is not a valid HTTP address.'],
    ['ftp://tiles.example.org/{z}/{x}/{y}', 'is not a valid HTTP address.'],
    ['https://tiles..{x}{y}{z}:99999/', 'is not a valid HTTP address.'],
  ])('is not requested from %s', (url, message) => {
    expect(() => urlOf({ url })).toThrow(AddressFault)
    expect(() => urlOf({ url })).toThrow(message)
  })
})

describe('the document that a check requests', () => {
  it('is that of the address for GeoJSON, with its braces', () => {
    const url = 'https://data.example.org/roads?filter={"a":1}'
    expect(urlOf({ type: 'geojson', url })).toBe(new URL(url).href)
  })

  it.each([
    [
      'wms',
      'map=/x.map',
      'https://a.example.org/?map=/x.map&SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0',
    ],
    ['wms', null, 'https://a.example.org/?SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0'],
    ['wfs', null, 'https://a.example.org/?SERVICE=WFS&REQUEST=GetCapabilities&VERSION=2.0.0'],
  ] as const)('is that of the capabilities for %s with the parameters %j', (type, params, expected) => {
    expect(urlOf({ type, params, url: 'https://a.example.org?service=x' })).toBe(expected)
  })
})
