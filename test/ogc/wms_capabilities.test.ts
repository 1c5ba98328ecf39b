import { describe, expect, it } from 'vitest'
import { parseWmsCapabilities } from '../../src/ogc/wms_capabilities.ts'
import { capabilitiesUrl } from '../../src/ogc/wms_client.ts'
import { capabilities } from '../support/wms.ts'

describe('the capabilities of a WMS service', () => {
  it('of version 1.3.0 give formats and named layers, with their boxes', () => {
    expect(parseWmsCapabilities(capabilities)).toEqual({
      formats: ['image/png', 'image/jpeg'],
      layers: [
        { id: 'roads', title: 'Roads & paths', index: 1, bbox: [5.5, 47, 15, 55] },
        { id: 'rails', title: 'rails', index: 2 },
      ],
    })
  })

  it('of version 1.1.1 may name a document type, which is not looked up', () => {
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
    ['a page', '<html><body/></html>', 'its root is <html>'],
    ['cut off', '<WMS_Capabilities><Service>', 'not well-formed'],
    ['nothing', '', 'not well-formed'],
    [
      'a refusal',
      '<ServiceExceptionReport><ServiceException code="x">no\n such  version</ServiceException></ServiceExceptionReport>',
      'the service refuses: no such version',
    ],
    [
      'a bomb',
      '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><WMS_Capabilities>&b;</WMS_Capabilities>',
      'undefined entity',
    ],
    [
      'too deep a nest',
      `<WMS_Capabilities>${'<Layer>'.repeat(300)}${'</Layer>'.repeat(300)}</WMS_Capabilities>`,
      'nested too deep',
    ],
    [
      'a list without end',
      `<WMS_Capabilities>${'<Layer/>'.repeat(20_001)}</WMS_Capabilities>`,
      'more than 20000 layers',
    ],
  ])('that are %s are refused', (_, xml, message) => {
    expect(() => parseWmsCapabilities(xml)).toThrow(message)
  })
})

describe('the request for capabilities', () => {
  it.each([
    ['http://a.example/wms', 'http://a.example/wms?SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0'],
    [
      'http://a.example/?map=/x.map&Request=GetMap&version=1.0.0&service=wfs',
      'http://a.example/?map=%2Fx.map&SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0',
    ],
  ])('to %s keeps what is the own of the address', (url, asked) => {
    expect(capabilitiesUrl(url, '1.3.0').href).toBe(asked)
  })
})
