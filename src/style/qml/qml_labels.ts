import { type Color, fade } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import type { LabelBuffer, LabelFont, LabelPlacement, LabelProperty, Labels } from '../label_model.ts'
import { findQtColor } from '../qt_color.ts'
import { scaleLength } from '../scale_layer.ts'
import { findOrigin, withOrigin } from '../style_origin.ts'
import type { Length, Offset } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { readCallout } from './qml_callout.ts'
import { readDataDefined } from './qml_data_defined.ts'
import {
  attributeOf,
  childNamed,
  childrenNamed,
  entryOf,
  numberAttribute,
  type QmlReading,
  readExpression,
  readFinite,
  reportPart,
} from './qml_element.ts'
import { isLabelLength, labelLength, labelLengthFactor } from './qml_label_length.ts'

/** Reads the labels of a layer, with or without rules. */
export function readLabeling(reading: QmlReading, root: XmlElement): Labels[] {
  const labeling = childNamed(root, 'labeling')
  if (labeling === undefined) return reportOlder(reading, root)
  const type = attributeOf(labeling, 'type')
  if (type === 'simple')
    return childrenNamed(labeling, 'settings').flatMap((settings) => readSettings(reading, settings))
  if (type === 'rule-based')
    return childrenNamed(labeling, 'rules').flatMap((rules) => readChildRules(reading, rules, {}))
  reportPart(reading, labeling, `labels of type ${type} are not drawn`)
  return []
}

/** Reports labels in the properties of the layer, where QGIS 2 writes those without rules. */
function reportOlder(reading: QmlReading, root: XmlElement): [] {
  const properties = childrenNamed(root, 'customproperties').flatMap((one) => childrenNamed(one, 'property'))
  const isOn = (name: string) =>
    properties.find((one) => attributeOf(one, 'key') === name && attributeOf(one, 'value') === 'true')
  const enabled = isOn('labeling/enabled')
  if (enabled !== undefined && isOn('labeling/drawLabels') !== undefined)
    reportPart(reading, enabled, 'labels in the properties of the layer, as of QGIS 2, are not drawn')
  return []
}

/** Filter and scale limits of a rule. */
type RuleLimits = Pick<Labels, 'filter' | 'minScaleDenom' | 'maxScaleDenom'>

function readChildRules(reading: QmlReading, parent: XmlElement, limits: RuleLimits): Labels[] {
  return childrenNamed(parent, 'rule')
    .filter((rule) => attributeOf(rule, 'active') !== '0')
    .flatMap((rule) => readRule(reading, rule, limits))
}

function readRule(reading: QmlReading, element: XmlElement, parent: RuleLimits): Labels[] {
  const text = (attributeOf(element, 'filter') ?? '').trim()
  const effect = 'labels of a rule are not drawn'
  if (text.toUpperCase() === 'ELSE') {
    reportPart(reading, element, `${effect}: ELSE is not supported for labels`)
    return []
  }
  const own =
    text === '' ? undefined : readExpression(reading, { element, attribute: 'filter', text, effect })
  if (text !== '' && own === undefined) return []
  const limits = narrow(parent, element, own)
  const labels = childrenNamed(element, 'settings').flatMap((settings) => readSettings(reading, settings))
  return [
    ...labels.map((one) => withOrigin({ ...one, ...limits }, findOrigin(one))),
    ...readChildRules(reading, element, limits),
  ]
}

/** Features and scales of a rule inside another. */
function narrow(parent: RuleLimits, element: XmlElement, own: Expression | undefined): RuleLimits {
  const [least, most] = ['scalemindenom', 'scalemaxdenom'].map((name) => numberAttribute(element, name) ?? 0)
  const filters = [parent.filter, own].filter((filter) => filter !== undefined)
  const [filter] = filters
  const minScaleDenom = Math.max(parent.minScaleDenom ?? 0, least ?? 0)
  const maxScaleDenom = Math.min(
    parent.maxScaleDenom ?? Number.POSITIVE_INFINITY,
    most || Number.POSITIVE_INFINITY,
  )
  return {
    ...(filter === undefined
      ? {}
      : { filter: filters.length > 1 ? { op: 'and', operands: filters } : filter }),
    ...(minScaleDenom > 0 ? { minScaleDenom } : {}),
    ...(Number.isFinite(maxScaleDenom) ? { maxScaleDenom } : {}),
  }
}

/** Elements of label settings; an absent one is empty. */
interface Settings {
  readonly reading: QmlReading
  readonly style: XmlElement
  readonly buffer: XmlElement
  readonly format: XmlElement
  readonly placement: XmlElement
  readonly rendering: XmlElement
}

