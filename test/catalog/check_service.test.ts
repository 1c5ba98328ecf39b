import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { checkService } from '../../src/catalog/check_service.ts'
import { createExternalClient } from '../../src/http/external_client.ts'
import type { CheckTarget } from '../../src/store/catalog/check_target.ts'
import { checkTarget } from '../support/check_targets.ts'
import * as bad from '../support/misbehaving.ts'
import { capabilities, type TestService, useService } from '../support/wms.ts'

const start = useService()
let service: TestService
beforeEach(async () => {
  service = await start()
  service.requests.length = 0
})

const client = createExternalClient({
  connectTimeoutMs: 60_000,
  allowsPrivate: ({ hostname }) => hostname === '127.0.0.1',
})
afterAll(client.close)

type Answer = TestService['answer']

async function check(answer: Answer, members: Partial<CheckTarget> = {}, timeoutMs = 60_000) {
  service.answer = answer
  const target = checkTarget({ url: `${service.url}/{z}/{x}/{y}`, ...members })
  const request = { target, url: new URL('/0/0/0', service.url) }
  const { signal } = new AbortController()
  const { checkedAt, check_duration, ...result } = await checkService(request, { client, timeoutMs, signal })
  expect(checkedAt.getTime()).toBeLessThanOrEqual(Date.now())
  expect(check_duration).toBeGreaterThan(0)
  return result
}

const working = {
  geoservice: 1,
  cumulative_status: 'works',
  http_code: 200,
  http_response: null,
  error_type: null,
  error_text: null,
}
const invalid = { error_type: 'invalid response' }

describe('tiles', () => {
  it.each([
    ['image/png', bad.pngStart],
    ['image/jpeg; charset=utf-8', 'ÿØÿà'],
    ['IMAGE/WEBP', 'RIFFxxxxWEBPVP8 '],
    ['image/gif', 'GIF89a'],
    ['image/avif', '\0\0\0 ftypavif'],
    // Browsers look at the content, too.
    ['image/jpeg', bad.pngStart],
    ['application/vnd.mapbox-vector-tile', bad.vectorTileStart],
    ['application/x-protobuf', ''],
    ['application/x-protobuf', gzipSync(bad.vectorTileStart)],
  ])('work with the type %s', async (type, body) => {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
    expect(await check(bad.sendBody(type, bytes))).toEqual(working)
  })

  it.each([
    ['image/png', '', 'an image'],
    ['image/png', '<html>no tile</html>', 'an image'],
    ['image/jpeg', 'x', 'an image'],
    ['image/webp', 'RIFFxxxxWAVEfmt ', 'an image'],
    ['application/x-protobuf', '{"error":"no tile"}', 'a vector tile'],
    ['application/vnd.mapbox-vector-tile', bad.pngStart, 'a vector tile'],
  ])('are problematic with the type %s and the content %j', async (type, body, format) => {
    expect(await check(bad.sendBody(type, body))).toEqual({
      ...working,
      ...invalid,
      cumulative_status: 'problematic',
      error_text: `The content of the response is not ${format}.`,
    })
  })

  it('work without content', async () => {
    expect(await check((_, response) => response.writeHead(204).end())).toEqual({
      ...working,
      http_code: 204,
    })
  })

  it.each([
    ['image/png', bad.pngStart],
    ['application/x-protobuf', bad.vectorTileStart],
  ])('work without reading all of 10 GB of %s', async (type, start) => {
    expect(await check(bad.sendHuge(type, start))).toEqual(working)
    expect(await check(bad.sendEndless(type, start))).toEqual(working)
    expect(await check(bad.sendBomb(type, 'gzip', start))).toEqual(working)
    expect(await check(bad.truncate(type, start))).toEqual(working)
  })

  it.each([
    ['text/html', '<html>', 'The response has the media type "text/html", not that of a tile.'],
    ['image/svg+xml', '<svg/>', 'The response has the media type "image/svg+xml", not that of a tile.'],
  ])('are problematic with the type %s', async (type, body, error_text) => {
    expect(await check(bad.sendBody(type, body))).toEqual({
      ...working,
      ...invalid,
      cumulative_status: 'problematic',
      error_text,
      http_response: body,
    })
  })

  it('are problematic without a type', async () => {
    expect(await check((_, response) => response.end('hello'))).toMatchObject({
      cumulative_status: 'problematic',
      error_text: 'The response has no media type, not that of a tile.',
      http_response: 'hello',
    })
  })

  it.each([404, 500, 301, 206])('are problematic with status %d', async (status) => {
    expect(await check(bad.sendBody('text/plain', 'no tile', { status }))).toEqual({
      ...working,
      ...invalid,
      cumulative_status: 'problematic',
      http_code: status,
      error_text: `The service responded with status ${status} instead of 200.`,
      http_response: 'no tile',
    })
  })

  it('record no more than 2048 characters of a response, which the database can store', async () => {
    const { http_response: text } = await check(
      bad.sendEndless('text/html', Buffer.from(`\0a${'😀'.repeat(3)}`)),
    )
    expect(text).toHaveLength(2048 - 1)
    expect(text).toMatch(/^(a😀{3})+a😀$/u)
    const latin = bad.sendBody('text/plain; charset=iso-8859-1', Buffer.from('ungültig', 'latin1'))
    expect(await check(latin)).toMatchObject({ http_response: 'ungültig' })
    const binary = bad.sendBody('image/png', Buffer.of(0x89, 0x50), { status: 404 })
    expect(await check(binary)).toMatchObject({ http_response: null })
  })
})

