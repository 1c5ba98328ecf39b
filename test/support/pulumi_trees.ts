import { signatureKey, signatures } from '../../src/provider/property_values.ts'
import type { Wire } from './pulumi_engine.ts'

/** Writes a text as an asset of Pulumi. */
export const assetOf = (text: string): Wire => ({ [signatureKey]: signatures.asset, text })

/** Inputs of a layer of points with the field `n`, which are loaded from an asset. */
export function treesOf(numbers: readonly number[]): Wire {
  const features = numbers.map((n) => ({
    type: 'Feature',
    properties: { n },
    geometry: { type: 'Point', coordinates: [n, n] },
  }))
  return {
    data: assetOf(JSON.stringify({ type: 'FeatureCollection', features })),
    feature_layer: { fields: [{ keyname: 'n', datatype: 'INTEGER', display_name: 'Number' }] },
  }
}
