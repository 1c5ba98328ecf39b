import { describe, expect, test } from 'vitest'
import { boxAroundPixel, boxOfView } from '../../../src/ogc/wms/map_frame.ts'
import { parseWms, readExceptionForm } from '../../../src/ogc/wms/parse_wms.ts'
import { WmsFault } from '../../../src/ogc/wms/wms_fault.ts'
import type { GetFeatureInfo, GetMap } from '../../../src/ogc/wms/wms_request.ts'
import { isDrawnAt, layerNames } from '../../../src/ogc/wms/wms_service.ts'

const map = {
  SERVICE: 'WMS',
  VERSION: '1.3.0',
  REQUEST: 'GetMap',
  LAYERS: 'towns,roads',
  STYLES: '',
  CRS: 'EPSG:4326',
  BBOX: '50,5,60,15',
  WIDTH: '200',
  HEIGHT: '100',
  FORMAT: 'image/png',
}
const info = { ...map, REQUEST: 'GetFeatureInfo', QUERY_LAYERS: 'towns', I: '3', J: '4' }

const parse = (parameters: Record<string, string>) => parseWms(new Map(Object.entries(parameters)))

function faultOf(parameters: Record<string, string>) {
  try {
    parse(parameters)
  } catch (error) {
    if (error instanceof WmsFault) return [error.code, error.locator, error.message]
    throw error
  }
  return undefined
}

test('reads a map of version 1.3.0, whose coordinates follow the axes of the reference system', () => {
  const { layers, view, image } = parse(map) as GetMap
  expect(layers).toEqual(['towns', 'roads'])
  expect(image).toEqual({ format: 'image/png', isTransparent: false, background: '#ffffff' })
  expect(boxOfView(view, new Set([4326]))).toEqual([5, 50, 15, 60])
  expect(boxOfView(view, new Set())).toEqual([50, 5, 60, 15])
})

test.each([
  [{ VERSION: '1.1.1', SRS: 'EPSG:4326' }],
  [{ CRS: 'CRS:84' }],
  [{ CRS: 'urn:ogc:def:crs:OGC:1.3:CRS84' }],
])('reads coordinates with longitude first: %o', (own) => {
  const { view } = parse({ ...map, BBOX: '5,50,15,60', ...own }) as GetMap
  expect([view.srs, ...boxOfView(view, new Set([4326]))]).toEqual([4326, 5, 50, 15, 60])
})

test.each([
  [{ DPI: '192' }, 2],
  [{ MAP_RESOLUTION: '144' }, 1.5],
  [{ FORMAT_OPTIONS: 'antialias:full; dpi: 300' }, 3.125],
  [{ DPI: '96', MAP_RESOLUTION: '96', FORMAT_OPTIONS: 'dpi:96' }, 1],
  [{ DPI: '72' }, 1],
  [{ DPI: '1200' }, 4],
  [{ FORMAT_OPTIONS: 'antialias:full' }, 1],
  [{}, 1],
])('reads the device pixels of a pixel from %o', (own, ratio) => {
  expect((parse({ ...map, ...own }) as GetMap).view.pixelRatio).toBe(ratio)
})

test('refuses dots per inch that are no number', () => {
  expect(faultOf({ ...map, DPI: 'high' })?.slice(0, 2)).toEqual(['InvalidParameterValue', 'DPI'])
  expect(faultOf({ ...map, FORMAT_OPTIONS: 'dpi:-1' })?.[1]).toBe('FORMAT_OPTIONS')
})

test.each([
  ['EPSG:900913', 3857],
  ['EPSG:3857', 3857],
  ['http://www.opengis.net/def/crs/EPSG/0/32633', 32633],
])('reads the reference system %s', (CRS, srs) => {
  expect((parse({ ...map, CRS }) as GetMap).view.srs).toBe(srs)
})

test.each([
  [{ FORMAT: 'image/png; mode=8bit' }, 'image/png'],
  [{ FORMAT: 'image/png8' }, 'image/png'],
  [{ FORMAT: 'IMAGE/JPEG' }, 'image/jpeg'],
  [{ FORMAT: 'image/jpg' }, 'image/jpeg'],
  [{ FORMAT: 'image/webp' }, 'image/webp'],
])('reads the format of images: %o', (own, format) => {
  expect((parse({ ...map, ...own }) as GetMap).image.format).toBe(format)
})

test('ignores parameters of other programs', () => {
  expect(parse({ ...map, DPI: '96', MAP_RESOLUTION: '96', FORMAT_OPTIONS: 'dpi:96', TILED: 'true' })).toEqual(
    parse(map),
  )
})

