import { type Color, fade, findColor } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import { findMarkerShape } from '../marker_shape.ts'
import { reportPart } from '../qml/qml_element.ts'
import type {
  LayerProperty,
  Length,
  MarkerShape,
  Offset,
  SimpleFill,
  SimpleLine,
  SimpleMarker,
  Stroke,
} from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  childOfSld,
  findSld,
  readParameter,
  readParameters,
  readSldNumber,
  reportGeometry,
  reportOthers,
  type SldParameter,
  type SldReading,
} from './sld_element.ts'

/** A symbolizer, and the position of its feature type style among those of the file. */
export interface SldSymbolizer {
  readonly element: XmlElement
  readonly pass: number
}

const metresPerUnit: Readonly<Record<string, number>> = { metre: 1, meter: 1, foot: 0.3048 }

/** Returns a function that gives lengths the unit of measure of a symbolizer. */
export function lengthsOf(reading: SldReading, { attributes }: XmlElement): (value: number) => Length {
  const attribute = attributes.find(({ name }) => name === 'uom')
  const unit = attribute?.value.trim().split('/').at(-1) || 'pixel'
  const metres = Object.hasOwn(metresPerUnit, unit) ? metresPerUnit[unit] : undefined
  if (attribute !== undefined && metres === undefined && unit !== 'pixel')
    reportPart(reading, attribute, `lengths in the unit "${attribute.value}" are drawn as pixels`)
  return (value) => (metres === undefined ? value : { mapUnits: value * metres })
}

type DataDefined = { [P in LayerProperty]?: Expression }

/** Reads a number; an expression goes to the data-defined properties, if there is such a property. */
function numberIn(
  reading: SldReading,
  parameter: SldParameter | undefined,
  { byDefault, into, property }: { byDefault: number; into?: DataDefined; property?: LayerProperty },
): number {
  if (parameter?.expression !== undefined) {
    if (into === undefined || property === undefined)
      reportPart(reading, parameter.element, 'an expression is not supported here; the default is drawn')
    else into[property] = parameter.expression
    return byDefault
  }
  if (parameter === undefined) return byDefault
  return readSldNumber(reading, parameter.element, parameter.text) ?? byDefault
}

function colorIn(reading: SldReading, parameter: SldParameter | undefined, byDefault: Color): Color {
  if (parameter === undefined) return byDefault
  const color = findColor(parameter.text?.trim() ?? '')
  if (color === undefined) reportPart(reading, parameter.element, 'the colour is not drawn: expected #rrggbb')
  return color ?? byDefault
}

const strokeNames = [
  ...['stroke', 'stroke-width', 'stroke-opacity', 'stroke-linejoin', 'stroke-linecap'],
  ...['stroke-dasharray', 'stroke-dashoffset'],
]
const joins = { mitre: 'miter', miter: 'miter', round: 'round', bevel: 'bevel' } as const
const caps = { butt: 'flat', round: 'round', square: 'square' } as const

/** Reads one of some words; undefined, with an issue, for others. */
function wordIn<W extends string>(
  reading: SldReading,
  parameter: SldParameter | undefined,
  words: Readonly<Record<string, W>>,
): W | undefined {
  if (parameter === undefined) return undefined
  const word = parameter.text?.trim() ?? ''
  if (Object.hasOwn(words, word)) return words[word]
  const [first] = Object.keys(words)
  reportPart(
    reading,
    parameter.element,
    `the value is not one of ${Object.keys(words).join(', ')}; ${first} is drawn`,
  )
  return undefined
}

