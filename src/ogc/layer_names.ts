import { createCapabilitiesParser } from './capabilities_xml.ts'
import { decodeText } from './text_encoding.ts'
import { wmsRoots } from './wms_capabilities.ts'

/** Services whose capabilities list layers. */
export type LayerService = 'wms' | 'wfs'

/** Root element of the capabilities, and the element of a layer. */
const documents: Readonly<
  Record<LayerService, { readonly roots: readonly string[]; readonly layer: string }>
> = {
  wms: { roots: wmsRoots, layer: 'Layer' },
  wfs: { roots: ['WFS_Capabilities'], layer: 'FeatureType' },
}

/** A capabilities document as it arrives. */
export interface CapabilitiesResponse {
  readonly contentType: string
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Reads the names of the layers or feature types from the capabilities of WMS 1.1.1 and 1.3.0, WFS 1.0.0, 1.1.0 and
 * 2.0.0, without holding the document in memory. Names of feature types have the prefixes of the document.
 *
 * @throws {CapabilitiesFault}
 * @see OGC 06-042 clause 7.2.4, OGC 09-025r2 clause 8.3.4
 */
export async function readLayerNames(
  service: LayerService,
  { contentType, body }: CapabilitiesResponse,
  addName: (name: string) => void,
): Promise<void> {
  const { roots, layer } = documents[service]
  const parser = createCapabilitiesParser(roots, {
    close({ name, parent }, text) {
      if (name === 'Name' && parent === layer && text !== '') addName(text)
    },
  })
  for await (const xml of decodeText(body, contentType)) parser.write(xml)
  parser.end()
}
