import { describe, expect, it } from 'vitest'
import { toDialect, toDocument } from '../../src/api/dialect.ts'
import { writeScale } from '../../src/contract/translate.ts'

const map = (item: object, webmap: object = {}) => ({
  resource: { id: 3, cls: 'webmap', permissions: [] },
  webmap: {
    ...webmap,
    root_item: { item_type: 'root', children: [{ item_type: 'layer', display_name: 'L', ...item }] },
  },
})

describe('toDocument', () => {
  it('gives classes, members and identities of rules their names in the documents', () => {
    const sister = {
      resource: {
        id: 1,
        cls: 'mapserver_style',
        permissions: [{ identity: 'postgis_layer', principal: { id: 1 } }],
      },
      resmeta: { items: { note: 'mapserver_style' } },
      mapserver_style: { xml: '<map/>' },
    }
    expect(toDocument(sister)).toEqual({
      resource: {
        id: 1,
        cls: 'mapsrv_style',
        permissions: [{ identity: 'geodb_layer', principal: { id: 1 } }],
      },
      resmeta: { items: { note: 'mapserver_style' } },
      mapsrv_style: { xml: '<map/>' },
    })
  })

  it('writes scales as text and bare references as numbers', () => {
    const sister = map(
      { layer_style_id: 7, layer_min_scale_denom: 5000 },
      { bookmark_resource: { id: 9, parent: { id: 0 } } },
    )
    expect(toDocument(sister)).toEqual(
      map({ layer_style_id: 7, layer_min_scale_denom: '1 : 5000' }, { bookmark_resource: 9 }),
    )
  })

  it('leaves classes that the contract does not know alone', () => {
    const unknown = { resource: { id: 1, cls: 'tileset' }, tileset: { source: 1 } }
    expect(toDocument(unknown)).toBe(unknown)
  })
})

describe('toDialect', () => {
  it('is undone by toDocument', () => {
    const body = map({ layer_style_id: 7, layer_min_scale_denom: '1 : 5000' }, { bookmark_resource: 9 })
    const sister = toDialect(body, 'webmap', 'sister')
    expect(sister).toEqual(
      map({ layer_style_id: 7, layer_min_scale_denom: 5000 }, { bookmark_resource: { id: 9 } }),
    )
    expect(toDocument(sister)).toEqual(body)
  })

  it('changes nothing for a server that reads the documents', () => {
    const body = { resource: { cls: 'mapsrv_style' }, mapsrv_style: {} }
    expect(toDialect(body, 'mapsrv_style', 'document')).toBe(body)
    expect(toDialect(body, 'mapsrv_style', 'sister')).toEqual({
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
