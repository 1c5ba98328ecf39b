import { fade } from '../color.ts'
import { reportPart } from '../qml/qml_element.ts'
import {
  type Brush,
  brushes,
  type Length,
  type LinePattern,
  type MarkerLine,
  type MarkerPlacement,
  type Offset,
  type PointPattern,
  type SimpleFill,
  type SimpleLine,
  type Stroke,
  type SymbolLayer,
} from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  childOfSld,
  childrenOfSld,
  findSld,
  localName,
  readParameter,
  readParameters,
  reportOthers,
  type SldReading,
} from './sld_element.ts'
import {
  defaultFill,
  findShape,
  graphicNumber,
  nameOfMark,
  offsetOf,
  readMark,
  type SymbolizerScope,
} from './sld_graphic.ts'
import { defaultStroke, numberIn, readFill, readStroke, strokeNames } from './sld_paint.ts'

/** A graphic, its mark, and how opaque it is drawn. */
interface FillGraphic {
  readonly graphic: XmlElement
  readonly mark: XmlElement
  /** As it is written. */
  readonly name: string
  readonly opacity: number
  readonly symbolizer: XmlElement
}

/** Directions of the lines of a mark, which continue in the next tile, and the brush of Qt that looks like it. */
interface Hatch {
  readonly angles: readonly number[]
  readonly brush: Brush
  /** Whether the standard has a mark of this name, which is not one of lines through the tile. */
  readonly isMark?: boolean
}

const hatches: Readonly<Record<string, Hatch>> = {
  horline: { angles: [0], brush: 'horizontal' },
  vertline: { angles: [90], brush: 'vertical' },
  line: { angles: [90], brush: 'vertical' },
  slash: { angles: [45], brush: 'b_diagonal' },
  backslash: { angles: [135], brush: 'f_diagonal' },
  plus: { angles: [0, 90], brush: 'cross' },
  times: { angles: [45, 135], brush: 'diagonal_x' },
  cross: { angles: [0, 90], brush: 'cross', isMark: true },
  x: { angles: [45, 135], brush: 'diagonal_x', isMark: true },
}

/** Size of a tile of lines that has none: that of brushes. */
const defaultTile = 8

/**
 * Reads the graphic of a fill as layers; undefined if it is not drawn, and to be reported. Marks of lines are hatches, others
 * are a grid of marks.
 */
export function readGraphicFill(
  reading: SldReading,
  symbolizer: XmlElement,
  scope: SymbolizerScope,
): (SimpleFill | LinePattern | PointPattern)[] | undefined {
  const fill = childOfSld(symbolizer, 'Fill')
  const graphic = findSld(fill, 'GraphicFill', 'Graphic')
  const mark = childOfSld(graphic, 'Mark')
  if (fill === undefined || graphic === undefined || mark === undefined) return undefined
  const name = nameOfMark(reading, mark)
  const brush = brushes.find((one) => `brush://${one}` === name)
  const hatch = hatchOf(name, { graphic, mark })
  if (brush === undefined && hatch === undefined && findShape(name) === undefined) return undefined
  const opacity = readParameters(reading, fill, ['fill', 'fill-opacity']).get('fill-opacity')
  const part: FillGraphic = {
    ...{ graphic, mark, name, symbolizer },
    opacity: numberIn(reading, opacity, { byDefault: 1 }),
  }
  if (brush !== undefined) return readBrush(reading, part, { brush, scope })
  return hatch === undefined ? readGrid(reading, part, scope) : readHatch(reading, part, { hatch, scope })
}

