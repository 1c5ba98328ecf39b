import { expect, test } from 'vitest'
import { OwsFault } from '../../../src/ogc/ows_fault.ts'
import { parseWmts, parseWmtsPath, resourceTemplates } from '../../../src/ogc/wmts/parse_wmts.ts'

const tile = {
  SERVICE: 'WMTS',
  REQUEST: 'GetTile',
  VERSION: '1.0.0',
  LAYER: 'towns',
  STYLE: 'default',
  FORMAT: 'image/png',
  TILEMATRIXSET: 'GoogleMapsCompatible',
  TILEMATRIX: '3',
  TILEROW: '2',
  TILECOL: '5',
}
const info = { ...tile, REQUEST: 'GetFeatureInfo', I: '10', J: '20', INFOFORMAT: 'text/html' }

const parse = (parameters: Record<string, string>) => parseWmts(new Map(Object.entries(parameters)))

function faultOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (error instanceof OwsFault) return [error.code, error.locator]
    throw error
  }
  return undefined
}

test('reads tiles and the features at a pixel from parameters and paths alike', () => {
  const place = { layer: 'towns', address: { z: 3, x: 5, y: 2 }, tileSize: 256 }
  const wantedTile = { operation: 'GetTile', ...place, format: 'image/png' }
  const wantedInfo = { operation: 'GetFeatureInfo', ...place, pixel: [10, 20], format: 'text/html' }
  expect(parse(tile)).toEqual(wantedTile)
  expect(parse(info)).toEqual(wantedInfo)
  expect(parse({ ...tile, TILEMATRIX: 'GoogleMapsCompatible:3' })).toEqual(wantedTile)
  const start = '/1.0.0/towns/default/GoogleMapsCompatible/3/2/5'
  expect(parseWmtsPath(`${start}.png`)).toEqual(wantedTile)
  expect(parseWmtsPath(`${start}/20/10.html`)).toEqual(wantedInfo)
  expect(parseWmtsPath('/1.0.0/WMTSCapabilities.xml')).toEqual({ operation: 'GetCapabilities' })
  expect(parse({ REQUEST: 'GetCapabilities', SERVICE: 'WMTS', ACCEPTVERSIONS: '1.1,1.0.0' })).toEqual({
    operation: 'GetCapabilities',
  })
})

test('writes templates of addresses that it reads', () => {
  const url = 'https://example.org/wmts'
  const values: Readonly<Record<string, string>> = {
    Style: 'default',
    TileMatrixSet: 'GoogleMapsCompatible512',
    TileMatrix: '3',
    TileRow: '2',
    TileCol: '5',
    I: '500',
    J: '511',
  }
  for (const [kind, format, template] of resourceTemplates(url, 'a/b %ü')) {
    const path = template.slice(url.length).replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
    const operation = kind === 'tile' ? 'GetTile' : 'GetFeatureInfo'
    expect(parseWmtsPath(path)).toMatchObject({ operation, format, layer: 'a/b %ü', tileSize: 512 })
  }
})

test.each<[Record<string, string>, string, string]>([
  [{ REQUEST: '' }, 'MissingParameterValue', 'request'],
  [{ REQUEST: 'GetMap' }, 'OperationNotSupported', 'GetMap'],
  [{ SERVICE: 'WMS' }, 'InvalidParameterValue', 'service'],
  [{ VERSION: '2.0.0' }, 'InvalidParameterValue', 'version'],
  [{ LAYER: '' }, 'MissingParameterValue', 'LAYER'],
  [{ STYLE: 'red' }, 'InvalidParameterValue', 'Style'],
  [{ FORMAT: 'image/gif' }, 'InvalidParameterValue', 'Format'],
  [{ TILEMATRIXSET: 'x' }, 'InvalidParameterValue', 'TileMatrixSet'],
  [{ TILEMATRIX: '25' }, 'InvalidParameterValue', 'TileMatrix'],
  [{ TILEMATRIX: '-1' }, 'InvalidParameterValue', 'TileMatrix'],
  [{ TILEROW: '8' }, 'TileOutOfRange', 'TileRow'],
  [{ TILECOL: '-1' }, 'TileOutOfRange', 'TileCol'],
  [{ TILECOL: '1.5' }, 'InvalidParameterValue', 'TileCol'],
  [{ TILECOL: 'NaN' }, 'InvalidParameterValue', 'TileCol'],
  [{ TILEROW: '' }, 'MissingParameterValue', 'TILEROW'],
])('refuses a tile with %o', (own, code, locator) => {
  expect(faultOf(() => parse({ ...tile, ...own }))).toEqual([code, locator])
})

test('refuses pixels beyond the tile, and unknown paths', () => {
  expect(faultOf(() => parse({ ...info, I: '256' }))).toEqual(['PointIJOutOfRange', 'I'])
  expect(faultOf(() => parse({ ...info, J: '' }))).toEqual(['MissingParameterValue', 'J'])
  for (const path of ['/', '/2.0.0/WMTSCapabilities.xml', '/1.0.0/a/b', '/1.0.0/%/default'])
    expect(faultOf(() => parseWmtsPath(path))?.[0]).toBe('NotFound')
  const start = '/1.0.0/towns/default/GoogleMapsCompatible/3/2/5'
  expect(faultOf(() => parseWmtsPath(`${start}.gif`))).toEqual(['InvalidParameterValue', 'Format'])
  expect(faultOf(() => parseWmtsPath(`${start}`))?.[0]).toBe('InvalidParameterValue')
})
