import { maxStyleRules } from '../../contract/limits.ts'
import { compareIssues } from '../../core/issue.ts'
import type { Expression } from '../expression/expression.ts'
import { type JsonNode, readJson } from '../json_read.ts'
import { reportPart } from '../qml/qml_element.ts'
import type { QmlStyleResult } from '../qml/qml_read.ts'
import { findExcess } from '../rule_count.ts'
import type { Rule, Style } from '../style_model.ts'
import { withOrigin } from '../style_origin.ts'
import type { MapSymbol } from '../symbol_layer.ts'
import { findMapboxClasses } from './mapbox_classes.ts'
import { MapboxFault, readMapboxExpression } from './mapbox_expression.ts'
import { readMapboxLabels } from './mapbox_label.ts'
import {
  attempt,
  type MapboxLayer,
  type MapboxReading,
  openLayer,
  reportLayer,
  reportUnused,
  textOf,
} from './mapbox_layer.ts'
import { worldScale } from './mapbox_stops.ts'
import { readMapboxSymbol } from './mapbox_symbol.ts'

/** Maximum length of a file, in characters. */
const maxLength = 4 * 1024 * 1024

/** Tells whether a text is a style of Mapbox GL, and not XML. */
export function isMapboxStyle(text: string): boolean {
  return /^\uFEFF?\s*\{/.test(text)
}

/**
 * Reads a style of Mapbox GL or MapLibre: its layers of fills, lines, circles and labels that belong to the first layer of
 * tiles. What is not drawn as it says, is a warning with its position.
 *
 * @see https://maplibre.org/maplibre-style-spec/
 */
export function readMapboxStyle(text: string, file = 'json'): QmlStyleResult {
  const { root, issues: faults } = readJson(text.replace(/^\uFEFF/, ''), file, maxLength)
  if (root === undefined) return { issues: faults }
  const list = root.kind === 'object' ? root.members.get('layers')?.value : undefined
  if (root.kind !== 'object' || list?.kind !== 'array') {
    const message = 'the style has no list "layers"'
    return { issues: [{ code: 'style/bad-value', message, severity: 'error', span: root.span }] }
  }
  const excess = findExcess({ count: list.items.length, name: 'layers', span: list.span })
  if (excess !== undefined) return { issues: [excess] }
  const reading: MapboxReading = { issues: [] }
  const layers = list.items.flatMap((one) => {
    if (one.kind === 'object') return [openLayer(reading, one)]
    reportPart(reading, one, 'a layer that is not an object is not drawn')
    return []
  })
  const source = layers.map(sourceOf).find((name) => name !== undefined)
  const isOnly = layers.filter(({ type }) => symbolTypes.has(type)).length === 1
  let most = maxStyleRules - layers.length
  const rules = layers.flatMap((layer, pass) => {
    const rule = readLayer(layer, { pass, source, most, isOnly })
    most -= rule?.children.length ?? 0
    return rule ?? []
  })
  const style: Style = {
    ...{ rules, matching: 'all', levels: rules.length > 1 ? 'by_feature' : 'none', order: [], opacity: 1 },
    ...{ blending: 'normal', featureBlending: 'normal', labels: [] },
  }
  return { style, issues: reading.issues.toSorted(compareIssues) }
}

/** Returns the layer of tiles that a layer draws, or its source. */
function sourceOf({ node, type }: MapboxLayer): string | undefined {
  if (!drawnTypes.has(type)) return undefined
  return textOf(node.members.get('source-layer')?.value) ?? textOf(node.members.get('source')?.value)
}

const symbolTypes = new Set(['fill', 'line', 'circle'])

const drawnTypes = new Set([...symbolTypes, 'symbol'])

const knownMembers = new Set([
  ...['id', 'type', 'source', 'source-layer', 'metadata', 'minzoom', 'maxzoom', 'filter', 'layout', 'paint'],
])

interface Place {
  readonly pass: number
  readonly source: string | undefined
  /** Maximum number of classes. */
  readonly most: number
  /** Whether no other layer has symbols, so that classes need no name of their layer. */
  readonly isOnly: boolean
}

/** Reads a layer as a rule; undefined if it is not drawn, which is reported. */
function readLayer(layer: MapboxLayer, { pass, source, most, isOnly }: Place): Rule | undefined {
  const { node, type } = layer
  if (!drawnTypes.has(type)) {
    reportLayer(
      layer,
      node.members.get('type')?.value ?? node,
      `a layer of type ${JSON.stringify(type)} is not drawn`,
    )
    return undefined
  }
  const own = sourceOf(layer)
  if (own !== source) {
    reportLayer(
      layer,
      node,
      `it is not drawn: it belongs to ${JSON.stringify(own ?? '')}, and not to ${JSON.stringify(source ?? '')}`,
    )
    return undefined
  }
  for (const [name, member] of node.members)
    if (!knownMembers.has(name)) reportLayer(layer, member, `member "${name}" is not drawn`)
  const condition = node.members.get('filter')?.value
  const filter = condition && attempt(layer, 'the layer', () => readFilter(condition, layer.type))
  if (condition !== undefined && filter === undefined) return undefined
  const labels = type === 'symbol' ? readMapboxLabels(layer) : []
  const drawn = readClasses(layer, { pass, most, isOnly }) ?? { symbol: symbolOf(layer, pass), children: [] }
  reportUnused(layer)
  const rule: Rule = {
    ...labelOf(layer),
    ...(filter === undefined || isAlways(filter) ? {} : { filter }),
    ...limitOf(layer, 'maxScaleDenom', 'minzoom'),
    ...limitOf(layer, 'minScaleDenom', 'maxzoom'),
    isElse: false,
    isDrawn: textOf(layer.properties.get('visibility')?.value) !== 'none',
    ...{ labels, ...drawn },
  }
  return withOrigin(rule, node.span)
}

const symbolOf = (layer: MapboxLayer, pass: number): MapSymbol =>
  readMapboxSymbol(layer, pass) ?? { type: 'marker', opacity: 1, layers: [] }

/** Reads the classes of a layer as rules below its own. */
function readClasses(layer: MapboxLayer, { pass, most, isOnly }: Omit<Place, 'source'>) {
  const classes = findMapboxClasses(layer, most)
  if (classes === undefined) return undefined
  // What all classes have is reported once.
  const reading: MapboxReading = { issues: [] }
  const prefix = isOnly ? undefined : labelOf(layer).label
  const children = classes.map((one): Rule => {
    const isElse = one.filter === undefined
    const { filter } = one
    const label = prefix === undefined ? one.label : `${prefix}: ${one.label}`
    const rule = { label, ...(filter === undefined ? {} : { filter }), isElse, isDrawn: true }
    const symbol = symbolOf({ ...one.layer, reading }, pass)
    return withOrigin({ ...rule, symbol, labels: [], children: [] }, layer.node.span)
  })
  const unique = new Map(reading.issues.map((issue) => [JSON.stringify(issue), issue]))
  layer.reading.issues.push(...unique.values())
  return { children }
}

const isAlways = (filter: Expression) => filter.op === 'literal' && filter.value === true

/** The name of a rule that we wrote, or the id of the layer. */
function labelOf({ node, id }: MapboxLayer): { readonly label?: string } {
  const metadata = node.members.get('metadata')?.value
  const written =
    metadata?.kind === 'object' ? textOf(metadata.members.get('landform:rule')?.value) : undefined
  const label = written ?? (/^\d+$/.test(id) ? '' : id)
  return label === '' ? {} : { label }
}

/** A limit applies from its zoom level on, which is that of most tiles; limits of scales apply beyond their upper bound. */
const justAbove = 1 + 1e-9

function limitOf(layer: MapboxLayer, property: 'minScaleDenom' | 'maxScaleDenom', name: string) {
  const zoom = layer.node.members.get(name)?.value
  if (zoom === undefined) return {}
  if (zoom.kind === 'scalar' && typeof zoom.value === 'number')
    return { [property]: (worldScale / 2 ** zoom.value) * justAbove }
  reportLayer(layer, zoom, `${name} is not a number, and does not limit the layer`)
  return {}
}

/** Geometries that layers are usually restricted to. */
const geometries: Readonly<Record<string, readonly string[]>> = {
  fill: ['Polygon', 'MultiPolygon'],
  line: ['LineString', 'MultiLineString'],
  circle: ['Point', 'MultiPoint'],
  symbol: ['Point', 'MultiPoint'],
}

/**
 * Reads a filter. All geometries of a layer are of one type, so that a test of the type which the layer is for is true.
 *
 * @throws {MapboxFault} on parts that are not supported
 */
function readFilter(node: JsonNode, type: string): Expression {
  if (node.kind !== 'array') return readMapboxExpression(node)
  const [head, ...operands] = node.items
  const name = textOf(head)
  if (name === 'all') {
    const tests = operands.map((one) => readFilter(one, type)).filter((test) => !isAlways(test))
    const [only] = tests
    if (only === undefined) return { op: 'literal', value: true }
    return tests.length === 1 ? only : { op: 'and', operands: tests }
  }
  if (!operands.some(isGeometryType)) return readMapboxExpression(node)
  const isUsual =
    name === '==' && operands.some((one) => geometries[type]?.includes(textOf(one) ?? '') === true)
  if (!isUsual) throw new MapboxFault(node, `a test of the type of geometries is not supported for a ${type}`)
  return { op: 'literal', value: true }
}

function isGeometryType(node: JsonNode): boolean {
  if (node.kind === 'array') return textOf(node.items[0]) === 'geometry-type'
  return textOf(node) === '$type'
}
