import { channelsOf } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import type { JsonNode } from '../json_read.ts'
import type { LabelPlacement, LabelProperty, Labels } from '../label_model.ts'
import type { DataDefined } from '../symbol_layer.ts'
import { readMapboxExpression } from './mapbox_expression.ts'
import {
  attempt,
  colorOf,
  fixedNumberOf,
  type MapboxLayer,
  numberOf,
  numbersOf,
  propertyOf,
  reportLayer,
  textOf,
  wordOf,
} from './mapbox_layer.ts'

/** Letters of a text that is as wide as its font is high: about two. */
const lettersPerEm = 2

/** Reads the labels of a symbol layer; empty without a text. Icons are reported. */
export function readMapboxLabels(layer: MapboxLayer): Labels[] {
  reportIcons(layer)
  const text = readText(layer)
  const size = numberOf(layer, 'text-size', 16)
  const color = colorOf(layer, 'text-color', '#000000')
  const haloColor = colorOf(layer, 'text-halo-color', '#00000000')
  const haloWidth = numberOf(layer, 'text-halo-width', 0)
  const family = readFamily(layer)
  const hasHalo =
    (haloWidth.fixed > 0 || haloWidth.expression !== undefined) &&
    (channelsOf(haloColor.fixed)[3] > 0 || haloColor.expression !== undefined)
  const placement = readPlacement(layer, size.fixed)
  const isOnLine = placement.kind === 'line'
  const wrap = fixedNumberOf(layer, 'text-max-width', 10)
  const labels: Omit<Labels, 'text'> = {
    font: {
      ...{ family, size: size.fixed },
      weight: /black|heavy/i.test(family) ? 900 : /bold/i.test(family) ? 700 : 400,
      isItalic: /italic|oblique/i.test(family),
      letterSpacing: fixedNumberOf(layer, 'text-letter-spacing', 0) * size.fixed,
      capitalization: capitalizations[wordOf(layer, 'text-transform', ['none', 'uppercase', 'lowercase'])],
    },
    color: color.fixed,
    ...(hasHalo ? { buffer: { size: haloWidth.fixed, color: haloColor.fixed } } : {}),
    placement,
    offset: readOffset(layer, size.fixed),
    angle: fixedNumberOf(layer, 'text-rotate', 0),
    priority: 5,
    showsAll: isTrue(propertyOf(layer, 'text-allow-overlap')),
    wrapCharacter: '',
    wrapLength: isOnLine ? 0 : Math.max(0, Math.round(wrap * lettersPerEm)),
    // Lines of fonts are about as far apart as those of Mapbox GL.
    lineHeight: fixedNumberOf(layer, 'text-line-height', 1.2) / 1.2,
    alignment: alignments[wordOf(layer, 'text-justify', ['center', 'left', 'right', 'auto'])],
    ...(isOnLine ? { repeatDistance: fixedNumberOf(layer, 'symbol-spacing', 250) } : {}),
    ...definedBy([
      ['size', size.expression],
      ['color', color.expression],
      ['bufferColor', haloColor.expression],
      ['bufferSize', haloWidth.expression],
    ]),
  }
  layer.used.add('symbol-spacing')
  return text === undefined ? [] : [{ text, ...labels }]
}

function definedBy(entries: readonly (readonly [LabelProperty, Expression | undefined])[]) {
  const found = entries.filter(([, expression]) => expression !== undefined)
  return found.length === 0 ? {} : { dataDefined: Object.fromEntries(found) as DataDefined<LabelProperty> }
}

const capitalizations = { none: 'mixed', uppercase: 'upper', lowercase: 'lower' } as const
const alignments = { center: 'center', left: 'left', right: 'right', auto: 'follow' } as const

function reportIcons(layer: MapboxLayer): void {
  const image = propertyOf(layer, 'icon-image')
  if (image !== undefined)
    reportLayer(layer, image, 'icon-image is not drawn: images of sprites are not read')
  for (const name of layer.properties.keys()) if (name.startsWith('icon-')) layer.used.add(name)
}

