import type { Color } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import type { LabelPlacement, Labels } from '../label_model.ts'
import { reportPart } from '../qml/qml_element.ts'
import type { Length, Offset } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  childOfSld,
  findSld,
  localName,
  readParameter,
  readParameters,
  readSldExpression,
  readSldNumber,
  reportGeometry,
  reportOthers,
  type SldParameter,
  type SldReading,
} from './sld_element.ts'
import { lengthsOf, readFill } from './sld_paint.ts'

/** Reads a text symbolizer; empty, with an issue, if it has no text. */
export function readTextSymbolizer(reading: SldReading, element: XmlElement): Labels[] {
  reportOthers(reading, element, [
    ...['Geometry', 'Label', 'Font', 'Fill', 'Halo', 'LabelPlacement', 'Name', 'Description'],
  ])
  const text = readText(reading, childOfSld(element, 'Label'))
  if (text === undefined) {
    reportPart(reading, element, 'labels without text are not drawn')
    return []
  }
  reportGeometry(reading, element)
  const length = lengthsOf(reading, element)
  const font = readParameters(reading, childOfSld(element, 'Font'), [
    ...['font-family', 'font-size', 'font-style', 'font-weight'],
  ])
  reportExpressions(reading, font, ['font-size'])
  const size = font.get('font-size')
  const fontText = (name: string) => font.get(name)?.text?.trim() ?? ''
  const halo = childOfSld(element, 'Halo')
  const radius = halo && numberOf(reading, childOfSld(halo, 'Radius'), 1)
  if (halo !== undefined) reportOthers(reading, halo, ['Radius', 'Fill'])
  const [point, angle] = [findSld(element, 'LabelPlacement', 'PointPlacement'), rotationOf(reading, element)]
  const dataDefined = {
    ...(angle.expression === undefined ? {} : { angle: angle.expression }),
    ...(size?.expression === undefined ? {} : { size: size.expression }),
  }
  return [
    {
      text,
      font: {
        family: fontText('font-family') || 'sans-serif',
        size: length((size && readSldNumber(reading, size.element, size.text?.trim())) ?? 10),
        weight: /bold|^[6-9]00$/i.test(fontText('font-weight')) ? 700 : 400,
        isItalic: /italic|oblique/i.test(fontText('font-style')),
        letterSpacing: 0,
        capitalization: 'mixed',
      },
      color: fillOf(reading, childOfSld(element, 'Fill'), '#000000'),
      ...(radius === undefined
        ? {}
        : { buffer: { size: length(radius), color: fillOf(reading, childOfSld(halo, 'Fill'), '#ffffff') } }),
      placement: placementOf(reading, element, length),
      offset: offsetOf(reading, point, length),
      angle: (angle.element && readSldNumber(reading, angle.element, angle.text)) ?? 0,
      ...{
        priority: 5,
        showsAll: false,
        wrapCharacter: '',
        wrapLength: 0,
        lineHeight: 1,
        alignment: 'center',
      },
      ...(Object.keys(dataDefined).length === 0 ? {} : { dataDefined }),
    },
  ]
}

/** Reports parameters whose expressions have no effect. */
function reportExpressions(
  reading: SldReading,
  parameters: ReadonlyMap<string, SldParameter>,
  known: readonly string[],
): void {
  for (const [name, { element, expression }] of parameters)
    if (expression !== undefined && !known.includes(name))
      reportPart(reading, element, 'an expression is not supported here; the default is drawn')
}

function rotationOf(reading: SldReading, element: XmlElement): Partial<SldParameter> {
  const rotation = findSld(element, 'LabelPlacement', 'PointPlacement', 'Rotation')
  return rotation === undefined ? {} : readParameter(reading, rotation)
}

/** Fields and texts of a label are joined. */
function readText(reading: SldReading, label: XmlElement | undefined): Expression | undefined {
  if (label === undefined) return undefined
  const parts = label.children.map((child): Expression | undefined =>
    // Spaces of a constant separate it from the fields beside it, unless they indent the file.
    localName(child) === 'Literal' && child.written !== undefined && !child.written.includes('\n')
      ? { op: 'literal', value: child.written }
      : readSldExpression(reading, child),
  )
  const operands = parts.filter((part) => part !== undefined)
  if (operands.length < parts.length) return undefined
  if (label.text !== '' && operands.length > 0)
    reportPart(reading, label, 'text between the fields of a label is not drawn')
  if (operands.length === 0) return label.text === '' ? undefined : { op: 'literal', value: label.text }
  const [only] = operands
  return operands.length === 1 ? only : { op: '||', operands }
}

function numberOf(reading: SldReading, element: XmlElement | undefined, byDefault: number): number {
  if (element === undefined) return byDefault
  const { text, expression } = readParameter(reading, element)
  if (expression !== undefined)
    reportPart(reading, element, 'an expression is not supported here; the default is drawn')
  return readSldNumber(reading, element, text) ?? byDefault
}

function fillOf(reading: SldReading, element: XmlElement | undefined, byDefault: Color): Color {
  return element === undefined ? byDefault : (readFill(reading, element, byDefault) ?? byDefault)
}

type LengthOf = (value: number) => Length

function placementOf(reading: SldReading, element: XmlElement, length: LengthOf): LabelPlacement {
  const line = findSld(element, 'LabelPlacement', 'LinePlacement')
  if (line !== undefined) reportOthers(reading, line, ['PerpendicularOffset', ...usual(line)])
  const distance = numberOf(reading, childOfSld(line, 'PerpendicularOffset'), 0)
  if (line !== undefined) {
    const side = distance === 0 ? 'on' : distance > 0 ? 'above' : 'below'
    return {
      kind: 'line',
      isCurved: false,
      sides: [side],
      distance: distance === 0 ? 0 : length(Math.abs(distance)),
    }
  }
  const anchor = findSld(element, 'LabelPlacement', 'PointPlacement', 'AnchorPoint')
  // The anchor is a point of the text, from its left and bottom.
  const part = (name: string) => {
    const child = childOfSld(anchor, name)
    const value = numberOf(reading, child, name === 'AnchorPointX' ? 0 : 0.5)
    if (child !== undefined && ![0, 0.5, 1].includes(value))
      reportPart(reading, child, `the anchor ${value} is drawn as the nearest of 0, 0.5 and 1`)
    return sideOf(value)
  }
  return { kind: 'over', quadrant: [part('AnchorPointX'), -part('AnchorPointY') as -1 | 0 | 1] }
}

/** Anchor at the left: the text is to the right. */
const sideOf = (anchor: number): -1 | 0 | 1 => (anchor < 0.25 ? 1 : anchor > 0.75 ? -1 : 0)

/** Settings of a line placement that are those of all labels. */
function usual(line: XmlElement): string[] {
  const values = { IsRepeated: 'false', IsAligned: 'true', GeneralizeLine: 'false' }
  return Object.entries(values).flatMap(([name, value]) =>
    childOfSld(line, name)?.text === value ? [name] : [],
  )
}

function offsetOf(reading: SldReading, point: XmlElement | undefined, length: LengthOf): Offset {
  if (point !== undefined) reportOthers(reading, point, ['AnchorPoint', 'Displacement', 'Rotation'])
  const displacement = childOfSld(point, 'Displacement')
  const part = (name: string) => numberOf(reading, childOfSld(displacement, name), 0)
  const [x, y] = [part('DisplacementX'), -part('DisplacementY')]
  return [x === 0 ? 0 : length(x), y === 0 ? 0 : length(y)]
}
