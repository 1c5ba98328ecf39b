import { hasErrors, type Issue } from '../core/issue.ts'
import { type Color, colorOf, findColor } from './color.ts'
import { ExpressionFault, parseExpression } from './expression.ts'
import type { Filter } from './filter.ts'
import {
  childrenOf,
  fail,
  type Place,
  parseNumber,
  readNumber,
  readParts,
  readValue,
  reportAttributes,
  short,
  warn,
} from './reading.ts'
import { plainSymbolizer, type Rule, type Style, type Symbolizer } from './style.ts'
import { readMarker, readSymbols, type Symbols } from './symbol.ts'
import { readXml } from './xml.ts'

/** What reading a style gives: the style, unless an issue is an error. */
export interface StyleReading {
  readonly style?: Style
  /** Errors, and warnings about what the drawing leaves out. Positions are within the text. */
  readonly issues: readonly Issue[]
}

/**
 * Reads a style in map server XML: `<map><layer><class><style><color red="…" green="…" blue="…"/>…`. Values stand as
 * text or in an attribute `value`. Lengths are pixels, opacity is a percentage.
 *
 * @param file what positions name as their file
 * @see https://mapserver.org/mapfile/style.html
 */
export function readMapserverXml(xml: string, file = 'xml'): StyleReading {
  const { root, issues: faults } = readXml(xml, file)
  if (root === undefined) return { issues: faults }
  const issues: Issue[] = []
  const style = readMap({ element: root, path: `/${root.name}`, issues })
  return hasErrors(issues) || style === undefined ? { issues } : { style, issues }
}

/** Settings of a layer that its classes inherit. */
interface Layer {
  readonly classItem?: string
  readonly opacity?: number
  readonly min?: number
  readonly max?: number
  readonly symbols: Symbols
}

interface Class {
  readonly label?: string
  readonly filter?: Filter
  readonly min?: number
  readonly max?: number
}

function readMap(map: Place): Style | undefined {
  const { name, span } = map.element
  if (name !== 'map') return void fail(map, span, `the root element has to be <map>, not <${name}>`)
  readParts(map, { children: { layer: nothing, symbol: nothing, legend: nothing } })
  const [layer, ...more] = childrenOf(map, 'layer')
  if (layer === undefined) return void fail(map, span, '<map> has no <layer>')
  for (const extra of more) warn(extra, extra.element.span, { message: 'only the first <layer> is drawn' })
  return readLayer(layer, readSymbols(map))
}

function readLayer(place: Place, symbols: Symbols): Style {
  const settings = readParts<Omit<Layer, 'symbols'>>(place, {
    children: {
      class: nothing,
      classitem: (at) => part('classItem', readValue(at)),
      opacity: (at) => part('opacity', readOpacity(at)),
      minscaledenom: (at) => part('min', readNumber(at, { least: 0 })),
      maxscaledenom: (at) => part('max', readNumber(at, { least: 0 })),
    },
  })
  const classes = childrenOf(place, 'class')
  if (classes.length === 0)
    warn(place, place.element.span, { message: 'nothing is drawn: <layer> has no <class>' })
  return { rules: classes.map((at) => readClass(at, { ...settings, symbols })) }
}

function readClass(place: Place, layer: Layer): Rule {
  const { label, filter, min, max } = readParts<Class>(place, {
    children: {
      style: nothing,
      name: (at) => part('label', readValue(at)),
      expression: (at) => part('filter', readFilter(at, layer.classItem)),
      minscaledenom: (at) => part('min', readNumber(at, { least: 0 })),
      maxscaledenom: (at) => part('max', readNumber(at, { least: 0 })),
    },
  })
  return {
    ...part('label', label),
    ...part('filter', filter),
    ...part('minScaleDenom', narrower(Math.max, layer.min, min)),
    ...part('maxScaleDenom', narrower(Math.min, layer.max, max)),
    symbolizers: childrenOf(place, 'style').map((at) => readStyle(at, layer)),
  }
}

