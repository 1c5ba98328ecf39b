import { hasErrors, type Issue } from '../core/issue.ts'
import { type Color, colorOf, findColor } from './color.ts'
import {
  childrenOf,
  type ElementContext,
  fail,
  parseNumber,
  quoteShort,
  readNumber,
  readParts,
  readValue,
  reportAttributes,
  warn,
} from './element_reader.ts'
import type { Filter } from './feature_filter.ts'
import { ExpressionFault, parseExpression } from './mapserver_expression.ts'
import { readMarker, readSymbols, type Symbols } from './mapserver_symbol.ts'
import { defaultSymbolizer, type Rule, type Style, type Symbolizer } from './page_style.ts'
import { readXml } from './xml_read.ts'

/** Result of reading a style; has no style if an issue is an error. */
export interface StyleResult {
  readonly style?: Style
  /** Errors, and warnings about parts that are not drawn. Positions are relative to the text. */
  readonly issues: readonly Issue[]
}

/**
 * Reads a style in MapServer XML: `<map><layer><class><style><color red="…" green="…" blue="…"/>…`. Values are element
 * text or an attribute `value`. Lengths are in pixels, opacity is a percentage.
 *
 * @param file file name in issue positions
 * @see https://mapserver.org/mapfile/style.html
 */
export function readMapserverXml(xml: string, file = 'xml'): StyleResult {
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

function readMap(map: ElementContext): Style | undefined {
  const { name, span } = map.element
  if (name !== 'map') return void fail(map, span, `the root element must be <map>, got <${name}>`)
  readParts(map, { children: { layer: ignore, symbol: ignore, legend: ignore } })
  const [layer, ...more] = childrenOf(map, 'layer')
  if (layer === undefined) return void fail(map, span, '<map> has no <layer>')
  for (const extra of more) warn(extra, extra.element.span, { message: 'only the first <layer> is drawn' })
  return readLayer(layer, readSymbols(map))
}

function readLayer(context: ElementContext, symbols: Symbols): Style {
  const settings = readParts<Omit<Layer, 'symbols'>>(context, {
    children: {
      class: ignore,
      classitem: (at) => part('classItem', readValue(at)),
      opacity: (at) => part('opacity', readOpacity(at)),
      minscaledenom: (at) => part('min', readNumber(at, { least: 0 })),
      maxscaledenom: (at) => part('max', readNumber(at, { least: 0 })),
    },
  })
  const classes = childrenOf(context, 'class')
  if (classes.length === 0)
    warn(context, context.element.span, { message: '<layer> has no <class>; nothing is drawn' })
  return { rules: classes.map((at) => readClass(at, { ...settings, symbols })) }
}

function readClass(context: ElementContext, layer: Layer): Rule {
  const { label, filter, min, max } = readParts<Class>(context, {
    children: {
      style: ignore,
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
    symbolizers: childrenOf(context, 'style').map((at) => readStyle(at, layer)),
  }
}

function readStyle(context: ElementContext, { symbols, opacity = 1 }: Layer): Symbolizer {
  const own = readParts<Symbolizer>(context, {
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
  return { ...defaultSymbolizer, ...own, opacity: (own.opacity ?? 1) * opacity }
}

function readColor(context: ElementContext): Color | undefined {
  const { element } = context
  const channels = ['red', 'green', 'blue'].map((name) => readChannel(context, name))
  if (channels.every((channel) => channel === undefined) && !hasChannels(context))
    return readColorText(context)
  reportAttributes(context, ['red', 'green', 'blue'])
  const [red, green, blue] = channels
  if (red === undefined || green === undefined || blue === undefined) return undefined
  // MapServer writes "no colour" as -1 in all three channels.
  if (red < 0 || green < 0 || blue < 0) return undefined
  if (element.text !== '')
    warn(context, element.span, { message: `ignored text in <${element.name}>: ${quoteShort(element.text)}` })
  return colorOf([red, green, blue])
}

const hasChannels = ({ element }: ElementContext) =>
  element.attributes.some(({ name }) => name === 'red' || name === 'green' || name === 'blue')

function readChannel(context: ElementContext, name: string): number | undefined {
  const { element } = context
  const attribute = element.attributes.find((one) => one.name === name)
  if (attribute === undefined) {
    if (hasChannels(context)) fail(context, element.span, `<${element.name}> has no ${name}`)
    return undefined
  }
  const value = parseNumber(attribute.value.trim())
  if (value !== undefined && Number.isInteger(value) && value >= -1 && value <= 255) return value
  fail(
    context,
    attribute.span,
    `${name}: expected an integer from 0 to 255, got ${quoteShort(attribute.value)}`,
  )
  return undefined
}

function readColorText(context: ElementContext): Color | undefined {
  const text = readValue(context)
  const color = text === undefined ? undefined : findColor(text)
  if (text !== undefined && color === undefined) {
    fail(
      context,
      context.element.span,
      `${quoteShort(text)} is not a colour: write red, green and blue, or #rrggbb`,
    )
  }
  return color
}

function readOpacity(context: ElementContext): number | undefined {
  const percent = readNumber(context, { least: 0, most: 100 })
  return percent === undefined ? undefined : percent / 100
}

function readDash(context: ElementContext): number[] | undefined {
  const text = readValue(context)
  if (text === undefined) return undefined
  const lengths = text.split(/[\s,]+/).map(parseNumber)
  const dash = lengths.filter((length) => length !== undefined && length > 0 && length <= 1000) as number[]
  if (dash.length === lengths.length && dash.length % 2 === 0) return dash
  fail(
    context,
    context.element.span,
    `<pattern>: expected alternating dash and gap lengths, got ${quoteShort(text)}`,
  )
  return undefined
}

function readFilter(context: ElementContext, classItem: string | undefined): Filter | undefined {
  const text = readValue(context)
  if (text === undefined) return undefined
  try {
    return parseExpression(text, classItem)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    return void fail(context, context.element.span, `invalid <expression>: ${error.message}`)
  }
}

const ignore = () => ({})

function part<K extends string, V>(name: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [N in K]?: V }
}

function narrower(choose: (a: number, b: number) => number, a: number | undefined, b: number | undefined) {
  return a === undefined || b === undefined ? (a ?? b) : choose(a, b)
}
