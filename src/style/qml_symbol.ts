import { type Color, colorOf } from './color.ts'
import { defaultSymbolizer, type Marker, type Symbolizer } from './page_style.ts'
import type { XmlElement } from './xml_read.ts'

/** A symbol of a QML file, and its layers that are not supported. */
export interface QmlSymbol {
  /** Bottom first. */
  readonly symbolizers: readonly Symbolizer[]
  readonly unsupported: readonly { readonly element: XmlElement; readonly what: string }[]
}

/** Reads the enabled layers of a symbol, each a simple fill, line or marker. */
export function readQmlSymbol(symbol: XmlElement): QmlSymbol {
  const type = attributeOf(symbol, 'type') ?? ''
  const alpha = numberOf(attributeOf(symbol, 'alpha')) ?? 1
  const layers = symbol.children.filter(({ name }) => name === 'layer')
  const shown = layers.filter((layer) => attributeOf(layer, 'enabled') !== '0')
  const read = shown.map((element) => {
    const cls = attributeOf(element, 'class') ?? ''
    const drawn = entryOf(readers, cls)?.(optionsOf(element), type)
    return { element, cls, drawn: drawn && { ...drawn, opacity: drawn.opacity * alpha } }
  })
  return {
    symbolizers: read.flatMap(({ drawn }) => drawn ?? []),
    unsupported: read.flatMap(({ element, cls, drawn }) =>
      drawn === undefined ? [{ element, what: `symbol layer ${cls}` }] : [],
    ),
  }
}

type Options = ReadonlyMap<string, string>
type ReadLayer = (options: Options, type: string) => Symbolizer

const readers: Readonly<Record<string, ReadLayer>> = {
  SimpleFill: (options) => {
    const fill = options.get('style') === 'no' ? undefined : paintOf(options, 'color')
    return { ...outlineOf(options), ...fillOf(fill) }
  },
  SimpleMarker: (options) => ({
    ...outlineOf(options),
    ...fillOf(paintOf(options, 'color')),
    size: lengthOf(options, 'size') ?? defaultSymbolizer.size,
    marker: entryOf(markers, options.get('name')) ?? 'circle',
    // QGIS angles are clockwise.
    angle: (360 - (numberOf(options.get('angle')) ?? 0)) % 360,
  }),
  SimpleLine: (options, type) => {
    const paint = options.get('line_style') === 'no' ? undefined : paintOf(options, 'line_color')
    const width = lengthOf(options, 'line_width') ?? 1
    const dash = dashOf(options, { style: options.get('line_style'), width })
    const line = { ...defaultSymbolizer, width, dash, opacity: paint?.opacity ?? 1 }
    if (paint === undefined) return line
    return type === 'fill' ? { ...line, outline: paint.color } : { ...line, fill: paint.color }
  },
}

const markers: Readonly<Record<string, Marker>> = {
  circle: 'circle',
  square: 'square',
  rectangle: 'square',
  diamond: 'diamond',
  triangle: 'triangle',
  equilateral_triangle: 'triangle',
  star: 'star',
  regular_star: 'star',
  cross: 'cross',
  cross_fill: 'cross',
  cross2: 'x',
}

interface Paint {
  readonly color: Color
  readonly opacity: number
}

/** Outline of polygons and markers. */
function outlineOf(options: Options): Symbolizer {
  const style = options.get('outline_style')
  const width = lengthOf(options, 'outline_width') ?? 1
  const paint = style === 'no' ? undefined : paintOf(options, 'outline_color')
  const edge = { ...defaultSymbolizer, width, dash: dashOf(options, { style, width }) }
  return paint === undefined ? edge : { ...edge, outline: paint.color, opacity: paint.opacity }
}

// A symbolizer has one opacity: that of the fill, if any.
function fillOf(paint: Paint | undefined): Partial<Symbolizer> {
  return paint === undefined ? {} : { fill: paint.color, opacity: paint.opacity }
}

/** Reads a colour `red,green,blue,alpha`, each 0 to 255. */
function paintOf(options: Options, name: string): Paint | undefined {
  const [red, green, blue, alpha = 255] = (options.get(name) ?? '').split(',').slice(0, 4).map(Number)
  if (red === undefined || green === undefined || blue === undefined) return undefined
  if (![red, green, blue, alpha].every(Number.isFinite)) return undefined
  return { color: colorOf([red, green, blue]), opacity: Math.min(1, Math.max(0, alpha / 255)) }
}

/** Pixels per unit at 96 dpi. Lengths in map units are read as millimetres. */
const pixelsPerUnit: Readonly<Record<string, number>> = { Pixel: 1, Point: 96 / 72, Inch: 96, MM: 96 / 25.4 }

function lengthOf(options: Options, name: string): number | undefined {
  const length = numberOf(options.get(name))
  const unit = entryOf(pixelsPerUnit, options.get(`${name}_unit`)) ?? 96 / 25.4
  return length === undefined || length < 0 ? undefined : round(length * unit)
}

/** Dash and gap lengths of the named pen styles, in multiples of the line width. */
const dashPatterns: Readonly<Record<string, readonly number[]>> = {
  dash: [4, 2],
  dot: [1, 2],
  'dash dot': [4, 2, 1, 2],
  'dash dot dot': [4, 2, 1, 2, 1, 2],
}

function dashOf(
  options: Options,
  { style = '', width }: { style: string | undefined; width: number },
): number[] {
  if (options.get('use_custom_dash') !== '1')
    return (entryOf(dashPatterns, style) ?? []).map((part) => round(part * width))
  const unit = entryOf(pixelsPerUnit, options.get('customdash_unit')) ?? 96 / 25.4
  const parts = (options.get('customdash') ?? '').split(';').map(Number)
  return parts.every((part) => part > 0) ? parts.map((part) => round(part * unit)) : []
}

/** Options of a symbol layer, in the current (`Option`) and the older (`prop`) form. */
function optionsOf(layer: XmlElement): Options {
  const options = new Map<string, string>()
  for (const child of layer.children) {
    if (child.name === 'prop') options.set(attributeOf(child, 'k') ?? '', attributeOf(child, 'v') ?? '')
    if (child.name !== 'Option') continue
    for (const option of child.children)
      options.set(attributeOf(option, 'name') ?? '', attributeOf(option, 'value') ?? '')
  }
  return options
}

/** Finds an own entry of a table; inherited properties do not count. */
function entryOf<T>(table: Readonly<Record<string, T>>, name = ''): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

const round = (value: number) => Math.round(value * 100) / 100

function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value
}
