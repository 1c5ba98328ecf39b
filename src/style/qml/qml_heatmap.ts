import type { Color } from '../color.ts'
import type { ColorRamp, ColorStop, Heatmap } from '../heatmap.ts'
import { findQtColor } from '../qt_color.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  attributeOf,
  childNamed,
  entryOf,
  findFinite,
  type QmlReading,
  readFieldOrExpression,
  readFinite,
  reportPart,
} from './qml_element.ts'
import { lengthIn, type QmlOptions, readOptions, textOption } from './qml_options.ts'

/** Radius of a heatmap without one, in millimetres. */
const defaultRadius = 10

/**
 * Reads a heatmap; undefined, with an issue, if its colours are not supported. Its render quality is ignored: the density of
 * every pixel is computed.
 */
export function readHeatmap(reading: QmlReading, renderer: XmlElement): Heatmap | undefined {
  const ramp = readRamp(reading, renderer)
  if (ramp === undefined) return undefined
  const maximum = readNumber(reading, renderer, 'max_value') ?? 0
  const weight = readWeight(reading, renderer)
  return {
    radius: lengthIn({
      value: Math.max(0, readNumber(reading, renderer, 'radius') ?? defaultRadius),
      // QGIS writes the number of the unit.
      unit: entryOf(unitNames, attributeOf(renderer, 'radius_unit')) ?? attributeOf(renderer, 'radius_unit'),
      scale: attributeOf(renderer, 'radius_map_unit_scale'),
    }),
    ...(maximum > 0 ? { maximum } : {}),
    ...(weight === undefined ? {} : { weight }),
    ramp,
  }
}

/** Units by their number. */
const unitNames: Readonly<Record<string, string>> = {
  0: 'MM',
  1: 'MapUnit',
  2: 'Pixel',
  4: 'Point',
  5: 'Inch',
  7: 'RenderMetersInMapUnits',
}

function readNumber(reading: QmlReading, renderer: XmlElement, name: string): number | undefined {
  const attribute = renderer.attributes.find((one) => one.name === name)
  return readFinite(reading, {
    at: attribute ?? renderer,
    name: `${name} of the heatmap`,
    text: attribute?.value,
  })
}

function readWeight(reading: QmlReading, renderer: XmlElement): Heatmap['weight'] {
  const text = attributeOf(renderer, 'weight_expression') ?? ''
  if (text === '') return undefined
  const effect = 'all points have the same weight'
  return readFieldOrExpression(reading, { element: renderer, attribute: 'weight_expression', text, effect })
}

function readRamp(reading: QmlReading, renderer: XmlElement): ColorRamp | undefined {
  const element = childNamed(renderer, 'colorramp')
  // QGIS has no other colours for a file without a ramp.
  if (element === undefined) return rampOf('#ffffff', '#000000')
  const type = attributeOf(element, 'type') ?? ''
  const options = readOptions(reading, element)
  const stops = type === 'gradient' ? readStops(textOption(options, 'stops') ?? '') : undefined
  const isMixed = colorSpecs.has(textOption(options, 'spec') ?? 'rgb')
  if (stops === undefined || !isMixed) {
    reportPart(reading, element, `the heatmap is not drawn: colour ramps of type ${type} ${partOf(type)}`)
    return undefined
  }
  const [first, last] = [colorOf(options, 'color1', '#000000'), colorOf(options, 'color2', '#ffffff')]
  const isDiscrete = textOption(options, 'discrete') === '1'
  return { ...rampOf(first, last, stops), isDiscrete }
}

const partOf = (type: string) =>
  type === 'gradient' ? 'are drawn with stops in RGB only' : 'are not supported'

const colorSpecs = new Set(['', 'rgb'])

const colorOf = (options: QmlOptions, name: string, byDefault: Color): Color =>
  findQtColor(textOption(options, name) ?? '') ?? byDefault

function rampOf(first: Color, last: Color, inner: readonly ColorStop[] = []): ColorRamp {
  const stops = [{ at: 0, color: first }, ...inner.toSorted((a, b) => a.at - b.at), { at: 1, color: last }]
  return { stops, isDiscrete: false }
}

/** Reads stops such as `0.5;255,0,0,255;rgb;ccw:0.8;0,0,255,255`; undefined if one of them is not supported. */
function readStops(text: string): ColorStop[] | undefined {
  // Colours in full precision have a colon, too.
  const parts = text === '' ? [] : text.split(/:(?=[\d.eE+-]+;)/)
  const stops = parts.map((part) => {
    const [position, color = '', spec = ''] = part.split(';')
    const [at, found] = [findFinite(position), findQtColor(color)]
    return at === undefined || found === undefined || !colorSpecs.has(spec)
      ? undefined
      : { at: Math.min(1, Math.max(0, at)), color: found }
  })
  return stops.every((stop) => stop !== undefined) ? stops : undefined
}
