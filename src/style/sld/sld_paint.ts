import { type Color, fade, findColor } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import { reportPart } from '../qml/qml_element.ts'
import type { LayerProperty, Length, Stroke } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  childOfSld,
  readParameters,
  readSldNumber,
  reportOthers,
  type SldParameter,
  type SldReading,
} from './sld_element.ts'

const metresPerUnit: Readonly<Record<string, number>> = { metre: 1, meter: 1, foot: 0.3048 }

/** Returns a function that gives lengths the unit of measure of a symbolizer. */
export function lengthsOf(reading: SldReading, { attributes }: XmlElement): (value: number) => Length {
  const attribute = attributes.find(({ name }) => name === 'uom')
  const unit = attribute?.value.trim().split('/').at(-1) || 'pixel'
  const metres = Object.hasOwn(metresPerUnit, unit) ? metresPerUnit[unit] : undefined
  if (attribute !== undefined && metres === undefined && unit !== 'pixel')
    reportPart(reading, attribute, `lengths in the unit "${attribute.value}" are drawn as pixels`)
  return (value) => (metres === undefined ? value : { mapUnits: value * metres })
}

/** Expressions of properties, while they are read. */
export type SldDataDefined = { [P in LayerProperty]?: Expression }

/** Reads a number; an expression goes to the data-defined properties, if there is such a property. */
export function numberIn(
  reading: SldReading,
  parameter: SldParameter | undefined,
  { byDefault, into, property }: { byDefault: number; into?: SldDataDefined; property?: LayerProperty },
): number {
  if (parameter?.expression !== undefined) {
    if (into === undefined || property === undefined)
      reportPart(reading, parameter.element, 'an expression is not supported here; the default is drawn')
    else into[property] = parameter.expression
    return byDefault
  }
  if (parameter === undefined) return byDefault
  return readSldNumber(reading, parameter.element, parameter.text) ?? byDefault
}

function colorIn(reading: SldReading, parameter: SldParameter | undefined, byDefault: Color): Color {
  if (parameter === undefined) return byDefault
  const color = findColor(parameter.text?.trim() ?? '')
  if (color === undefined) reportPart(reading, parameter.element, 'the colour is not drawn: expected #rrggbb')
  return color ?? byDefault
}

/** Names of the parameters of strokes. */
export const strokeNames = [
  ...['stroke', 'stroke-width', 'stroke-opacity', 'stroke-linejoin', 'stroke-linecap'],
  ...['stroke-dasharray', 'stroke-dashoffset'],
]
const joins = { mitre: 'miter', miter: 'miter', round: 'round', bevel: 'bevel' } as const
const caps = { butt: 'flat', round: 'round', square: 'square' } as const

/** Reads one of some words; undefined, with an issue, for others. */
function wordIn<W extends string>(
  reading: SldReading,
  parameter: SldParameter | undefined,
  words: Readonly<Record<string, W>>,
): W | undefined {
  if (parameter === undefined) return undefined
  const word = parameter.text?.trim() ?? ''
  if (Object.hasOwn(words, word)) return words[word]
  const [first] = Object.keys(words)
  reportPart(
    reading,
    parameter.element,
    `the value is not one of ${Object.keys(words).join(', ')}; ${first} is drawn`,
  )
  return undefined
}

/** Stroke of marks without fill and stroke, and of strokes without parameters. */
export const defaultStroke: Stroke = {
  ...{ color: '#000000', width: 1, dash: [], isDashRelative: false, dashOffset: 0 },
  ...{ join: 'miter', cap: 'flat' },
}

/**
 * Reads a stroke; an element without parameters is a black line of one pixel. Undefined for one of graphics, which are
 * reported, unless it has a colour, too.
 */
export function readStroke(
  reading: SldReading,
  element: XmlElement,
  { length, into }: { readonly length: (value: number) => Length; readonly into?: SldDataDefined },
): Stroke | undefined {
  reportOthers(reading, element, ['CssParameter', 'SvgParameter'])
  const parameters = readParameters(reading, element, strokeNames)
  if (childOfSld(element, 'GraphicStroke') !== undefined && !parameters.has('stroke')) return undefined
  const textOf = (name: string) => parameters.get(name)?.text?.trim() ?? ''
  const color = colorIn(reading, parameters.get('stroke'), '#000000')
  const opacity = numberIn(reading, parameters.get('stroke-opacity'), { byDefault: 1 })
  const width = numberIn(reading, parameters.get('stroke-width'), {
    ...{ byDefault: 1, property: 'stroke.width' },
    ...(into && { into }),
  })
  const dash = textOf('stroke-dasharray')
    .split(/[\s,]+/)
    .map((text) => readSldNumber(reading, parameters.get('stroke-dasharray')?.element ?? element, text))
  const lengths = dash.filter((one) => one !== undefined)
  return {
    color: fade(color, opacity),
    width: length(Math.max(0, width)),
    // An odd number of lengths is repeated, as in SVG.
    dash: (lengths.length % 2 === 0 ? lengths : [...lengths, ...lengths]).map(length),
    isDashRelative: false,
    dashOffset: length(numberIn(reading, parameters.get('stroke-dashoffset'), { byDefault: 0 })),
    join: wordIn(reading, parameters.get('stroke-linejoin'), joins) ?? 'miter',
    cap: wordIn(reading, parameters.get('stroke-linecap'), caps) ?? 'flat',
  }
}

/** Reads a fill of one colour; undefined for one of graphics, which are reported, unless it has a colour, too. */
export function readFill(reading: SldReading, element: XmlElement, byDefault: Color): Color | undefined {
  reportOthers(reading, element, ['CssParameter', 'SvgParameter'])
  const parameters = readParameters(reading, element, ['fill', 'fill-opacity'])
  if (childOfSld(element, 'GraphicFill') !== undefined && !parameters.has('fill')) return undefined
  const opacity = numberIn(reading, parameters.get('fill-opacity'), { byDefault: 1 })
  return fade(colorIn(reading, parameters.get('fill'), byDefault), opacity)
}

/** Returns the expressions that were read, if there are any. */
export const definedBy = (into: SldDataDefined) =>
  Object.keys(into).length === 0 ? {} : { dataDefined: into }