/** Reads a stroke; an element without parameters is a black line of one pixel. */
function readStroke(
  reading: SldReading,
  element: XmlElement,
  { length, into }: { readonly length: (value: number) => Length; readonly into: DataDefined },
): Stroke {
  reportOthers(reading, element, ['CssParameter', 'SvgParameter'])
  const parameters = readParameters(reading, element, strokeNames)
  const textOf = (name: string) => parameters.get(name)?.text?.trim() ?? ''
  const color = colorIn(reading, parameters.get('stroke'), '#000000')
  const opacity = numberIn(reading, parameters.get('stroke-opacity'), { byDefault: 1 })
  const width = numberIn(reading, parameters.get('stroke-width'), {
    ...{ byDefault: 1, into, property: 'stroke.width' },
  })
  const dash = textOf('stroke-dasharray')
    .split(/[\s,]+/)
    .map((text) => readSldNumber(reading, parameters.get('stroke-dasharray')?.element ?? element, text))
  const lengths = dash.filter((one) => one !== undefined)
  return {
    color: fade(color, opacity),
    width: length(Math.max(0, width)),
    // An odd number of lengths is repeated, as in SVG.
    dash: (lengths.length % 2 === 0 ? lengths : [...lengths, ...lengths]).map(length),
    isDashRelative: false,
    dashOffset: length(numberIn(reading, parameters.get('stroke-dashoffset'), { byDefault: 0 })),
    join: wordIn(reading, parameters.get('stroke-linejoin'), joins) ?? 'miter',
    cap: wordIn(reading, parameters.get('stroke-linecap'), caps) ?? 'flat',
  }
}

/** Reads a fill of one colour. */
export function readFill(reading: SldReading, element: XmlElement, byDefault: Color): Color {
  reportOthers(reading, element, ['CssParameter', 'SvgParameter'])
  const parameters = readParameters(reading, element, ['fill', 'fill-opacity'])
  const opacity = numberIn(reading, parameters.get('fill-opacity'), { byDefault: 1 })
  return fade(colorIn(reading, parameters.get('fill'), byDefault), opacity)
}

const definedBy = (into: DataDefined) => (Object.keys(into).length === 0 ? {} : { dataDefined: into })

/** Reads a line symbolizer. */
export function readLineSymbolizer(reading: SldReading, { element, pass }: SldSymbolizer): SimpleLine[] {
  reportOthers(reading, element, ['Geometry', 'Stroke', 'PerpendicularOffset', 'Name', 'Description'])
  reportGeometry(reading, element)
  const stroke = childOfSld(element, 'Stroke')
  if (stroke === undefined) return []
  const [length, into] = [lengthsOf(reading, element), {} as DataDefined]
  const offset = childOfSld(element, 'PerpendicularOffset')
  // Positive is to the left in the standard, and to the right here.
  const shift =
    offset === undefined ? 0 : -numberIn(reading, readParameter(reading, offset), { byDefault: 0 })
  const line = readStroke(reading, stroke, { length, into })
  const shifted = shift === 0 ? 0 : length(shift)
  return [{ kind: 'line', stroke: line, offset: shifted, rings: 'all', pass, ...definedBy(into) }]
}

/** Reads how far a symbol is displaced, upwards if it is positive. @see OGC 05-077r4 clauses 11.2.1 and 11.3.2 */
function readDisplacement(
  reading: SldReading,
  symbolized: XmlElement,
): readonly [right: number, down: number] {
  const element = childOfSld(symbolized, 'Displacement')
  if (element !== undefined) reportOthers(reading, element, ['DisplacementX', 'DisplacementY'])
  const part = (name: string) => {
    const child = childOfSld(element, name)
    return numberIn(reading, child && readParameter(reading, child), { byDefault: 0 })
  }
  const [right, up] = [part('DisplacementX'), part('DisplacementY')]
  return [right, up === 0 ? 0 : -up]
}

/** Turns a displacement back by the angle of a mark, with which it is turned when it is drawn; in the standard, it is not. */
function turnBack([x, y]: readonly [number, number], degrees: number): readonly [number, number] {
  if (degrees === 0) return [x, y]
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  return [x * cos + y * sin, y * cos - x * sin]
}

/** Returns a displacement in the unit of a symbolizer. */
function offsetOf([x, y]: readonly [number, number], length: (value: number) => Length): Offset {
  return [x === 0 ? 0 : length(x), y === 0 ? 0 : length(y)]
}