describe('WMS', () => {
  const wms = (answer: Answer, layers: string | null = 'roads') => check(answer, { type: 'wms', layers })
  const sendXml = bad.sendBody('text/xml', capabilities)

  it('works with all layers, in gzip as well', async () => {
    expect(await wms(sendXml)).toEqual(working)
    expect(await wms(sendXml, ' rails , roads,')).toEqual(working)
    expect(await wms(sendXml, null)).toEqual(working)
    expect(await wms(bad.sendBody('text/xml', gzipSync(capabilities), { encoding: 'gzip' }))).toEqual(working)
  })

  it('is problematic without some layers, and failed without any', async () => {
    expect(await wms(sendXml, 'roads,Rails,streets')).toMatchObject({
      cumulative_status: 'problematic',
      error_type: 'missing layer',
      error_text: 'The service lacks 2 layers: Rails, streets.',
    })
    expect(await wms(sendXml, 'streets')).toMatchObject({
      cumulative_status: 'failed',
      error_type: 'missing layer',
      error_text: 'The service lacks 1 layer: streets.',
    })
  })

  it.each([
    ['a page', '<html/>', 'The response is not WMS capabilities: its root element is <html>.'],
    [
      'an exception',
      '<ServiceExceptionReport><ServiceException>no map</ServiceException></ServiceExceptionReport>',
      'The response is not WMS capabilities: the service returned an exception: no map.',
    ],
    [
      'entities',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>',
      'The response is not WMS capabilities: its document type declares entities.',
    ],
  ])('fails with %s', async (_, body, error_text) => {
    expect(await wms(bad.sendBody('text/xml', body))).toEqual({
      ...working,
      ...invalid,
      cumulative_status: 'failed',
      error_text,
      http_response: body,
    })
  })

  it('fails with another status, and with a body that is not in its encoding', async () => {
    expect(await wms(bad.sendBody('text/xml', capabilities, { status: 500 }))).toMatchObject({
      ...invalid,
      cumulative_status: 'failed',
      http_code: 500,
    })
    expect(await wms(bad.sendBody('text/xml', capabilities, { encoding: 'br' }))).toMatchObject({
      ...invalid,
      cumulative_status: 'failed',
      error_text: expect.stringContaining('cannot be decoded: it is not valid br.'),
    })
  })
})