function readStyle(place: Place, { symbols, opacity = 1 }: Layer): Symbolizer {
  const own = readParts<Symbolizer>(place, {
    children: {
      color: (at) => part('fill', readColor(at)),
      outlinecolor: (at) => part('outline', readColor(at)),
      width: (at) => part('width', readNumber(at, { least: 0, most: 1000 })),
      outlinewidth: (at) => part('casing', readNumber(at, { least: 0, most: 1000 })),
      size: (at) => part('size', readNumber(at, { least: 0, most: 1000 })),
      symbol: (at) => readMarker(at, symbols),
      angle: (at) => part('angle', readNumber(at, { least: -360, most: 360 })),
      opacity: (at) => part('opacity', readOpacity(at)),
      pattern: (at) => part('dash', readDash(at)),
    },
  })
  return { ...plainSymbolizer, ...own, opacity: (own.opacity ?? 1) * opacity }
}

function readColor(place: Place): Color | undefined {
  const { element } = place
  const channels = ['red', 'green', 'blue'].map((name) => readChannel(place, name))
  if (channels.every((channel) => channel === undefined) && !hasChannels(place)) return readColorText(place)
  reportAttributes(place, ['red', 'green', 'blue'])
  const [red, green, blue] = channels
  if (red === undefined || green === undefined || blue === undefined) return undefined
  // No colour at all is written as three times -1.
  if (red < 0 || green < 0 || blue < 0) return undefined
  if (element.text !== '')
    warn(place, element.span, { message: `text in <${element.name}> is not used: ${short(element.text)}` })
  return colorOf([red, green, blue])
}

const hasChannels = ({ element }: Place) =>
  element.attributes.some(({ name }) => name === 'red' || name === 'green' || name === 'blue')

function readChannel(place: Place, name: string): number | undefined {
  const { element } = place
  const attribute = element.attributes.find((one) => one.name === name)
  if (attribute === undefined) {
    if (hasChannels(place)) fail(place, element.span, `<${element.name}> has no ${name}`)
    return undefined
  }
  const value = parseNumber(attribute.value.trim())
  if (value !== undefined && Number.isInteger(value) && value >= -1 && value <= 255) return value
  fail(place, attribute.span, `${name} takes a whole number from 0 to 255, got ${short(attribute.value)}`)
  return undefined
}

function readColorText(place: Place): Color | undefined {
  const text = readValue(place)
  const color = text === undefined ? undefined : findColor(text)
  if (text !== undefined && color === undefined) {
    fail(place, place.element.span, `${short(text)} is no colour: write red, green and blue, or #rrggbb`)
  }
  return color
}

function readOpacity(place: Place): number | undefined {
  const percent = readNumber(place, { least: 0, most: 100 })
  return percent === undefined ? undefined : percent / 100
}

function readDash(place: Place): number[] | undefined {
  const text = readValue(place)
  if (text === undefined) return undefined
  const lengths = text.split(/[\s,]+/).map(parseNumber)
  const dash = lengths.filter((length) => length !== undefined && length > 0 && length <= 1000) as number[]
  if (dash.length === lengths.length && dash.length % 2 === 0) return dash
  fail(place, place.element.span, `<pattern> takes lengths of dashes and gaps in turn, got ${short(text)}`)
  return undefined
}

function readFilter(place: Place, classItem: string | undefined): Filter | undefined {
  const text = readValue(place)
  if (text === undefined) return undefined
  try {
    return parseExpression(text, classItem)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    return void fail(place, place.element.span, `<expression> cannot be read: ${error.message}`)
  }
}

const nothing = () => ({})

function part<K extends string, V>(name: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [N in K]?: V }
}

function narrower(choose: (a: number, b: number) => number, a: number | undefined, b: number | undefined) {
  return a === undefined || b === undefined ? (a ?? b) : choose(a, b)
}
