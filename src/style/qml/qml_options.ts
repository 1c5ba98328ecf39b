import type { Color } from '../color.ts'
import { findQtColor } from '../qt_color.ts'
import type { Length, Offset } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { attributeOf, entryOf, type QmlReading, readFinite, reportPart } from './qml_element.ts'

/** Options of a symbol layer by name, in the current (`Option`) or older (`prop`) form. */
export interface QmlOptions {
  readonly reading: QmlReading
  /** Element of the symbol layer. */
  readonly layer: XmlElement
  /** Class of the symbol layer. */
  readonly cls: string
  readonly values: ReadonlyMap<string, { readonly value: string; readonly element: XmlElement }>
}

/** Reads the options of a symbol layer. Where both forms exist, the current one applies. */
export function readOptions(reading: QmlReading, layer: XmlElement): QmlOptions {
  const entries = layer.children.flatMap((child) => {
    if (child.name === 'prop') return [entryFor(child, 'k', 'v')]
    return child.name === 'Option' ? child.children.map((option) => entryFor(option, 'name', 'value')) : []
  })
  const isOption = ([, { element }]: (typeof entries)[number]) => element.name === 'Option'
  const ordered = [...entries.filter((entry) => !isOption(entry)), ...entries.filter(isOption)]
  return { reading, layer, cls: attributeOf(layer, 'class') ?? '', values: new Map(ordered) }
}

function entryFor(element: XmlElement, name: string, value: string) {
  return [attributeOf(element, name) ?? '', { value: attributeOf(element, value) ?? '', element }] as const
}

/** Returns the first of some options that exists; later names are those of older versions. */
export function textOption({ values }: QmlOptions, ...names: readonly string[]): string | undefined {
  const name = names.find((one) => values.has(one))
  return name === undefined ? undefined : values.get(name)?.value
}

/** Returns an option as a number. */
export function numberOption(options: QmlOptions, name: string, byDefault: number): number {
  return numberAt(options, name) ?? byDefault
}

/** Returns the first of some options that exists as a number; reports one that is not finite or too large. */
function numberAt(options: QmlOptions, ...names: readonly string[]): number | undefined {
  const name = names.find((one) => options.values.has(one))
  const option = name === undefined ? undefined : options.values.get(name)
  return readFinite(options.reading, {
    at: option?.element ?? options.layer,
    name: `${name} of ${options.cls}`,
    text: option?.value,
  })
}

/** Returns an option as a colour; reports one that is none. */
export function colorOption(options: QmlOptions, names: readonly string[], byDefault: Color): Color {
  const text = textOption(options, ...names) ?? ''
  const color = findQtColor(text)
  if (color === undefined && text !== '')
    reportPart(
      options.reading,
      options.layer,
      `${names[0]} of ${options.cls} is not a colour: "${text.slice(0, 80)}"; ${byDefault} is drawn`,
    )
  return color ?? byDefault
}

/** Pixels of 1/96 inch per unit. */
export const pixelsPerUnit: Readonly<Record<string, number>> = {
  Pixel: 1,
  Point: 96 / 72,
  Inch: 96,
  MM: 96 / 25.4,
}

const millimetre = 96 / 25.4

/** A length in a unit of QGIS. */
export interface UnitLength {
  readonly value: number
  /** Unit; missing and unknown units are millimetres, as in QGIS. */
  readonly unit: string | undefined
  /** Limits of lengths in map units, such as `3x:0,0,1,0,0.5,0`. */
  readonly scale: string | undefined
}

/** Converts a length to pixels or map units. */
export function lengthIn({ value, unit, scale }: UnitLength): Length {
  if (unit !== 'MapUnit' && unit !== 'RenderMetersInMapUnits')
    return roundLength(value * (entryOf(pixelsPerUnit, unit) ?? millimetre))
  const [, , hasMin, hasMax, min = 0, max = 0] = (scale ?? '').replace(/^3x:/, '').split(',').map(Number)
  return {
    mapUnits: value,
    ...(hasMin === 1 && Number.isFinite(min) ? { minPixels: roundLength(min * millimetre) } : {}),
    ...(hasMax === 1 && Number.isFinite(max) ? { maxPixels: roundLength(max * millimetre) } : {}),
  }
}

const roundLength = (value: number) => Math.round(value * 10_000) / 10_000

/** Names of a length option, of the option with its unit, and its default in millimetres. */
export interface LengthOption {
  readonly name: string
  /** @default name with `_unit` */
  readonly unit?: string
  /** @default name with `_map_unit_scale` */
  readonly scale?: string
  /** Older names. */
  readonly older?: readonly string[]
  readonly byDefault: number
}

/** Returns an option as a length. */
export function lengthOption(options: QmlOptions, option: LengthOption): Length {
  return lengthIn(unitLength(options, option))
}

/** Returns a length option with its unit. */
export function unitLength(options: QmlOptions, option: LengthOption): UnitLength {
  const { name, unit = `${name}_unit`, older = [], byDefault } = option
  const value = numberAt(options, name, ...older)
  const units = textOption(options, unit, ...older.map((one) => `${one}_unit`))
  reportUnit(options, unit, units)
  const scale = textOption(options, option.scale ?? `${name}_map_unit_scale`)
  return value === undefined ? { value: byDefault, unit: 'MM', scale } : { value, unit: units, scale }
}

/** Returns an option such as `1,-2` as two lengths. */
export function offsetOption(options: QmlOptions, name = 'offset'): Offset {
  const unit = textOption(options, `${name}_unit`)
  reportUnit(options, `${name}_unit`, unit)
  const scale = textOption(options, `${name}_map_unit_scale`)
  const at = options.values.get(name)?.element ?? options.layer
  const [x, y] = (textOption(options, name) ?? '')
    .split(',')
    .map((text) => readFinite(options.reading, { at, name: `${name} of ${options.cls}`, text }))
  return x === undefined || y === undefined
    ? [0, 0]
    : [lengthIn({ value: x, unit, scale }), lengthIn({ value: y, unit, scale })]
}

function reportUnit(options: QmlOptions, name: string, unit: string | undefined): void {
  const at = options.values.get(name)?.element ?? options.layer
  if (unit === 'RenderMetersInMapUnits')
    reportPart(options.reading, at, `${name} of ${options.cls}: meters at scale are drawn as map units`)
  if (unit === 'Percentage')
    reportPart(options.reading, at, `${name} of ${options.cls}: percentages are drawn as millimetres`)
}

/** Reports options whose values have an effect that is not drawn. `neutral` are the values without effect. */
export function reportIgnored(
  options: QmlOptions,
  neutral: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [name, values] of Object.entries(neutral)) {
    const option = options.values.get(name)
    if (option === undefined || option.value === '' || values.includes(option.value)) continue
    reportPart(options.reading, option.element, `option ${name} of ${options.cls} is ignored`)
  }
}