describe('WFS', () => {
  const sendXml = bad.sendBody(
    'text/xml',
    `<WFS_Capabilities><FeatureTypeList><FeatureType><Name>gis:roads</Name></FeatureType>
     <FeatureType><Name>rails</Name></FeatureType></FeatureTypeList></WFS_Capabilities>`,
  )
  const wfs = (layer: string) => check(sendXml, { type: 'wfs', layer })

  it.each(['gis:roads', 'roads', 'rails', ' gis:rails '])(
    'works with the feature type "%s"',
    async (layer) => {
      expect(await wfs(layer)).toEqual(working)
    },
  )

  it.each(['Roads', 'other:roads', 'gis'])('is problematic without the feature type "%s"', async (layer) => {
    expect(await wfs(layer)).toMatchObject({
      cumulative_status: 'problematic',
      error_type: 'missing layer',
      error_text: `The service lacks the feature type ${layer}.`,
    })
  })

  it('fails with the capabilities of a WMS', async () => {
    const result = await check(bad.sendBody('text/xml', capabilities), { type: 'wfs', layer: 'roads' })
    expect(result).toMatchObject({
      ...invalid,
      cumulative_status: 'failed',
      error_text: 'The response is not WFS capabilities: its root element is <WMS_Capabilities>.',
    })
  })
})

describe('GeoJSON', () => {
  const geojson = (body: string | Uint8Array, type = 'application/geo+json') =>
    check(bad.sendBody(type, body), { type: 'geojson' })

  it.each(['{"type": "FeatureCollection", "features": []}', '{"type": "Point", "coordinates": [1, 2]}'])(
    'works with %s of any media type',
    async (body) => {
      expect(await geojson(body)).toEqual(working)
      expect(await geojson(body, 'text/plain')).toEqual(working)
    },
  )

  it('is problematic with an invalid structure, and with another status', async () => {
    const body = '{"type": "FeatureCollection", "features": [{"type": "Point", "coordinates": [1, 2]}]}'
    expect(await geojson(body)).toEqual({
      ...working,
      ...invalid,
      cumulative_status: 'problematic',
      http_response: body,
      error_text: 'The response is not valid GeoJSON: expected Feature, got "Point" - at $.features.0.type',
    })
    expect(
      await check(bad.sendBody('text/html', 'gone', { status: 404 }), { type: 'geojson' }),
    ).toMatchObject({
      ...invalid,
      cumulative_status: 'problematic',
      http_code: 404,
      http_response: 'gone',
    })
  })

  it.each([
    ['<html>', 'The response is not JSON: in $, from byte 0: Unexpected token'],
    [Buffer.from('{"name": "Straße"}', 'latin1'), 'The response is not JSON: it is not UTF-8.'],
    ['{"type": "FeatureCollection", "features": [', 'The response is not JSON: it ends too early.'],
  ])('fails with %s', async (body, text) => {
    expect(await geojson(body)).toMatchObject({
      ...invalid,
      cumulative_status: 'failed',
      error_text: expect.stringContaining(text),
    })
  })
})

describe.each(['wms', 'wfs', 'geojson'] as const)('a response of %s that is too large', (type) => {
  const members = { type, layers: 'a', layer: 'a' }

  it.each([
    ['states 10 GB', bad.sendHuge('text/xml'), 'The response has 10000000000 bytes, more than the limit'],
    ['never ends', bad.sendEndless('text/xml'), 'exceeds'],
    ['is a bomb', bad.sendBomb('text/xml', 'gzip'), 'exceeds'],
  ])('is problematic if it %s', async (_, answer, text) => {
    expect(await check(answer, members)).toMatchObject({
      ...invalid,
      cumulative_status: 'problematic',
      http_code: 200,
      error_text: expect.stringContaining(text),
    })
  })
})