function hatchOf(name: string, { graphic, mark }: Pick<FillGraphic, 'graphic' | 'mark'>): Hatch | undefined {
  const folded = name.toLowerCase().replace(/^shape:\/\//, '')
  const hatch = Object.hasOwn(hatches, folded) ? hatches[folded] : undefined
  if (hatch?.isMark !== true) return hatch
  // QGIS writes brushes as marks without fill and size.
  const isBrush = ['Size', 'Rotation'].every((part) => childOfSld(graphic, part) === undefined)
  return isBrush && childOfSld(mark, 'Fill') === undefined ? hatch : undefined
}

/** Reads a brush of Qt, which QGIS writes by its name. */
function readBrush(
  reading: SldReading,
  { graphic, mark, opacity }: FillGraphic,
  { brush, scope }: { readonly brush: Brush; readonly scope: SymbolizerScope },
): SimpleFill[] {
  reportOthers(reading, graphic, ['Mark', 'Opacity'])
  reportOthers(reading, mark, ['WellKnownName', 'Fill'])
  const fill = childOfSld(mark, 'Fill')
  const color = (fill && readFill(reading, fill, defaultFill)) ?? defaultFill
  const part = graphicNumber(reading, graphic, { name: 'Opacity', byDefault: 1 })
  return [{ kind: 'fill', color: fade(color, opacity * part), brush, pass: scope.pass, offset: [0, 0] }]
}

function readHatch(
  reading: SldReading,
  { graphic, mark, name, opacity }: FillGraphic,
  { hatch, scope }: { readonly hatch: Hatch; readonly scope: SymbolizerScope },
): (SimpleFill | LinePattern)[] {
  reportOthers(reading, graphic, ['Mark', 'Size', 'Rotation', 'Opacity'])
  reportOthers(reading, mark, ['WellKnownName', 'Fill', 'Stroke'])
  const stroke = readHatchStroke(reading, mark, scope)
  if (stroke === undefined) return []
  const number = (part: string, byDefault: number) =>
    graphicNumber(reading, graphic, { name: part, byDefault })
  const all = opacity * number('Opacity', 1)
  const [size, rotation] = [number('Size', defaultTile), number('Rotation', 0)]
  if (childOfSld(graphic, 'Size') === undefined && rotation === 0 && stroke.width === 1) {
    const color = fade(stroke.color, all)
    return [{ kind: 'fill', color, brush: hatch.brush, pass: scope.pass, offset: [0, 0] }]
  }
  const line: SimpleLine = { kind: 'line', pass: scope.pass, stroke, offset: 0, rings: 'all' }
  // Rotations are clockwise. QGIS writes hatches of all directions as `horline`, with a rotation that is not.
  const turn = name.toLowerCase() === 'horline' ? rotation : -rotation
  return hatch.angles.map((angle) => ({
    ...{ kind: 'line_pattern', pass: scope.pass, line: { type: 'line', opacity: all, layers: [line] } },
    ...{
      angle: angle + turn,
      distance: scope.length(angle % 90 === 0 ? size : size / Math.SQRT2),
      offset: 0,
    },
  }))
}

/** Reads the stroke of a mark of lines, which may have its colour as a fill. */
function readHatchStroke(
  reading: SldReading,
  mark: XmlElement,
  { length }: SymbolizerScope,
): Stroke | undefined {
  const [fill, stroke] = [childOfSld(mark, 'Fill'), childOfSld(mark, 'Stroke')]
  if (stroke !== undefined) return readStroke(reading, stroke, { length })
  const color = fill === undefined ? defaultStroke.color : readFill(reading, fill, defaultFill)
  return color === undefined ? undefined : { ...defaultStroke, color }
}

/** Reads a mark that is repeated at distances of its size, or of options of QGIS and GeoServer. */
function readGrid(
  reading: SldReading,
  { graphic, opacity, symbolizer }: FillGraphic,
  scope: SymbolizerScope,
): PointPattern[] | undefined {
  const marker = readMark(reading, graphic, { ...scope, isFixed: true })
  if (marker === undefined) return undefined
  const [x, y] = pairOf(vendorOption(symbolizer, 'distance'))
  const [right, down] = pairOf(vendorOption(symbolizer, 'displacement'))
  const [top = 0, end = top, bottom = top, start = end] = numbersOf(
    vendorOption(symbolizer, 'graphic-margin'),
  )
  const grow = (margin: number) => sumOf(marker.size, scope.length(margin))
  const distance: Offset =
    x > 0 && y > 0 ? [scope.length(x), scope.length(y)] : [grow(end + start), grow(top + bottom)]
  return [
    {
      ...{ kind: 'point_pattern', pass: scope.pass, distance, offset: [0, 0], angle: 0, clipping: 'clip' },
      marker: { type: 'marker', opacity, layers: [marker] },
      displacement: offsetOf([right, down], scope.length),
    },
  ]
}

/** Adds two lengths of one unit. */
function sumOf(one: Length, other: Length): Length {
  if (typeof one === 'number' && typeof other === 'number') return one + other
  const [first, second] = [one, other].map((length) =>
    typeof length === 'number' ? length : length.mapUnits,
  )
  return { mapUnits: (first ?? 0) + (second ?? 0) }
}

const numbersOf = (text = '') =>
  text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number)
    .filter(Number.isFinite)

