import { type Color, findColor } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import type { LabelPlacement, Labels } from '../label_model.ts'
import { reportPart } from '../qml/qml_element.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  childOfSld,
  findSld,
  readParameter,
  readParameters,
  readSldExpression,
  readSldNumber,
  reportOthers,
  type SldParameter,
  type SldReading,
} from './sld_element.ts'
import { lengthsOf } from './sld_symbolizer.ts'

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
  const length = lengthsOf(element)
  const font = readParameters(reading, childOfSld(element, 'Font'), [
    ...['font-family', 'font-size', 'font-style', 'font-weight'],
  ])
  const fontText = (name: string) => font.get(name)?.text?.trim() ?? ''
  const halo = childOfSld(element, 'Halo')
  const radius = halo && numberOf(reading, childOfSld(halo, 'Radius'), 1)
  const point = findSld(element, 'LabelPlacement', 'PointPlacement')
  return [
    {
      text,
      font: {
        family: fontText('font-family') || 'sans-serif',
        size: length(fontSizeOf(reading, font.get('font-size'))),
        weight: /bold/i.test(fontText('font-weight')) ? 700 : 400,
        isItalic: /italic|oblique/i.test(fontText('font-style')),
        letterSpacing: 0,
        capitalization: 'mixed',
      },
      color: fillOf(reading, childOfSld(element, 'Fill'), '#000000'),
      ...(radius === undefined
        ? {}
        : { buffer: { size: length(radius), color: fillOf(reading, childOfSld(halo, 'Fill'), '#ffffff') } }),
      placement: placementOf(reading, element),
      offset: offsetOf(reading, point),
      angle: numberOf(reading, childOfSld(point, 'Rotation'), 0),
      ...{
        priority: 5,
        showsAll: false,
        wrapCharacter: '',
        wrapLength: 0,
        lineHeight: 1,
        alignment: 'center',
      },
    },
  ]
}

function fontSizeOf(reading: SldReading, parameter: SldParameter | undefined): number {
  return (parameter && readSldNumber(reading, parameter.element, parameter.text?.trim())) ?? 10
}

/** Fields and texts of a label are joined. */
function readText(reading: SldReading, label: XmlElement | undefined): Expression | undefined {
  if (label === undefined) return undefined
  const parts = label.children.map((child) => readSldExpression(reading, child))
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
  const fill = readParameters(reading, element, ['fill', 'fill-opacity']).get('fill')
  return findColor(fill?.text?.trim() ?? '') ?? byDefault
}

function placementOf(reading: SldReading, element: XmlElement): LabelPlacement {
  const line = findSld(element, 'LabelPlacement', 'LinePlacement')
  const distance = numberOf(reading, childOfSld(line, 'PerpendicularOffset'), 0)
  if (line !== undefined) {
    const side = distance === 0 ? 'on' : distance > 0 ? 'above' : 'below'
    return { kind: 'line', isCurved: false, sides: [side], distance: Math.abs(distance) }
  }
  const anchor = findSld(element, 'LabelPlacement', 'PointPlacement', 'AnchorPoint')
  // The anchor is a point of the text, from its left and bottom.
  const part = (name: string) =>
    sideOf(numberOf(reading, childOfSld(anchor, name), name === 'AnchorPointX' ? 0 : 0.5))
  return { kind: 'over', quadrant: [part('AnchorPointX'), -part('AnchorPointY') as -1 | 0 | 1] }
}

/** Anchor at the left: the text is to the right. */
const sideOf = (anchor: number): -1 | 0 | 1 => (anchor < 0.25 ? 1 : anchor > 0.75 ? -1 : 0)

function offsetOf(reading: SldReading, point: XmlElement | undefined): readonly [number, number] {
  const displacement = childOfSld(point, 'Displacement')
  const part = (name: string) => numberOf(reading, childOfSld(displacement, name), 0)
  return [part('DisplacementX'), -part('DisplacementY')]
}