function readSettings(reading: QmlReading, element: XmlElement): Labels[] {
  const part = (parent: XmlElement, name: string): XmlElement =>
    childNamed(parent, name) ?? { ...parent, name, attributes: [], children: [], text: '' }
  const style = part(element, 'text-style')
  const settings: Settings = {
    reading,
    style,
    // Older versions write the parts of a text beside it.
    buffer: childNamed(style, 'text-buffer') ?? part(element, 'text-buffer'),
    format: part(element, 'text-format'),
    placement: part(element, 'placement'),
    rendering: part(element, 'rendering'),
  }
  const text = readText(settings)
  if (text === undefined || attributeOf(settings.rendering, 'drawLabels') === '0') return []
  reportUndrawn(element, settings)
  const labels: Labels = {
    text,
    ...scaleLimits(settings.rendering),
    font: readFont(settings),
    color: fade(colorOf(style, 'textColor', '#323232'), opacityOf(style, 'text')),
    ...readBuffer(settings.buffer),
    placement: readPlacement(settings),
    offset: readOffset(settings.placement),
    angle: readAngle(settings.placement),
    priority: numberAttribute(settings.placement, 'priority') ?? 5,
    showsAll: attributeOf(settings.rendering, 'displayAll') === '1',
    wrapCharacter: attributeOf(settings.format, 'wrapChar') ?? '',
    wrapLength: Math.max(0, numberAttribute(settings.format, 'autoWrapLength') ?? 0),
    lineHeight:
      numberAttribute(style, 'multilineHeight') ?? numberAttribute(settings.format, 'multilineHeight') ?? 1,
    alignment: entryOf(alignments, attributeOf(settings.format, 'multilineAlign') ?? '3') ?? 'left',
    hasWholePixels: true,
    ...(attributeOf(settings.rendering, 'labelPerPart') === '1' ? { isOnAllParts: true } : {}),
    ...(attributeOf(settings.rendering, 'mergeLines') === '1' ? { mergesLines: true } : {}),
    ...readRepeat(settings.placement),
    ...readCallout(reading, element),
    ...readDataDefined(reading, element, labelProperties(settings)),
  }
  return [withOrigin(labels, element.span)]
}

const alignments: Readonly<Record<string, Labels['alignment']>> = {
  ...{ '0': 'left', '1': 'center', '2': 'right', '3': 'follow' },
}

function readText({ reading, style }: Settings): Expression | undefined {
  const text = attributeOf(style, 'fieldName') ?? ''
  if (text === '') return undefined
  if (attributeOf(style, 'isExpression') !== '1') return { op: 'field', name: text }
  return readExpression(reading, {
    element: style,
    attribute: 'fieldName',
    text,
    effect: 'labels are not drawn',
  })
}

function labelProperties({ style, buffer }: Settings) {
  return {
    owner: 'labels',
    properties: {
      Size: 'size',
      Color: 'color',
      BufferSize: 'bufferSize',
      BufferColor: 'bufferColor',
      LabelRotation: 'angle',
      Show: 'isDrawn',
      Priority: 'priority',
    },
    factors: {
      size: labelLengthFactor(style, 'fontSize'),
      bufferSize: labelLengthFactor(buffer, 'bufferSize') * bufferReach,
    },
  } as const satisfies Parameters<typeof readDataDefined<LabelProperty>>[2]
}

const capitalizations: Readonly<Record<string, LabelFont['capitalization']>> = {
  '1': 'upper',
  '2': 'lower',
  '3': 'title',
  '4': 'title',
}

/** Weights of fonts in CSS by those of Qt 5. */
const weights = [
  [0, 100],
  [12, 200],
  [25, 300],
  [50, 400],
  [57, 500],
  [63, 600],
  [75, 700],
  [81, 800],
  [87, 900],
] as const

function readFont({ style }: Settings): LabelFont {
  const weight = numberAttribute(style, 'fontWeight') ?? 50
  return {
    family: attributeOf(style, 'fontFamily') ?? 'sans-serif',
    size: labelLength(style, 'fontSize'),
    weight: weights.findLast(([qt]) => qt <= weight)?.[1] ?? 400,
    isItalic: attributeOf(style, 'fontItalic') === '1',
    letterSpacing: (numberAttribute(style, 'fontLetterSpacing') ?? 0) * (96 / 72),
    capitalization:
      entryOf(capitalizations, attributeOf(style, 'capitalization') ?? attributeOf(style, 'fontCapitals')) ??
      'mixed',
  }
}

function readBuffer(buffer: XmlElement): { readonly buffer?: LabelBuffer } {
  const isDrawn = attributeOf(buffer, 'bufferDraw')
  if (isDrawn === undefined ? !numberAttribute(buffer, 'bufferSize') : isDrawn !== '1') return {}
  const color = colorOf(buffer, 'bufferColor', '#ffffff')
  const size = scaleLength(labelLength(buffer, 'bufferSize'), bufferReach)
  return { buffer: { size, color: fade(color, opacityOf(buffer, 'buffer')) } }
}

/** Part of the size of a buffer that is seen on each side of a letter: the size is the width of the pen that QGIS draws it with. */
const bufferReach = 0.5

