import { describe, expect, it, test } from 'vitest'
import {
  decodeBody,
  decodeMemberNames,
  decodeResource,
  encodeResource,
} from '../../../src/contract/dialect/dialect_codec.ts'
import { writeScale } from '../../../src/contract/schema/translate.ts'

const rule = (identity: string) => ({
  action: 'allow',
  principal: { id: 1 },
  identity,
  scope: '',
  permission: '',
  propagate: true,
})

test('members, classes and classes of rules are decoded from the NextGIS dialect', () => {
  const sent = {
    resource: { cls: 'mapserver_style', permissions: [rule('postgis_layer'), rule('')] },
    mapserver_style: { xml: '<map/>' },
  }
  expect(decodeBody('mapsrv_style', decodeMemberNames(sent))).toEqual({
    resource: { cls: 'mapsrv_style', permissions: [rule('geodb_layer'), rule('')] },
    mapsrv_style: { xml: '<map/>' },
  })
})

test('values that resemble class names stay unchanged', () => {
  const sent = {
    resource: { cls: 'tracker', display_name: 'ng_mobile', description: 'postgis_layer' },
    resmeta: { items: { cls: 'mapserver_style' } },
    tracker: { unique_id: 'ng_mobile', device_type: 'ng_mobile' },
  }
  expect(decodeBody('tracker', sent)).toEqual({
    ...sent,
    tracker: { unique_id: 'ng_mobile', device_type: 'svc_mobile' },
  })
})

test('a body in the NextGIS dialect is decoded to the original', () => {
  const body = {
    resource: { cls: 'mapsrv_style', permissions: [rule('mapsrv_style')] },
    resmeta: { items: {} },
    mapsrv_style: { xml: '<map/>' },
  }
  const written = encodeResource('mapsrv_style', body, 'nextgis')
  expect(Object.keys(written)).toEqual(['resource', 'resmeta', 'mapserver_style'])
  expect(written.resource).toEqual({ cls: 'mapserver_style', permissions: [rule('mapserver_style')] })
  expect(decodeBody('mapsrv_style', decodeMemberNames(written))).toEqual(body)
  expect(encodeResource('mapsrv_style', body, 'document')).toBe(body)
})

const mapOf = (bookmark: unknown, scale: unknown) => ({
  resource: { cls: 'webmap' },
  webmap: {
    bookmark_resource: bookmark,
    root_item: {
      item_type: 'root',
      children: [{ item_type: 'layer', layer_style_id: 7, layer_min_scale_denom: scale }],
    },
  },
})

test('the bookmark layer is decoded from an id or an object, and encoded as the dialect requires', () => {
  const map = mapOf(9, '1 : 5000')
  expect(decodeBody('webmap', map)).toEqual(map)
  expect(decodeBody('webmap', mapOf({ id: 9, parent: { id: 0 } }, '1 : 5000'))).toEqual(map)
  expect(decodeBody('webmap', mapOf({ name: 9 }, null))).toEqual(mapOf({ name: 9 }, null))
  expect(encodeResource('webmap', map, 'nextgis')).toEqual(mapOf({ id: 9 }, 5000))
})

test('a body of the wrong type is left to validation', () => {
  const sent = { resource: 5, resmeta: null, tracker: [1, { device_type: 'x' }] }
  expect(decodeBody('tracker', sent)).toEqual(sent)
})

const map = (item: object, webmap: object = {}) => ({
  resource: { id: 3, cls: 'webmap', permissions: [] },
  webmap: {
    ...webmap,
    root_item: { item_type: 'root', children: [{ item_type: 'layer', display_name: 'L', ...item }] },
  },
})

describe('decodeResource', () => {
  it('translates classes, members and classes of rules to the document dialect', () => {
    const nextgis = {
      resource: {
        id: 1,
        cls: 'mapserver_style',
        permissions: [{ identity: 'postgis_layer', principal: { id: 1 } }],
      },
      resmeta: { items: { note: 'mapserver_style' } },
      mapserver_style: { xml: '<map/>' },
    }
    expect(decodeResource(nextgis)).toEqual({
      resource: {
        id: 1,
        cls: 'mapsrv_style',
        permissions: [{ identity: 'geodb_layer', principal: { id: 1 } }],
      },
      resmeta: { items: { note: 'mapserver_style' } },
      mapsrv_style: { xml: '<map/>' },
    })
  })

  it('writes scales as strings and references as numbers', () => {
    const nextgis = map(
      { layer_style_id: 7, layer_min_scale_denom: 5000 },
      { bookmark_resource: { id: 9, parent: { id: 0 } } },
    )
    expect(decodeResource(nextgis)).toEqual(
      map({ layer_style_id: 7, layer_min_scale_denom: '1 : 5000' }, { bookmark_resource: 9 }),
    )
  })

  it('leaves unknown classes unchanged', () => {
    const unknown = { resource: { id: 1, cls: 'tileset' }, tileset: { source: 1 } }
    expect(decodeResource(unknown)).toBe(unknown)
  })
})

describe('encodeResource', () => {
  it('is inverted by decodeResource', () => {
    const body = map({ layer_style_id: 7, layer_min_scale_denom: '1 : 5000' }, { bookmark_resource: 9 })
    const nextgis = encodeResource('webmap', body, 'nextgis')
    expect(nextgis).toEqual(
      map({ layer_style_id: 7, layer_min_scale_denom: 5000 }, { bookmark_resource: { id: 9 } }),
    )
    expect(decodeResource(nextgis)).toEqual(body)
  })

  it('changes nothing for a server with the document dialect', () => {
    const body = { resource: { cls: 'mapsrv_style' }, mapsrv_style: {} }
    expect(encodeResource('mapsrv_style', body, 'document')).toBe(body)
    expect(encodeResource('mapsrv_style', body, 'nextgis')).toEqual({
      resource: { cls: 'mapserver_style' },
      mapserver_style: {},
    })
  })
})

describe('writeScale', () => {
  it.each([
    ['1:5000', '1 : 5000'],
    ['1 : 5000', '1 : 5000'],
    [5000, '1 : 5000'],
    ['about', 'about'],
  ])('writes %j as %j', (given, expected) => {
    expect(writeScale(given)).toBe(expected)
  })
})