/** Reads a polygon symbolizer. */
export function readPolygonSymbolizer(reading: SldReading, { element, pass }: SldSymbolizer): SimpleFill[] {
  reportOthers(reading, element, ['Geometry', 'Fill', 'Stroke', 'Displacement', 'Name', 'Description'])
  reportGeometry(reading, element)
  const [fill, stroke] = [childOfSld(element, 'Fill'), childOfSld(element, 'Stroke')]
  const [length, into] = [lengthsOf(reading, element), {} as DataDefined]
  const color = fill === undefined ? '#00000000' : readFill(reading, fill, '#808080')
  const outline = stroke && readStroke(reading, stroke, { length, into })
  return [
    {
      ...{ kind: 'fill', color, brush: fill === undefined ? 'no' : 'solid', pass },
      offset: offsetOf(readDisplacement(reading, element), length),
      ...(outline === undefined ? {} : { stroke: outline }),
      ...definedBy(into),
    },
  ]
}

/** Shapes of the standard whose names differ from those of QGIS. */
const standardShapes: Readonly<Record<string, MarkerShape>> = {
  cross: 'cross_fill',
  triangle: 'equilateral_triangle',
}

/** Reads a point symbolizer with a mark. Images are reported, and not drawn. */
export function readPointSymbolizer(reading: SldReading, { element, pass }: SldSymbolizer): SimpleMarker[] {
  reportOthers(reading, element, ['Geometry', 'Graphic', 'Name', 'Description'])
  reportGeometry(reading, element)
  const graphic = childOfSld(element, 'Graphic')
  if (graphic === undefined) return []
  reportOthers(reading, graphic, ['Mark', 'Size', 'Rotation', 'Opacity', 'Displacement', 'ExternalGraphic'])
  const mark = childOfSld(graphic, 'Mark')
  const external = childOfSld(graphic, 'ExternalGraphic')
  if (external !== undefined) reportPart(reading, external, '<ExternalGraphic> is not drawn')
  if (mark === undefined && external !== undefined) return []
  if (mark !== undefined) reportOthers(reading, mark, ['WellKnownName', 'Fill', 'Stroke'])
  const [length, into] = [lengthsOf(reading, element), {} as DataDefined]
  const number = (name: string, byDefault: number, property?: LayerProperty) => {
    const child = childOfSld(graphic, name)
    const parameter = child && readParameter(reading, child)
    return numberIn(reading, parameter, { byDefault, ...(property === undefined ? {} : { into, property }) })
  }
  const opacity = number('Opacity', 1)
  const angle = number('Rotation', 0, 'angle')
  const displacement = readDisplacement(reading, graphic)
  const moved = childOfSld(graphic, 'Displacement')
  if (moved !== undefined && into.angle !== undefined && Math.hypot(...displacement) > 0)
    reportPart(reading, moved, 'the displacement is turned by the rotation, which is an expression')
  const [fill, stroke] = [childOfSld(mark, 'Fill'), childOfSld(mark, 'Stroke')]
  const isPlain = mark === undefined || (fill === undefined && stroke === undefined)
  const color = fill === undefined ? '#808080' : readFill(reading, fill, '#808080')
  const outline = stroke && readStroke(reading, stroke, { length, into })
  const plain: Stroke = {
    ...{ color: '#000000', width: 1, dash: [], isDashRelative: false, dashOffset: 0 },
    ...{ join: 'miter', cap: 'flat' },
  }
  const edge = outline ?? (isPlain ? plain : undefined)
  return [
    {
      ...{ kind: 'marker', shape: shapeOf(reading, mark), size: length(number('Size', 6, 'size')) },
      ...{
        angle,
        offset: offsetOf(turnBack(displacement, angle), length),
        anchor: { x: 'center', y: 'center' },
        pass,
      },
      ...(fill === undefined && !isPlain ? {} : { fill: fade(color, opacity) }),
      ...(edge === undefined ? {} : { stroke: { ...edge, color: fade(edge.color, opacity) } }),
      ...definedBy(into),
    },
  ]
}

function shapeOf(reading: SldReading, mark: XmlElement | undefined): MarkerShape {
  const element = findSld(mark, 'WellKnownName')
  if (element === undefined) return 'square'
  const text = readParameter(reading, element).text ?? ''
  const name = text.trim().toLowerCase()
  const shape =
    (Object.hasOwn(standardShapes, name) ? standardShapes[name] : undefined) ?? findMarkerShape(name)
  if (shape === undefined) reportPart(reading, element, `unknown mark "${text}" is drawn as a square`)
  return shape ?? 'square'
}