/** Placements by their numbers: around, over, line, curved, horizontal, free, ordered around, perimeter curved, outside. */
function readPlacement({ reading, placement }: Settings): LabelPlacement {
  const mode = attributeOf(placement, 'placement') ?? '0'
  const distance = labelLength(placement, 'dist')
  const drawnAs = (name: string) =>
    reportPart(reading, placement, `label placement ${mode} is drawn as ${name}`)
  switch (mode) {
    case '1':
      return { kind: 'over', quadrant: quadrantOf(placement) }
    case '2':
    case '3':
    case '7':
      if (mode === '7') drawnAs('curved')
      return { kind: 'line', isCurved: mode !== '2', sides: sidesOf(placement), distance }
    case '4':
      return { kind: 'horizontal' }
    case '5':
    case '8':
      drawnAs('horizontal')
      return { kind: 'horizontal' }
    default:
      if (mode !== '0') drawnAs('around point')
      return { kind: 'around', distance }
  }
}

function quadrantOf(placement: XmlElement): readonly [-1 | 0 | 1, -1 | 0 | 1] {
  const quadrant = numberAttribute(placement, 'quadOffset') ?? 4
  const sides = [-1, 0, 1] as const
  return [sides[quadrant % 3] ?? 0, sides[Math.floor(quadrant / 3)] ?? 0]
}

/** Flags: 1 on the line, 2 above, 4 below. */
function sidesOf(placement: XmlElement): ('above' | 'on' | 'below')[] {
  const flags = numberAttribute(placement, 'placementFlags') ?? 10
  const sides = (['on', 'above', 'below'] as const).filter((_, bit) => Math.floor(flags / 2 ** bit) % 2 === 1)
  return sides.length === 0 ? ['on'] : sides
}

function readRepeat(placement: XmlElement): { readonly repeatDistance?: Length } {
  const repeatDistance = labelLength(placement, 'repeatDistance')
  return repeatDistance === 0 ? {} : { repeatDistance }
}

function readOffset(placement: XmlElement): Offset {
  return [labelLength(placement, 'xOffset'), labelLength(placement, 'yOffset')]
}

function scaleLimits(rendering: XmlElement): Pick<Labels, 'minScaleDenom' | 'maxScaleDenom'> {
  if (attributeOf(rendering, 'scaleVisibility') !== '1') return {}
  const [one, other] = ['scaleMin', 'scaleMax'].map((name) => numberAttribute(rendering, name) ?? 0)
  const [least, most] = [Math.min(one ?? 0, other ?? 0), Math.max(one ?? 0, other ?? 0)]
  return { ...(least ? { minScaleDenom: least } : {}), ...(most ? { maxScaleDenom: most } : {}) }
}

/** Opacity of a part; older versions write the transparency in percent. */
function opacityOf(element: XmlElement, part: 'text' | 'buffer'): number {
  const opacity = numberAttribute(element, `${part}Opacity`)
  return opacity ?? 1 - (numberAttribute(element, `${part}Transp`) ?? 0) / 100
}

/** Clockwise angle in degrees; older versions write it counterclockwise. */
function readAngle(placement: XmlElement): number {
  const older = numberAttribute(placement, 'angleOffset')
  return older === undefined ? (numberAttribute(placement, 'rotationAngle') ?? 0) : (360 - older) % 360
}

function colorOf(element: XmlElement, name: string, byDefault: Color): Color {
  return findQtColor(attributeOf(element, name) ?? '') ?? byDefault
}

/** Attributes that turn on parts that are not drawn. */
function reportUndrawn(element: XmlElement, { reading, style, buffer, format, placement }: Settings): void {
  const [shadow, background, mask] = ['shadow', 'background', 'text-mask'].map(
    (name) => childNamed(style, name) ?? childNamed(element, name),
  )
  const parts: readonly (readonly [XmlElement | undefined, attribute: string, message: string])[] = [
    [background, 'shapeDraw', 'backgrounds of labels are not drawn'],
    [shadow, 'shadowDraw', 'shadows of labels are not drawn'],
    [mask, 'maskEnabled', 'masks of labels are not drawn'],
    [style, 'fontUnderline', 'underlines of labels are not drawn'],
    [style, 'fontStrikeout', 'strikeouts of labels are not drawn'],
    [style, 'allowHtml', 'HTML in labels is drawn as text'],
    [format, 'formatNumbers', 'the number format of labels is ignored'],
    [format, 'addDirectionSymbol', 'direction symbols of labels are not drawn'],
    [placement, 'geometryGeneratorEnabled', 'the geometry generator of labels is ignored'],
  ]
  for (const [element, attribute, message] of parts)
    if (element !== undefined && attributeOf(element, attribute) === '1')
      reportPart(reading, element, message)
  reportNumbers(reading, [style, buffer, placement])
}

/** Reports lengths that are not finite or too large. */
function reportNumbers(reading: QmlReading, elements: readonly XmlElement[]): void {
  const attributes = elements.flatMap((element) => element.attributes)
  for (const at of attributes)
    if (isLabelLength(at.name)) readFinite(reading, { at, name: `${at.name} of labels`, text: at.value })
}