test.each<[Record<string, string>, string, string | undefined]>([
  [{ REQUEST: '' }, 'MissingParameterValue', 'REQUEST'],
  [{ REQUEST: 'GetStyles' }, 'OperationNotSupported', 'REQUEST'],
  [{ SERVICE: 'WFS' }, 'InvalidParameterValue', 'SERVICE'],
  [{ VERSION: '2.0' }, 'InvalidParameterValue', 'VERSION'],
  [{ LAYERS: '' }, 'MissingParameterValue', 'LAYERS'],
  [{ LAYERS: 'a,'.repeat(1000) }, 'InvalidParameterValue', 'LAYERS'],
  [{ STYLES: 'red' }, 'StyleNotDefined', 'STYLES'],
  [{ STYLES: ',,,' }, 'StyleNotDefined', 'STYLES'],
  [{ SLD: 'http://127.0.0.1/style' }, 'OperationNotSupported', 'SLD'],
  [{ SLD_BODY: '<!DOCTYPE a>' }, 'OperationNotSupported', 'SLD'],
  [{ CRS: '' }, 'MissingParameterValue', 'CRS'],
  [{ CRS: 'AUTO2:42001,1,0,0' }, 'InvalidCRS', 'CRS'],
  [{ BBOX: '' }, 'MissingParameterValue', 'BBOX'],
  [{ BBOX: '1,2,3' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: 'NaN,0,1,1' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: '0,0,Infinity,1' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: '0,0,1e400,1' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: ',,,' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: '0,0,0,0' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: '1,1,0,0' }, 'InvalidParameterValue', 'BBOX'],
  [{ BBOX: '-1e12,-1e12,1e12,1e12' }, 'InvalidParameterValue', 'BBOX'],
  [{ WIDTH: '100000' }, 'InvalidParameterValue', 'WIDTH'],
  [{ WIDTH: '0' }, 'InvalidParameterValue', 'WIDTH'],
  [{ HEIGHT: '-1' }, 'InvalidParameterValue', 'HEIGHT'],
  [{ HEIGHT: '1.5' }, 'InvalidParameterValue', 'HEIGHT'],
  [{ FORMAT: 'image/svg+xml' }, 'InvalidFormat', 'FORMAT'],
  [{ TRANSPARENT: 'maybe' }, 'InvalidParameterValue', 'TRANSPARENT'],
  [{ BGCOLOR: 'red"/><script>' }, 'InvalidParameterValue', 'BGCOLOR'],
])('refuses a map with %o', (own, code, locator) => {
  expect(faultOf({ ...map, ...own })).toEqual([code, locator, expect.stringMatching(/\S/)])
})

test('reads the features at a pixel', () => {
  const read = parse({
    ...info,
    INFO_FORMAT: 'application/geo json',
    FEATURE_COUNT: '5000',
  }) as GetFeatureInfo
  expect(read).toMatchObject({ pixel: [3, 4], tolerance: 5, featureCount: 1000, format: 'application/json' })
  const old = { ...info, VERSION: '1.1.1', SRS: 'EPSG:3857', I: '', J: '', X: '7', Y: '8', BUFFER: '0' }
  expect(parse(old)).toMatchObject({ pixel: [7, 8], tolerance: 0, format: 'text/plain' })
})

test.each<[Record<string, string>, string, string]>([
  [{ QUERY_LAYERS: '' }, 'MissingParameterValue', 'QUERY_LAYERS'],
  [{ I: '' }, 'MissingParameterValue', 'I'],
  [{ I: '200' }, 'InvalidPoint', 'I'],
  [{ J: '-1' }, 'InvalidPoint', 'J'],
  [{ J: '1e1' }, 'InvalidPoint', 'J'],
  [{ INFO_FORMAT: 'image/png' }, 'InvalidFormat', 'INFO_FORMAT'],
  [{ FEATURE_COUNT: '0' }, 'InvalidParameterValue', 'FEATURE_COUNT'],
  [{ TOLERANCE: '51' }, 'InvalidParameterValue', 'TOLERANCE'],
  [{ TOLERANCE: 'NaN' }, 'InvalidParameterValue', 'TOLERANCE'],
])('refuses the features at a pixel with %o', (own, code, locator) => {
  expect(faultOf({ ...info, ...own })?.slice(0, 2)).toEqual([code, locator])
})

test('finds the box around a pixel', () => {
  const area = { box: [0, 0, 20, 10], width: 20, height: 10, pixel: [2, 3], tolerance: 2 } as const
  expect(boxAroundPixel(area)).toEqual([0.5, 4.5, 4.5, 8.5])
})

describe('versions', () => {
  const capabilities = { SERVICE: 'WMS', REQUEST: 'GetCapabilities' }
  test.each([
    ['', '1.3.0'],
    ['1.3.0', '1.3.0'],
    ['1.3.1', '1.3.0'],
    ['2', '1.3.0'],
    ['1.2', '1.1.1'],
    ['1.1.1', '1.1.1'],
    ['1.0.0', '1.1.1'],
  ])('%s is answered with %s', (VERSION, version) => {
    expect(parse({ ...capabilities, VERSION }).protocol.version).toBe(version)
  })
  test('of another form are refused', () => {
    expect(faultOf({ ...capabilities, VERSION: 'x' })?.[1]).toBe('VERSION')
    expect(faultOf({ REQUEST: 'GetCapabilities' })?.[1]).toBe('SERVICE')
  })
})

test('reads how failures are reported, whatever else is wrong', () => {
  const form = (own: Record<string, string>) => readExceptionForm(new Map(Object.entries({ ...map, ...own })))
  expect(form({ EXCEPTIONS: 'INIMAGE', WIDTH: '100000' })).toMatchObject({
    kind: 'image',
    width: 256,
    height: 100,
  })
  expect(form({ EXCEPTIONS: 'application/vnd.ogc.se_blank' }).kind).toBe('blank')
  expect(form({ EXCEPTIONS: 'INIMAGE', REQUEST: 'GetFeatureInfo' }).kind).toBe('xml')
  expect(form({ FORMAT: 'x' })).toMatchObject({ kind: 'xml', image: { format: 'image/png' } })
})

test('names layers without commas, each once', () => {
  expect(layerNames(['a', 'a,b', 'a_b', 'c/d'])).toEqual(['a', 'a_b_2', 'a_b', 'c/d'])
})

test('draws layers between their scale limits, despite rounding errors', () => {
  const limits = { largestDenom: 100_000, smallestDenom: 1000 }
  expect([999, 1000, 50_000, 100_000.01, 100_001].map((denom) => isDrawnAt(limits, denom))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
  expect(isDrawnAt({ largestDenom: null, smallestDenom: null }, 1e12)).toBe(true)
})
