import { describe, expect, it } from 'vitest'
import { CapabilitiesFault } from '../../src/ogc/capabilities_xml.ts'
import { type LayerService, readLayerNames } from '../../src/ogc/layer_names.ts'
import { inPieces } from '../support/pieces.ts'
import { capabilities } from '../support/wms.ts'

async function read(service: LayerService, xml: string | Uint8Array, contentType = 'text/xml') {
  const names: string[] = []
  const body = inPieces(Buffer.from(xml), [7, 1, 64])
  await readLayerNames(service, { contentType, body }, (name) => names.push(name))
  return names
}

const featureTypes = (prefix: string, root: string) => `<?xml version="1.0"?>
  <${prefix}WFS_Capabilities ${root}>
    <${prefix}Service><${prefix}Name>WFS</${prefix}Name></${prefix}Service>
    <${prefix}FeatureTypeList>
      <${prefix}FeatureType><${prefix}Name>gis:roads</${prefix}Name><${prefix}Title>Roads</${prefix}Title>
        <MetadataURL><Name>not a layer</Name></MetadataURL></${prefix}FeatureType>
      <${prefix}FeatureType><${prefix}Name><![CDATA[rails]]> </${prefix}Name></${prefix}FeatureType>
    </${prefix}FeatureTypeList>
  </${prefix}WFS_Capabilities>`

const lot = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'

describe('readLayerNames', () => {
  it('reads the layers of WMS 1.3.0, but not their styles', async () => {
    expect(await read('wms', capabilities)).toEqual(['roads', 'rails'])
  })

  it('reads the layers of WMS 1.1.1, and does not fetch its document type', async () => {
    const xml = `<!DOCTYPE WMT_MS_Capabilities SYSTEM "http://127.0.0.1:9/WMS_MS_Capabilities.dtd"
      [ <!ELEMENT VendorSpecificCapabilities EMPTY> ]>
      <WMT_MS_Capabilities version="1.1.1"><Layer><Name>a &amp; b</Name></Layer></WMT_MS_Capabilities>`
    expect(await read('wms', xml)).toEqual(['a & b'])
  })

  it.each([
    ['1.0.0', '', 'version="1.0.0" xmlns="http://www.opengis.net/wfs"'],
    ['1.1.0', 'wfs:', 'version="1.1.0" xmlns:wfs="http://www.opengis.net/wfs"'],
    ['2.0.0', 'w:', 'version="2.0.0" xmlns:w="http://www.opengis.net/wfs/2.0"'],
  ])('reads the feature types of WFS %s', async (_, prefix, root) => {
    expect(await read('wfs', featureTypes(prefix, root))).toEqual(['gis:roads', 'rails'])
  })

  it('decodes the document by header, declaration or byte order mark', async () => {
    const xml = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><WMS_Capabilities><Layer><Name>Straße</Name></Layer></WMS_Capabilities>`
    expect(await read('wms', Buffer.from(xml('ISO-8859-1'), 'latin1'))).toEqual(['Straße'])
    expect(await read('wms', Buffer.from(xml('x'), 'latin1'), 'text/xml; charset=latin1')).toEqual(['Straße'])
    expect(await read('wms', Buffer.from(`\ufeff${xml('utf-16')}`, 'utf16le'))).toEqual(['Straße'])
    expect(await read('wms', xml('no-such-encoding'))).toEqual(['Straße'])
  })

  it.each([
    ['capabilities of another service', featureTypes('', ''), 'its root element is <WFS_Capabilities>'],
    ['a page', '<!DOCTYPE html><html><body></body></html>', 'its root element is <html>'],
    ['text', 'hello', 'it is not well-formed'],
    ['nothing', '', 'it is not well-formed'],
    ['a truncated document', capabilities.slice(0, -30), 'it is not well-formed'],
    ['an exception', '<ows:ExceptionReport><ows:ExceptionText>no</ows:ExceptionText>', 'an exception: no'],
    ['entities', `<!DOCTYPE a [${lot}]><WMS_Capabilities>&b;</WMS_Capabilities>`, 'declares entities'],
    [
      'external entities',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><WMS_Capabilities>&x;</WMS_Capabilities>',
      'its document type declares entities',
    ],
    ['unknown entities', '<WMS_Capabilities>&x;</WMS_Capabilities>', 'undefined entity'],
    ['deep elements', `<WMS_Capabilities>${'<Layer>'.repeat(300)}`, 'nested too deeply'],
  ])('refuses %s', async (_, xml, reason) => {
    const fault: unknown = await read('wms', xml).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(CapabilitiesFault)
    expect(String(fault)).toContain(reason)
  })
})