/** Texts may have names of fields in braces. */
function readText(layer: MapboxLayer): Expression | undefined {
  const node = propertyOf(layer, 'text-field')
  const plain = textOf(node)
  if (node === undefined || plain === '') return undefined
  if (plain === undefined) {
    const text = attempt(layer, 'text-field', () => readMapboxExpression(node))
    return text && node.kind === 'object' ? withTokens(text) : text
  }
  return readTokens(plain)
}

/** Functions of older styles have names of fields in braces, too; expressions do not. */
function withTokens(expression: Expression): Expression {
  if (expression.op === 'literal')
    return typeof expression.value === 'string' ? readTokens(expression.value) : expression
  if (expression.op === 'call')
    return { ...expression, operands: expression.operands.map((one) => withTokens(one)) }
  if (expression.op !== 'case') return expression
  const branches = expression.branches.map(({ when, result }) => ({ when, result: withTokens(result) }))
  const { otherwise } = expression
  return { ...expression, branches, ...(otherwise === undefined ? {} : { otherwise: withTokens(otherwise) }) }
}

function readTokens(text: string): Expression {
  const parts = text.split(/\{([^{}]*)\}/).flatMap((part, at): Expression[] => {
    if (at % 2 === 1) return [coalesced({ op: 'field', name: part })]
    return part === '' ? [] : [{ op: 'literal', value: part }]
  })
  const [only] = parts
  if (only === undefined) return { op: 'literal', value: '' }
  return parts.length === 1 ? only : { op: '||', operands: parts }
}

const coalesced = (operand: Expression): Expression => ({
  ...{ op: 'call', name: 'coalesce' },
  operands: [
    { op: 'call', name: 'to_string', operands: [operand] },
    { op: 'literal', value: '' },
  ],
})

function readFamily(layer: MapboxLayer): string {
  const node = propertyOf(layer, 'text-font')
  const [first] = node?.kind === 'array' ? node.items : []
  const isLiteral = textOf(first) === 'literal' && node?.kind === 'array' && node.items[1]?.kind === 'array'
  const family = isLiteral && node.items[1]?.kind === 'array' ? node.items[1].items[0] : first
  if (node !== undefined && (textOf(family) === undefined || first?.kind === 'array'))
    reportLayer(layer, node, 'text-font is drawn as DejaVu Sans')
  return textOf(family) ?? 'sans-serif'
}

const isTrue = (node: JsonNode | undefined) => node?.kind === 'scalar' && node.value === true

const anchors = [
  'center',
  'left',
  'right',
  'top',
  'bottom',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
] as const

/** An anchor is the part of the text that lies at the point. */
function readPlacement(layer: MapboxLayer, size: number): LabelPlacement {
  const kind = wordOf(layer, 'symbol-placement', ['point', 'line', 'line-center'])
  const anchor = wordOf(layer, 'text-anchor', anchors)
  const around = propertyOf(layer, 'text-variable-anchor')
  const radial = fixedNumberOf(layer, 'text-radial-offset', 0) * size
  if (kind !== 'point') return { kind: 'line', isCurved: true, sides: ['on'], distance: 0 }
  if (around !== undefined || radial !== 0) return { kind: 'around', distance: radial }
  const side = (before: string, after: string) =>
    anchor.includes(before) ? 1 : anchor.includes(after) ? -1 : 0
  return { kind: 'over', quadrant: [side('left', 'right'), side('top', 'bottom')] }
}

/** Offsets are multiples of the size of the font, and translations are pixels. */
function readOffset(layer: MapboxLayer, size: number): readonly [x: number, y: number] {
  const [x = 0, y = 0] = numbersOf(layer, 'text-offset')
  const [dx = 0, dy = 0] = numbersOf(layer, 'text-translate')
  return [x * size + dx, y * size + dy]
}
