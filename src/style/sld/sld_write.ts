import { type Color, channelsOf } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import {
  type FlatRule,
  listPasses,
  refuseLimits,
  refuseOffset,
  refuseRings,
  reportStyle,
  Untranslated,
  UntranslatedPart,
  unwrapConversion,
  type WrittenStyle,
} from '../flat_rules.ts'
import type { Labels } from '../label_model.ts'
import type { Style } from '../style_model.ts'
import type { Length, MarkerShape, Stroke, SymbolLayer } from '../symbol_layer.ts'
import { escapeXml } from '../xml/xml_escape.ts'

/** Scale denominators of the standard are those of pixels of 0.28 millimetres, ours of 1/96 inch. */
const scaleFactor = 25.4 / 96 / 0.28

/**
 * Writes a style as a Styled Layer Descriptor 1.0.
 *
 * @see https://www.ogc.org/standard/sld/
 */
export function writeSld(style: Style, name = 'style'): WrittenStyle {
  const left = new Untranslated()
  const passes = listPasses(style).map((rules, at) =>
    rules.flatMap(([rule, number]) => writeRule(rule, { number, left, style, isFirst: at === 0 })),
  )
  reportStyle(left, style)
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc">
  <NamedLayer>
    <Name>${escapeXml(name)}</Name>
    <UserStyle>
${passes.map(writeList).join('')}    </UserStyle>
  </NamedLayer>
</StyledLayerDescriptor>
`
  return { text, untranslated: [...new Set(left.parts)] }
}

function writeList(rules: readonly string[]): string {
  const lines = rules.map((rule) => `        ${rule}\n`).join('')
  return `      <FeatureTypeStyle>\n${lines}      </FeatureTypeStyle>\n`
}

interface Place {
  readonly number: number
  readonly left: Untranslated
  readonly style: Style
  /** Whether the labels of the style are written. */
  readonly isFirst: boolean
}

function writeRule(rule: FlatRule, { number, left, style, isFirst }: Place): string[] {
  const place = { number, rule }
  const condition = left.attempt(place, () => writeCondition(rule))
  if (condition === undefined) return []
  const opacity = (rule.symbol?.opacity ?? 1) * style.opacity
  const parts = [
    ...(rule.symbol?.layers ?? []).map((part) =>
      left.attempt({ ...place, part }, () => writeLayer(part, opacity)),
    ),
    ...[...rule.labels, ...(isFirst ? style.labels : [])].map((part) =>
      left.attempt({ ...place, part }, () => writeLabels(part)),
    ),
  ].filter((part) => part !== undefined)
  if (rule.symbol?.dataDefined !== undefined)
    left.note(place, 'the opacity of the symbol depends on fields, and is left out')
  const limits = [
    ['MinScaleDenominator', rule.minScaleDenom] as const,
    ['MaxScaleDenominator', rule.maxScaleDenom] as const,
  ].map(([name, value]) => (value === undefined ? '' : `<${name}>${value * scaleFactor}</${name}>`))
  const title = rule.label === '' ? '' : `<Name>${escapeXml(rule.label)}</Name>`
  return parts.length === 0 ? [] : [`<Rule>${title}${condition}${limits.join('')}${parts.join('')}</Rule>`]
}

function writeCondition({ filter, unless }: FlatRule): string {
  const none = unless.map((one) => `<ogc:Not>${writeFilter(one)}</ogc:Not>`)
  const all = [...(filter === undefined ? [] : [writeFilter(filter)]), ...none]
  if (all.length === 0) return ''
  return `<ogc:Filter>${all.length === 1 ? all.join('') : `<ogc:And>${all.join('')}</ogc:And>`}</ogc:Filter>`
}

const comparisons: Readonly<Record<string, string>> = {
  '=': 'PropertyIsEqualTo',
  is: 'PropertyIsEqualTo',
  '<>': 'PropertyIsNotEqualTo',
  'is not': 'PropertyIsNotEqualTo',
  '<': 'PropertyIsLessThan',
  '<=': 'PropertyIsLessThanOrEqualTo',
  '>': 'PropertyIsGreaterThan',
  '>=': 'PropertyIsGreaterThanOrEqualTo',
}

function writeFilter(expression: Expression): string {
  switch (expression.op) {
    case 'and':
    case 'or': {
      const name = expression.op === 'and' ? 'And' : 'Or'
      return `<ogc:${name}>${expression.operands.map(writeFilter).join('')}</ogc:${name}>`
    }
    case 'not':
      return `<ogc:Not>${writeFilter(expression.operand)}</ogc:Not>`
    case 'in': {
      const equal = expression.items.map((item) => compare('PropertyIsEqualTo', expression.operand, item))
      const any = equal.length === 1 ? equal.join('') : `<ogc:Or>${equal.join('')}</ogc:Or>`
      return expression.isNegated ? `<ogc:Not>${any}</ogc:Not>` : any
    }
    case 'between': {
      const [value, lower, upper] = [expression.operand, expression.lower, expression.upper].map(writeValue)
      const inside = `<ogc:PropertyIsBetween>${value}<ogc:LowerBoundary>${lower}</ogc:LowerBoundary><ogc:UpperBoundary>${upper}</ogc:UpperBoundary></ogc:PropertyIsBetween>`
      return expression.isNegated ? `<ogc:Not>${inside}</ogc:Not>` : inside
    }
    case 'binary':
      return writeBinary(expression)
    default:
      throw new UntranslatedPart(`its filter has a part (${expression.op}) that SLD does not have`)
  }
}

function writeBinary({ operator, left, right }: Expression & { op: 'binary' }): string {
  const isNull = right.op === 'literal' && right.value === null
  const name = isNull ? undefined : comparisons[operator]
  if (name !== undefined) return compare(name, left, right)
  if ((operator === 'is' || operator === 'is not') && isNull) {
    const test = `<ogc:PropertyIsNull>${writeValue(left)}</ogc:PropertyIsNull>`
    return operator === 'is' ? test : `<ogc:Not>${test}</ogc:Not>`
  }
  if (/like$/.test(operator) && right.op === 'literal') {
    const match = operator.includes('ilike') ? ' matchCase="false"' : ''
    const test = `<ogc:PropertyIsLike wildCard="%" singleChar="_" escape="\\"${match}>${writeValue(left)}${writeValue(right)}</ogc:PropertyIsLike>`
    return operator.startsWith('not') ? `<ogc:Not>${test}</ogc:Not>` : test
  }
  throw new UntranslatedPart(`its filter has the operator ${operator}, which SLD does not have`)
}

const compare = (name: string, left: Expression, right: Expression) =>
  `<ogc:${name}>${writeValue(left)}${writeValue(right)}</ogc:${name}>`

const arithmetic: Readonly<Record<string, string>> = { '+': 'Add', '-': 'Sub', '*': 'Mul', '/': 'Div' }

function writeValue(expression: Expression): string {
  const value = unwrapConversion(expression)
  if (value.op === 'field') return `<ogc:PropertyName>${escapeXml(value.name)}</ogc:PropertyName>`
  if (value.op === 'literal' && value.value !== null)
    return `<ogc:Literal>${escapeXml(String(value.value))}</ogc:Literal>`
  const name = value.op === 'binary' ? arithmetic[value.operator] : undefined
  if (value.op === 'binary' && name !== undefined)
    return `<ogc:${name}>${writeValue(value.left)}${writeValue(value.right)}</ogc:${name}>`
  throw new UntranslatedPart(
    `it has ${value.op === 'call' ? `the function ${value.name}()` : 'an expression'}, which SLD does not have`,
  )
}

function parameters(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `<CssParameter name="${name}">${escapeXml(String(value))}</CssParameter>`)
    .join('')
}

const rgb = (color: Color) => color.slice(0, 7)
const alpha = (color: Color, opacity: number) => {
  const value = (channelsOf(color)[3] / 255) * opacity
  return value === 1 ? undefined : Number(value.toFixed(4))
}

/** Lengths in map units are those of a symbolizer as a whole, and cannot be mixed. */
function pixelsOf(length: Length): number {
  if (typeof length === 'number') return length
  throw new UntranslatedPart('lengths in map units are left out')
}

function writeFill(color: Color, opacity: number): string {
  return `<Fill>${parameters({ fill: rgb(color), 'fill-opacity': alpha(color, opacity) })}</Fill>`
}

function writeStroke(
  { color, width, dash, dashOffset, isDashRelative, join, cap }: Stroke,
  opacity: number,
): string {
  const pixels = pixelsOf(width) || 1
  const lengths = dash.map((length) => pixelsOf(length) * (isDashRelative ? pixels : 1))
  return `<Stroke>${parameters({
    stroke: rgb(color),
    'stroke-opacity': alpha(color, opacity),
    'stroke-width': pixels,
    'stroke-dasharray': lengths.join(' '),
    'stroke-dashoffset': lengths.length === 0 ? undefined : pixelsOf(dashOffset) || undefined,
    'stroke-linejoin': join === 'miter' ? 'mitre' : join,
    'stroke-linecap': cap === 'flat' ? 'butt' : cap,
  })}</Stroke>`
}

const marks: { readonly [S in MarkerShape]?: string } = {
  square: 'square',
  circle: 'circle',
  equilateral_triangle: 'triangle',
  triangle: 'triangle',
  star: 'star',
  cross: 'cross',
  cross_fill: 'cross',
  cross2: 'x',
}

function writeLayer(layer: SymbolLayer, opacity: number): string {
  if (layer.dataDefined !== undefined) throw new UntranslatedPart('data-defined properties are left out')
  switch (layer.kind) {
    case 'fill': {
      if (layer.brush !== 'solid' && layer.brush !== 'no')
        throw new UntranslatedPart(`the brush ${layer.brush} is left out`)
      refuseOffset('fill', layer)
      const fill = layer.brush === 'no' ? '' : writeFill(layer.color, opacity)
      return `<PolygonSymbolizer>${fill}${layer.stroke ? writeStroke(layer.stroke, opacity) : ''}</PolygonSymbolizer>`
    }
    case 'line':
      if (layer.offset !== 0) throw new UntranslatedPart('a line with an offset is left out')
      refuseRings(layer)
      return `<LineSymbolizer>${writeStroke(layer.stroke, opacity)}</LineSymbolizer>`
    case 'marker': {
      refuseOffset('marker', layer)
      const mark = marks[layer.shape]
      if (mark === undefined) throw new UntranslatedPart(`the marker ${layer.shape} is left out`)
      const fill = layer.fill === undefined ? '' : writeFill(layer.fill, opacity)
      const stroke = layer.stroke === undefined ? '' : writeStroke(layer.stroke, opacity)
      const rotation = layer.angle === 0 ? '' : `<Rotation>${layer.angle}</Rotation>`
      return `<PointSymbolizer><Graphic><Mark><WellKnownName>${mark}</WellKnownName>${fill}${stroke}</Mark><Size>${pixelsOf(layer.size)}</Size>${rotation}</Graphic></PointSymbolizer>`
    }
    default:
      throw new UntranslatedPart(`a symbol layer of kind ${layer.kind} is left out`)
  }
}

function writeLabels(labels: Labels): string {
  refuseLimits(labels)
  const { text, font, color, buffer, dataDefined } = labels
  if (dataDefined !== undefined)
    throw new UntranslatedPart('labels with data-defined properties are left out')
  const parts = text.op === '||' ? text.operands : [text]
  const halo =
    buffer === undefined
      ? ''
      : `<Halo><Radius>${pixelsOf(buffer.size)}</Radius>${writeFill(buffer.color, 1)}</Halo>`
  const fontPart = parameters({
    'font-family': font.family,
    'font-size': pixelsOf(font.size),
    'font-style': font.isItalic ? 'italic' : undefined,
    'font-weight': font.weight >= 600 ? 'bold' : undefined,
  })
  return `<TextSymbolizer><Label>${parts.map(writeValue).join('')}</Label><Font>${fontPart}</Font>${halo}${writeFill(color, 1)}</TextSymbolizer>`
}