function pairOf(text: string | undefined): readonly [number, number] {
  const [x = 0, y = x] = numbersOf(text)
  return [x, y]
}

/** Reads a vendor option of a symbolizer. */
function vendorOption(symbolizer: XmlElement, name: string): string | undefined {
  return childrenOfSld(symbolizer, 'VendorOption')
    .find((one) => nameOfOption(one) === name)
    ?.text.trim()
}

const nameOfOption = ({ attributes }: XmlElement) =>
  attributes.find(({ name }) => name === 'name')?.value ?? ''

/** Vendor options that layers are drawn with. */
const drawnOptions: { readonly [K in SymbolLayer['kind']]?: readonly string[] } = {
  point_pattern: ['distance', 'displacement', 'graphic-margin'],
  marker_line: ['placement', 'rotateMarker'],
}

/** Reports the vendor options of a symbolizer that its layers are not drawn with. */
export function reportVendorOptions(
  reading: SldReading,
  symbolizer: XmlElement,
  layers: readonly SymbolLayer[],
): void {
  const drawn = layers.flatMap(({ kind }) => drawnOptions[kind] ?? [])
  for (const option of childrenOfSld(symbolizer, 'VendorOption'))
    if (!drawn.includes(nameOfOption(option)))
      reportPart(reading, option, `<VendorOption> of <${localName(symbolizer)}> is not drawn`)
}

const placements: Readonly<Record<string, MarkerPlacement>> = {
  points: 'vertex',
  firstPoint: 'first_vertex',
  lastPoint: 'last_vertex',
  centralPoint: 'central_point',
}

/**
 * Reads the graphic of a stroke as marks along the line; undefined if it is not drawn, and to be reported. The gap is the
 * distance of the centres of marks, as QGIS writes it; without one, marks follow each other.
 */
export function readGraphicStroke(
  reading: SldReading,
  symbolizer: XmlElement,
  { offset, ...scope }: SymbolizerScope & { readonly offset: Length },
): MarkerLine | undefined {
  const stroke = childOfSld(symbolizer, 'Stroke')
  const container = childOfSld(stroke, 'GraphicStroke')
  const graphic = childOfSld(container, 'Graphic')
  if (stroke === undefined || container === undefined || graphic === undefined) return undefined
  if (findShape(nameOfMark(reading, childOfSld(graphic, 'Mark'))) === undefined) return undefined
  const marker = readMark(reading, graphic, scope)
  if (marker === undefined) return undefined
  reportOthers(reading, container, ['Graphic', 'Gap', 'InitialGap'])
  const dashes = readParameters(reading, stroke, strokeNames).get('stroke-dasharray')?.text
  const number = (name: string) => {
    const child = childOfSld(container, name)
    return numberIn(reading, child && readParameter(reading, child), { byDefault: 0 })
  }
  const gap = number('Gap') || numbersOf(dashes).reduce((sum, length) => sum + length, 0)
  const placement = vendorOption(symbolizer, 'placement') ?? ''
  return {
    ...{ kind: 'marker_line', pass: scope.pass, rings: 'all', offset, averageLength: 0 },
    marker: { type: 'marker', opacity: 1, layers: [marker] },
    placements: [(Object.hasOwn(placements, placement) ? placements[placement] : undefined) ?? 'interval'],
    interval: gap > 0 ? scope.length(gap) : marker.size,
    offsetAlong: scope.length(number('InitialGap')),
    isRotated: vendorOption(symbolizer, 'rotateMarker') !== '0',
  }
}
