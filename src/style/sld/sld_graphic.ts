import { fade } from '../color.ts'
import { findMarkerShape } from '../marker_shape.ts'
import { reportPart } from '../qml/qml_element.ts'
import type { LayerProperty, Length, MarkerShape, Offset, SimpleMarker } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { childOfSld, readParameter, reportOthers, type SldReading } from './sld_element.ts'
import { defaultStroke, definedBy, numberIn, readFill, readStroke, type SldDataDefined } from './sld_paint.ts'

/** Colour of marks and polygons whose fill has none. */
export const defaultFill = '#808080'

/** Unit and rendering pass of a symbolizer. */
export interface SymbolizerScope {
  readonly length: (value: number) => Length
  readonly pass: number
}

/** How the mark of a graphic is read. */
export interface MarkOptions extends SymbolizerScope {
  /** Whether its size and rotation are the same for all features. */
  readonly isFixed?: boolean
}

/** Reads a number of a graphic. Expressions are reported if they are not put anywhere. */
export function graphicNumber(
  reading: SldReading,
  graphic: XmlElement,
  {
    name,
    ...rest
  }: { name: string; byDefault: number; into?: SldDataDefined | undefined; property?: LayerProperty },
): number {
  const child = childOfSld(graphic, name)
  const { into, ...others } = rest
  return numberIn(reading, child && readParameter(reading, child), { ...others, ...(into && { into }) })
}

/** Reads the mark of a graphic; undefined, with an issue, for an image only. */
export function readMark(
  reading: SldReading,
  graphic: XmlElement,
  { length, pass, isFixed = false }: MarkOptions,
): SimpleMarker | undefined {
  reportOthers(reading, graphic, ['Mark', 'Size', 'Rotation', 'Opacity', 'Displacement', 'ExternalGraphic'])
  const mark = childOfSld(graphic, 'Mark')
  const external = childOfSld(graphic, 'ExternalGraphic')
  if (external !== undefined) reportPart(reading, external, '<ExternalGraphic> is not drawn')
  if (mark === undefined && external !== undefined) return undefined
  if (mark !== undefined) reportOthers(reading, mark, ['WellKnownName', 'Fill', 'Stroke'])
  const found: SldDataDefined = {}
  const into = isFixed ? undefined : found
  const opacity = graphicNumber(reading, graphic, { name: 'Opacity', byDefault: 1 })
  const angle = graphicNumber(reading, graphic, { name: 'Rotation', byDefault: 0, into, property: 'angle' })
  const displacement = readDisplacement(reading, graphic)
  const moved = childOfSld(graphic, 'Displacement')
  if (moved !== undefined && found.angle !== undefined && Math.hypot(...displacement) > 0)
    reportPart(reading, moved, 'the displacement is turned by the rotation, which is an expression')
  const [fill, stroke] = [childOfSld(mark, 'Fill'), childOfSld(mark, 'Stroke')]
  const isPlain = mark === undefined || (fill === undefined && stroke === undefined)
  const color = fill === undefined ? defaultFill : readFill(reading, fill, defaultFill)
  const outline = stroke && readStroke(reading, stroke, { length, ...(into && { into }) })
  const edge = outline ?? (isPlain ? defaultStroke : undefined)
  const size = graphicNumber(reading, graphic, { name: 'Size', byDefault: 6, into, property: 'size' })
  return {
    ...{ kind: 'marker', shape: shapeOf(reading, mark), size: length(size) },
    ...{ angle, offset: offsetOf(turnBack(displacement, angle), length) },
    ...{ anchor: { x: 'center', y: 'center' }, pass },
    ...(color === undefined || (fill === undefined && !isPlain) ? {} : { fill: fade(color, opacity) }),
    ...(edge === undefined ? {} : { stroke: { ...edge, color: fade(edge.color, opacity) } }),
    ...definedBy(found),
  }
}

/** Reads how far a symbol is displaced, upwards if it is positive. @see OGC 05-077r4 clauses 11.2.1 and 11.3.2 */
export function readDisplacement(
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
export function offsetOf([x, y]: readonly [number, number], length: (value: number) => Length): Offset {
  return [x === 0 ? 0 : length(x), y === 0 ? 0 : length(y)]
}

/** Shapes of the standard whose names differ from those of QGIS. */
const standardShapes: Readonly<Record<string, MarkerShape>> = {
  cross: 'cross_fill',
  triangle: 'equilateral_triangle',
}

/** Returns the name of a mark. */
export function nameOfMark(reading: SldReading, mark: XmlElement | undefined): string {
  const element = childOfSld(mark, 'WellKnownName')
  return element === undefined ? 'square' : (readParameter(reading, element).text ?? '').trim()
}

/** Finds a shape by its name in the standard or in QGIS. */
export function findShape(name: string): MarkerShape | undefined {
  const folded = name.toLowerCase()
  return Object.hasOwn(standardShapes, folded) ? standardShapes[folded] : findMarkerShape(folded)
}

function shapeOf(reading: SldReading, mark: XmlElement | undefined): MarkerShape {
  const name = nameOfMark(reading, mark)
  const shape = findShape(name)
  const element = childOfSld(mark, 'WellKnownName')
  if (shape === undefined && element !== undefined)
    reportPart(reading, element, `unknown mark "${name}" is drawn as a square`)
  return shape ?? 'square'
}
