import { hasErrors, type Issue } from '../../core/issue.ts'
import { findExcess } from '../rule_count.ts'
import { withOrigin } from '../style_origin.ts'
import {
  childrenOf,
  type ElementContext,
  fail,
  parseNumber,
  quoteShort,
  readNumber,
  readParts,
  readValue,
  warn,
} from '../xml/element_reader.ts'
import { readXml } from '../xml/xml_read.ts'
import { MapserverExpressionFault, parseMapserverExpression } from './mapserver_expression.ts'
import type { Filter } from './mapserver_filter.ts'
import { readLabels } from './mapserver_label.ts'
import {
  defaultSymbolizer,
  type MapserverClass,
  type MapserverStyle,
  type Symbolizer,
} from './mapserver_model.ts'
import { readMarker, readSymbols, type Symbols } from './mapserver_symbol.ts'
import { narrower, part, readColor, readPair, readWord } from './mapserver_value.ts'

/** Result of reading a style; has no style if an issue is an error. */
export interface StyleResult {
  readonly style?: MapserverStyle
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
  readonly labelItem?: string
  readonly opacity?: number
  readonly min?: number
  readonly max?: number
  readonly labelMin?: number
  readonly labelMax?: number
  readonly clusterDistance?: number
  readonly symbols: Symbols
}

/** Elements of layers that have no effect here: the server determines data, type and reference system. */
const ignoredElements = [
  'debug',
  'extent',
  'group',
  'labelcache',
  'metadata',
  'name',
  'projection',
  'status',
  'template',
  'tolerance',
  'toleranceunits',
  'type',
]

interface Class {
  readonly label?: string
  readonly filter?: Filter
  readonly min?: number
  readonly max?: number
  readonly isOff?: true
  readonly text?: string
}

function readMap(map: ElementContext): MapserverStyle | undefined {
  const { name, span } = map.element
  if (name !== 'map') return void fail(map, span, `the root element must be <map>, got <${name}>`)
  readParts(map, { children: { layer: ignore, symbol: ignore, legend: ignore } })
  const [layer, ...more] = childrenOf(map, 'layer')
  if (layer === undefined) return void fail(map, span, '<map> has no <layer>')
  for (const extra of more) warn(extra, extra.element.span, { message: 'only the first <layer> is drawn' })
  return readLayer(layer, readSymbols(map))
}

function readLayer(context: ElementContext, symbols: Symbols): MapserverStyle {
  const settings = readParts<Omit<Layer, 'symbols'>>(context, {
    children: {
      ...Object.fromEntries(ignoredElements.map((name) => [name, ignore])),
      class: ignore,
      cluster: (at) => readCluster(at),
      labelitem: (at) => part('labelItem', readValue(at)),
      labelminscaledenom: (at) => part('labelMin', readNumber(at, { least: 0 })),
      labelmaxscaledenom: (at) => part('labelMax', readNumber(at, { least: 0 })),
      classitem: (at) => part('classItem', readValue(at)),
      opacity: (at) => part('opacity', readOpacity(at)),
      minscaledenom: (at) => part('min', readNumber(at, { least: 0 })),
      maxscaledenom: (at) => part('max', readNumber(at, { least: 0 })),
    },
  })
  const classes = childrenOf(context, 'class')
  const excess = findExcess({ count: classes.length, name: 'classes', span: context.element.span })
  if (excess !== undefined) {
    context.issues.push(excess)
    return { rules: [] }
  }
  if (classes.length === 0)
    warn(context, context.element.span, { message: '<layer> has no <class>; nothing is drawn' })
  const rules = classes.map((at) => readClass(at, { ...settings, symbols }))
  return { rules, ...part('clusterDistance', settings.clusterDistance) }
}

/** Reads how far points may lie apart that are drawn as one; regions are squares. */
function readCluster(context: ElementContext): { readonly clusterDistance?: number } {
  return readParts(context, {
    children: { maxdistance: (at) => part('clusterDistance', readNumber(at, { least: 0, most: 1000 })) },
  })
}

function readClass(context: ElementContext, layer: Layer): MapserverClass {
  const { label, filter, min, max, isOff, text } = readParts<Class>(context, {
    children: {
      style: ignore,
      label: ignore,
      status: (at) => (readWord(at, ['on', 'off']) === 'off' ? { isOff: true } : {}),
      text: (at) => part('text', readValue(at)),
      name: (at) => part('label', readValue(at)),
      expression: (at) => part('filter', readFilter(at, layer.classItem)),
      minscaledenom: (at) => part('min', readNumber(at, { least: 0 })),
      maxscaledenom: (at) => part('max', readNumber(at, { least: 0 })),
    },
  })
  const labels = readLabels(childrenOf(context, 'label'), { ...layer, ...part('text', text) })
  const rule: MapserverClass = {
    ...part('label', label),
    ...part('filter', filter),
    ...part('minScaleDenom', narrower(Math.max, layer.min, min)),
    ...part('maxScaleDenom', narrower(Math.min, layer.max, max)),
    ...part('isOff', isOff),
    symbolizers: childrenOf(context, 'style').map((at) => readStyle(at, layer)),
    ...(labels.length === 0 ? {} : { labels }),
  }
  return withOrigin(rule, context.element.span)
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
      offset: (at) => part('offset', readPair(at)),
      gap: (at) => part('gap', readNumber(at, { least: -1000, most: 1000 })),
      initialgap: (at) => part('initialGap', readNumber(at, { least: 0, most: 1000 })),
      linejoin: (at) => part('join', readWord(at, ['miter', 'bevel', 'round'])),
      linecap: (at) => part('cap', readWord(at, ['butt', 'square', 'round'])),
      antialias: ignore,
      minsize: ignore,
      maxsize: ignore,
      minwidth: ignore,
      maxwidth: ignore,
    },
  })
  const symbolizer = { ...defaultSymbolizer, ...own, opacity: (own.opacity ?? 1) * opacity }
  return withOrigin(symbolizer, context.element.span)
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
    return parseMapserverExpression(text, classItem)
  } catch (error) {
    if (!(error instanceof MapserverExpressionFault)) throw error
    return void fail(context, context.element.span, {
      message: `invalid <expression>: ${error.message}`,
      hint: error.hint,
    })
  }
}

const ignore = () => ({})
