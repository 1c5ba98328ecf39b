import { describe, expect, it } from 'vitest'
import { parseWmsCapabilities } from '../../src/ogc/wms_capabilities.ts'
import { capabilities } from '../support/wms.ts'

describe('parseWmsCapabilities', () => {
  it('reads formats and named layers with their bounding boxes from version 1.3.0', () => {
    expect(parseWmsCapabilities(capabilities)).toEqual({
      formats: ['image/png', 'image/jpeg'],
      layers: [
        { id: 'roads', title: 'Roads & paths', index: 1, bbox: [5.5, 47, 15, 55] },
        { id: 'rails', title: 'rails', index: 2 },
      ],
    })
  })

  it('gives layers without a bounding box that of the layer around them', () => {
    const box = (west: number) => `<LatLonBoundingBox minx="${west}" miny="0" maxx="10" maxy="5"/>`
    const xml = `<WMT_MS_Capabilities><Layer><Title>All</Title>${box(1)}<Layer><Title>Group</Title>
      <Layer><Name>a</Name></Layer><Layer><Name>b</Name>${box(2)}</Layer></Layer></Layer></WMT_MS_Capabilities>`
    expect(parseWmsCapabilities(xml).layers.map(({ id, bbox }) => [id, bbox])).toEqual([
      ['a', [1, 0, 10, 5]],
      ['b', [2, 0, 10, 5]],
    ])
  })

  it('accepts the document type of version 1.1.1 without fetching it', () => {
    const xml = `<?xml version="1.0"?>
      <!DOCTYPE WMT_MS_Capabilities SYSTEM "http://schemas.opengis.net/wms/1.1.1/WMS_MS_Capabilities.dtd"
        [ <!ELEMENT VendorSpecificCapabilities EMPTY> ]>
      <WMT_MS_Capabilities version="1.1.1"><Capability>
        <Request><GetMap><Format>image/gif</Format></GetMap></Request>
        <Layer queryable="1"><Name>a</Name><Title>A</Title>
          <LatLonBoundingBox minx="-1" miny="-2" maxx="3" maxy="4.5"/>
        </Layer></Capability></WMT_MS_Capabilities>`
    expect(parseWmsCapabilities(xml)).toEqual({
      formats: ['image/gif'],
      layers: [{ id: 'a', title: 'A', index: 0, bbox: [-1, -2, 3, 4.5] }],
    })
  })

  it.each([
    ['beyond the range of degrees', 'minx="-1e308" miny="-1e308" maxx="1e308" maxy="1e308"', undefined],
    ['in metres', 'minx="-20037508" miny="-20037508" maxx="20037508" maxy="20037508"', undefined],
    ['without numbers', 'minx="west" miny="0" maxx="1" maxy="NaN"', undefined],
    ['upside down', 'minx="0" miny="10" maxx="1" maxy="5"', undefined],
    ['with a margin', 'minx="-181" miny="-90.5" maxx="181" maxy="90.5"', [-181, -90, 181, 90]],
    ['across the antimeridian', 'minx="170" miny="-20" maxx="-170" maxy="20"', [170, -20, -170, 20]],
  ])('takes a bounding box %s for what it is', (_, attributes, bbox) => {
    const xml = `<WMT_MS_Capabilities><Layer><Name>a</Name><LatLonBoundingBox ${attributes}/></Layer></WMT_MS_Capabilities>`
    expect(parseWmsCapabilities(xml).layers).toEqual([
      { id: 'a', title: 'a', index: 0, ...(bbox === undefined ? {} : { bbox }) },
    ])
  })

  it.each([
    ['an HTML page', '<html><body/></html>', 'its root element is <html>'],
    ['a truncated document', '<WMS_Capabilities><Service>', 'not well-formed'],
    ['an empty document', '', 'not well-formed'],
    [
      'an exception report',
      '<ServiceExceptionReport><ServiceException code="x">no\n such  version</ServiceException></ServiceExceptionReport>',
      'the service returned an exception: no such version',
    ],
    [
      'an entity bomb',
      '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><WMS_Capabilities>&b;</WMS_Capabilities>',
      'its document type declares entities',
    ],
    [
      'elements nested too deeply',
      `<WMS_Capabilities>${'<Layer>'.repeat(300)}${'</Layer>'.repeat(300)}</WMS_Capabilities>`,
      'nested too deeply',
    ],
    [
      'too many layers',
      `<WMS_Capabilities>${'<Layer/>'.repeat(20_001)}</WMS_Capabilities>`,
      'more than 20000 layers',
    ],
  ])('refuses %s', (_, xml, message) => {
    expect(() => parseWmsCapabilities(xml)).toThrow(message)
  })
})
