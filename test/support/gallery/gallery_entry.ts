import type { GeometryFamily } from '../../../src/contract/geometry.ts'
import { namedSymbol, qml, symbolLayer, symbols } from '../qml.ts'

/** A QML file of the gallery. */
export interface GalleryEntry {
  /** Name of its reference image. */
  readonly name: string
  /** Part of the gallery. */
  readonly group: 'markers' | 'lines' | 'fills' | 'renderers' | 'labels'
  readonly family: GeometryFamily
  readonly qml: string
  /**
   * Side in pixels of the blocks whose means are compared, for patterns: QGIS aligns them to each polygon, and our renderer to
   * the world, so that tiles fit. @default 1
   */
  readonly blockSize?: number
  /** Colour below the layer. @default white */
  readonly background?: readonly [red: number, green: number, blue: number]
}

/** Options of symbol layers. */
export type Options = Readonly<Record<string, string>>

/** Root attributes of a file that QGIS takes as one of its own version. */
export const version = 'version="3.22.16" styleCategories="AllStyleCategories"'

/** Parts of a file around its renderer. */
export interface FileParts {
  /** Attributes of the renderer. */
  readonly renderer?: string
  /** Attributes of the root element. */
  readonly attributes?: string
  /** Elements after the renderer. */
  readonly rest?: string
  /** Opacity of the symbol. */
  readonly alpha?: number
}

/** Writes a file with one symbol. */
export function oneSymbol(type: 'marker' | 'line' | 'fill', layers: string, parts: FileParts = {}): string {
  const { renderer = '', attributes = '', rest = '', alpha = 1 } = parts
  const symbol = namedSymbol('0', type, layers).replace('alpha="1"', `alpha="${alpha}"`)
  return qml(`type="singleSymbol" ${renderer}`, symbols(symbol), {
    attributes: `${version} ${attributes}`,
    rest,
  })
}

/** Writes a symbol layer in the form of versions before 3.18. */
export function propLayer(cls: string, options: Options): string {
  const list = Object.entries(options).map(([name, value]) => `<prop k="${name}" v="${value}"/>`)
  return `<layer class="${cls}" enabled="1" pass="0" locked="0">${list.join('')}</layer>`
}

/** Writes a simple marker. */
export function simpleMarker(options: Options = {}, inner = ''): string {
  const defaults = { name: 'circle', color: '230,120,40,255', size: '3.6', outline_color: '40,40,60,255' }
  return symbolLayer('SimpleMarker', { ...defaults, outline_width: '0.3', ...options }, inner)
}

/** Writes a simple line. */
export function simpleLine(options: Options = {}, inner = ''): string {
  return symbolLayer('SimpleLine', { line_color: '40,70,140,255', line_width: '0.6', ...options }, inner)
}

/** Writes a simple fill. */
export function simpleFill(options: Options = {}, inner = ''): string {
  const defaults = { color: '150,190,130,255', outline_color: '60,60,60,255', outline_width: '0.3' }
  return symbolLayer('SimpleFill', { ...defaults, ...options }, inner)
}

/** Writes a symbol inside a symbol layer. */
export function innerSymbol(type: 'marker' | 'line', layers: string): string {
  return namedSymbol('@0@0', type, layers)
}
