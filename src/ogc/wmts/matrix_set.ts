import { mercatorHalfWorld, mercatorWorld } from '../../geo/mercator.ts'
import { element, textElement } from '../xml_text.ts'

/** A set of tile matrices in EPSG:3857: at each zoom level, four tiles replace one. */
export interface MatrixSet {
  readonly name: string
  /** Side of a tile in pixels. */
  readonly tileSize: number
}

/** Sets of every layer. @see OGC 07-057r7 annex E.4 */
export const matrixSets: readonly MatrixSet[] = [
  { name: 'GoogleMapsCompatible', tileSize: 256 },
  { name: 'GoogleMapsCompatible512', tileSize: 512 },
]

/** Highest zoom level of a set. */
export const maxMatrix = 24

/** Size of a pixel in metres, by which scales are computed. @see OGC 07-057r7 clause 6.1 */
const pixelMetres = 0.000_28

/** Writes a set of matrices. */
export function matrixSetElement({ name, tileSize }: MatrixSet): string {
  const wellKnown =
    tileSize === 256
      ? [textElement('WellKnownScaleSet', 'urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible')]
      : []
  return element(
    'TileMatrixSet',
    {},
    textElement('ows:Identifier', name),
    textElement('ows:SupportedCRS', 'urn:ogc:def:crs:EPSG::3857'),
    ...wellKnown,
    ...Array.from({ length: maxMatrix + 1 }, (_, zoom) => matrixElement(zoom, tileSize)),
  )
}

function matrixElement(zoom: number, tileSize: number): string {
  const count = 2 ** zoom
  return element(
    'TileMatrix',
    {},
    textElement('ows:Identifier', zoom),
    textElement('ScaleDenominator', mercatorWorld / (tileSize * count) / pixelMetres),
    textElement('TopLeftCorner', `${-mercatorHalfWorld} ${mercatorHalfWorld}`),
    textElement('TileWidth', tileSize),
    textElement('TileHeight', tileSize),
    textElement('MatrixWidth', count),
    textElement('MatrixHeight', count),
  )
}
