import { reportPart } from '../qml/qml_element.ts'
import type { MarkerLine, SimpleFill, SimpleLine, SimpleMarker, SymbolLayer } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { childOfSld, readParameter, reportGeometry, reportOthers, type SldReading } from './sld_element.ts'
import { defaultFill, offsetOf, readDisplacement, readMark } from './sld_graphic.ts'
import { definedBy, lengthsOf, numberIn, readFill, readStroke, type SldDataDefined } from './sld_paint.ts'
import { readGraphicFill, readGraphicStroke, reportVendorOptions } from './sld_pattern.ts'

/** A symbolizer, and the position of its feature type style among those of the file. */
export interface SldSymbolizer {
  readonly element: XmlElement
  readonly pass: number
}

/** Reads a line symbolizer. */
export function readLineSymbolizer(
  reading: SldReading,
  { element, pass }: SldSymbolizer,
): (SimpleLine | MarkerLine)[] {
  const parts = ['Geometry', 'Stroke', 'PerpendicularOffset', 'Name', 'Description', 'VendorOption']
  reportOthers(reading, element, parts)
  reportGeometry(reading, element)
  const [length, into] = [lengthsOf(reading, element), {} as SldDataDefined]
  const shift = childOfSld(element, 'PerpendicularOffset')
  // Positive is to the left in the standard, and to the right here.
  const right = shift === undefined ? 0 : -numberIn(reading, readParameter(reading, shift), { byDefault: 0 })
  const offset = right === 0 ? 0 : length(right)
  const graphics = readGraphicStroke(reading, element, { length, pass, offset })
  reportVendorOptions(reading, element, graphics === undefined ? [] : [graphics])
  if (graphics !== undefined) return [graphics]
  const stroke = childOfSld(element, 'Stroke')
  const line = stroke && readStroke(reading, stroke, { length, into })
  return line === undefined
    ? []
    : [{ kind: 'line', stroke: line, offset, rings: 'all', pass, ...definedBy(into) }]
}

/** Reads a polygon symbolizer: its fill, and graphics inside and at its edge. */
export function readPolygonSymbolizer(reading: SldReading, { element, pass }: SldSymbolizer): SymbolLayer[] {
  reportOthers(reading, element, [
    ...['Geometry', 'Fill', 'Stroke', 'Displacement', 'Name', 'Description', 'VendorOption'],
  ])
  reportGeometry(reading, element)
  const [length, into] = [lengthsOf(reading, element), {} as SldDataDefined]
  const inside = readGraphicFill(reading, element, { length, pass })
  const edge = readGraphicStroke(reading, element, { length, pass, offset: 0 })
  const graphics = [...(inside ?? []), ...(edge === undefined ? [] : [edge])]
  reportVendorOptions(reading, element, graphics)
  const [fill, stroke] = [childOfSld(element, 'Fill'), childOfSld(element, 'Stroke')]
  const color = inside === undefined && fill ? readFill(reading, fill, defaultFill) : undefined
  const outline = edge === undefined && stroke ? readStroke(reading, stroke, { length, into }) : undefined
  const displacement = readDisplacement(reading, element)
  if ((inside ?? edge) !== undefined && Math.hypot(...displacement) > 0)
    reportPart(
      reading,
      childOfSld(element, 'Displacement') ?? element,
      'graphics of polygons are not displaced',
    )
  const plain: SimpleFill = {
    ...{ kind: 'fill', color: color ?? '#00000000', brush: color === undefined ? 'no' : 'solid', pass },
    offset: offsetOf(displacement, length),
    ...(outline === undefined ? {} : { stroke: outline }),
    ...definedBy(into),
  }
  const hasPlain = (inside ?? edge) === undefined || color !== undefined || outline !== undefined
  return [...(inside ?? []), ...(hasPlain ? [plain] : []), ...(edge === undefined ? [] : [edge])]
}

/** Reads a point symbolizer with a mark. Images are reported, and not drawn. */
export function readPointSymbolizer(reading: SldReading, { element, pass }: SldSymbolizer): SimpleMarker[] {
  reportOthers(reading, element, ['Geometry', 'Graphic', 'Name', 'Description'])
  reportGeometry(reading, element)
  const graphic = childOfSld(element, 'Graphic')
  if (graphic === undefined) return []
  return [readMark(reading, graphic, { length: lengthsOf(reading, element), pass }) ?? []].flat()
}
