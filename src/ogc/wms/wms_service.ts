import { uniqueName } from '../../core/unique_name.ts'
import type { Bbox } from '../../geo/bbox.ts'

/** A layer as a service publishes it. */
export interface WmsLayer {
  /** Name in requests. */
  readonly name: string
  readonly title: string
  /** Description in plain text, in documents that state it. */
  readonly abstract?: string | undefined
  /** The style or layer that is drawn. */
  readonly resourceId: number
  /** Scale denominator below which the layer is drawn, or at which, for pixels of 0.28 mm; null for no limit. */
  readonly largestDenom: number | null
  /** Scale denominator from which on the layer is drawn. */
  readonly smallestDenom: number | null
  /** Whether features or values can be found at a pixel. */
  readonly isQueryable: boolean
  /** Extent in degrees, in documents that state it. */
  readonly extent?: Bbox | undefined
  /** Size of the legend, in documents that state it; undefined if the layer has none. */
  readonly legendSize?: LegendSize | undefined
}

/** Size of the image of a legend, in pixels. */
export interface LegendSize {
  readonly width: number
  readonly height: number
}

/** A service, as a caller sees it. */
export interface WmsService {
  readonly title: string
  /** Description in plain text, in documents that state it. */
  readonly abstract?: string | undefined
  /** Address of the service, without a query. */
  readonly url: string
  /** EPSG codes of the layers, in documents that state them. */
  readonly systems: readonly number[]
  /** Layers that the caller may read, from bottom to top as the service lists them. */
  readonly layers: readonly WmsLayer[]
}

/** Returns the address of the legend of a layer, by that of the web map service. */
export function legendAddress(wmsUrl: string, layerName: string): string {
  const query = new URLSearchParams({
    SERVICE: 'WMS',
    VERSION: '1.3.0',
    REQUEST: 'GetLegendGraphic',
    FORMAT: 'image/png',
    LAYER: layerName,
  })
  return `${wmsUrl}?${query}`
}

/** Returns a distinct name for each key: commas separate names in requests, so they become underscores. */
export function layerNames(keys: readonly string[]): string[] {
  const taken = new Set(keys.filter((key) => !key.includes(',')))
  return keys.map((key) => {
    if (!key.includes(',')) return key
    const isTaken = (name: string) => taken.has(name)
    const name = uniqueName(key.replaceAll(',', '_'), { isTaken, firstNumber: 2 })
    taken.add(name)
    return name
  })
}

/** Size of a pixel in metres, by which scales are computed. @see OGC 06-042 clause 7.2.4.6.9 */
const pixelMetres = 0.000_28

/** Returns the scale denominator of a resolution in metres per pixel. */
export function wmsScaleDenom(resolution: number): number {
  return resolution / pixelMetres
}

/** Reports whether a layer is drawn at a scale. */
export function isDrawnAt(
  { largestDenom, smallestDenom }: Pick<WmsLayer, 'largestDenom' | 'smallestDenom'>,
  scaleDenom: number,
): boolean {
  // Clients compute scales with rounding errors.
  const [least, most] = [0.999_999 * scaleDenom, 1.000_001 * scaleDenom]
  return (largestDenom === null || least <= largestDenom) && (smallestDenom === null || most >= smallestDenom)
}

/** Formats of images, by the name in requests and capabilities. */
export const mapFormats = ['image/png', 'image/jpeg', 'image/webp'] as const

/** Format of an image. */
export type MapFormat = (typeof mapFormats)[number]

/** Formats of the features at a pixel. */
export const infoFormats = ['text/plain', 'text/html', 'application/json', 'application/vnd.ogc.gml'] as const

/** Format of the features at a pixel. */
export type InfoFormat = (typeof infoFormats)[number]

/** Maximum width and height of a map in pixels. */
export const maxMapSize = 8192

/** Name of the only style of each layer. */
export const styleName = 'default'
