import { findMarkerShape } from '../marker_shape.ts'
import { listSvgFaults } from '../svg_image.ts'
import {
  type Anchor,
  brushes,
  type DataDefined,
  type LayerProperty,
  type MapSymbol,
  type MarkerLine,
  type MarkerPlacement,
  type Rings,
  type SimpleFill,
  type SimpleLine,
  type SimpleMarker,
  type SvgMarker,
} from '../symbol_layer.ts'
import { decodeBase64Text } from '../xml/base64_text.ts'
import { type DefinedProperties, readDataDefined } from './qml_data_defined.ts'
import { entryOf, reportPart } from './qml_element.ts'
import {
  colorOption,
  lengthOption,
  numberOption,
  offsetOption,
  pixelsPerUnit,
  type QmlOptions,
  reportIgnored,
  textOption,
} from './qml_options.ts'
import { lineStroke, outlineStroke } from './qml_stroke.ts'

/** Reads a simple fill. */
export function readSimpleFill(options: QmlOptions): SimpleFill {
  const style = textOption(options, 'style')
  const stroke = outlineStroke(options, 0.26)
  return {
    kind: 'fill',
    ...passOf(options),
    color: colorOption(options, ['color'], '#0000ff'),
    brush: brushes.find((brush) => brush === style) ?? 'solid',
    ...(stroke === undefined ? {} : { stroke }),
    offset: offsetOption(options),
    ...definedOf(options, {
      properties: {
        enabled: 'isDrawn',
        fillColor: 'color',
        outlineColor: 'stroke.color',
        outlineWidth: 'stroke.width',
      },
      factors: { 'stroke.width': factorOf(options, 'outline_width_unit') },
    }),
  }
}

/** Reads a simple line; undefined if its pen style is `no`. */
export function readSimpleLine(options: QmlOptions): SimpleLine | undefined {
  const stroke = lineStroke(options)
  const zero = ['0']
  reportIgnored(options, {
    align_dash_pattern: zero,
    draw_inside_polygon: zero,
    trim_distance_end: zero,
    trim_distance_start: zero,
    tweak_dash_pattern_on_corners: zero,
  })
  if (stroke === undefined) return undefined
  return {
    kind: 'line',
    ...passOf(options),
    stroke,
    offset: lengthOption(options, { name: 'offset', byDefault: 0 }),
    rings: ringsOf(options),
    ...definedOf(options, {
      properties: { enabled: 'isDrawn', outlineColor: 'stroke.color', outlineWidth: 'stroke.width' },
      factors: { 'stroke.width': factorOf(options, 'line_width_unit') },
    }),
  }
}

/** Reads a simple marker. A shape that QGIS 3.34 does not have is a circle, as in QGIS. */
export function readSimpleMarker(options: QmlOptions): SimpleMarker {
  const stroke = outlineStroke(options, 0)
  const name = textOption(options, 'name') ?? 'circle'
  const shape = findMarkerShape(name)
  if (shape === undefined)
    reportPart(options.reading, options.layer, `unknown marker "${name}" is drawn as a circle`)
  return {
    kind: 'marker',
    ...passOf(options),
    shape: shape ?? 'circle',
    fill: colorOption(options, ['color'], '#ff0000'),
    ...(stroke === undefined ? {} : { stroke }),
    ...placementOf(options, 2),
    ...sizedBy(
      options,
      definedOf(options, {
        properties: {
          ...markerProperties,
          name: 'shape',
          outlineColor: 'stroke.color',
          outlineWidth: 'stroke.width',
        },
        factors: {
          size: factorOf(options, 'size_unit'),
          'stroke.width': factorOf(options, 'outline_width_unit'),
        },
      }),
    ),
  }
}

/** Reads an SVG marker. */
export function readSvgMarker(options: QmlOptions): SvgMarker {
  const name = textOption(options, 'name') ?? ''
  const svg = name.startsWith('base64:') ? decodeBase64Text(name.slice('base64:'.length)) : undefined
  const at = options.values.get('name')?.element ?? options.layer
  if (svg === undefined)
    reportPart(options.reading, at, 'an SVG marker whose image is not embedded is not drawn')
  else for (const fault of listSvgFaults(svg)) reportPart(options.reading, at, fault)
  return {
    kind: 'svg',
    ...passOf(options),
    source: svg === undefined ? { path: name } : { svg },
    fill: colorOption(options, ['color'], '#232323'),
    outline: colorOption(options, ['outline_color', 'line_color'], '#232323'),
    outlineWidth: lengthOption(options, { name: 'outline_width', older: ['line_width'], byDefault: 0.2 }),
    aspectRatio: Math.max(0, numberOption(options, 'fixedAspectRatio', 0)),
    ...placementOf(options, 4),
    ...sizedBy(
      options,
      definedOf(options, {
        properties: { ...markerProperties, outlineColor: 'outline', outlineWidth: 'outlineWidth' },
        factors: {
          size: factorOf(options, 'size_unit'),
          outlineWidth: factorOf(options, 'outline_width_unit'),
        },
      }),
    ),
  }
}

const placements: Readonly<Record<string, MarkerPlacement>> = {
  interval: 'interval',
  vertex: 'vertex',
  innervertices: 'inner_vertices',
  firstvertex: 'first_vertex',
  lastvertex: 'last_vertex',
  centralpoint: 'central_point',
  segmentcenter: 'segment_center',
}

/** Reads a marker line; undefined without a marker. */
export function readMarkerLine(options: QmlOptions, marker: MapSymbol | undefined): MarkerLine | undefined {
  if (marker === undefined) return undefined
  const names = (textOption(options, 'placements') ?? textOption(options, 'placement') ?? 'interval').split(
    '|',
  )
  for (const name of names)
    if (entryOf(placements, name.toLowerCase()) === undefined)
      reportPart(options.reading, options.layer, `markers at placement "${name}" are not drawn`)
  return {
    kind: 'marker_line',
    ...passOf(options),
    marker,
    placements: names.flatMap((name) => entryOf(placements, name.toLowerCase()) ?? []),
    interval: lengthOption(options, { name: 'interval', byDefault: 3 }),
    offsetAlong: lengthOption(options, { name: 'offset_along_line', byDefault: 0 }),
    offset: lengthOption(options, { name: 'offset', byDefault: 0 }),
    isRotated: textOption(options, 'rotate') !== '0',
    averageLength: lengthOption(options, {
      name: 'average_angle_length',
      unit: 'average_angle_unit',
      scale: 'average_angle_map_unit_scale',
      byDefault: 4,
    }),
    rings: ringsOf(options),
    ...definedOf(options, { properties: { enabled: 'isDrawn' } }),
  }
}

/** Rendering pass of a symbol layer. */
export function passOf({ layer }: QmlOptions): { readonly pass: number } {
  const pass = Number(layer.attributes.find(({ name }) => name === 'pass')?.value ?? 0)
  return { pass: Number.isInteger(pass) && Math.abs(pass) <= 1000 ? pass : 0 }
}

/** Reads the data-defined properties of a symbol layer. */
export function definedOf(
  { reading, layer, cls }: QmlOptions,
  properties: Omit<DefinedProperties<LayerProperty>, 'owner'>,
): { readonly dataDefined?: DataDefined<LayerProperty> } {
  return readDataDefined(reading, layer, { ...properties, owner: cls })
}

/** Data-defined properties of all kinds of markers. */
export const markerProperties = {
  enabled: 'isDrawn',
  size: 'size',
  angle: 'angle',
  fillColor: 'fill',
} as const

/** Returns the pixels of a unit that an option names; 1 for map units. */
export function factorOf(options: QmlOptions, unit: string): number {
  const name = textOption(options, unit)
  if (name === 'MapUnit' || name === 'RenderMetersInMapUnits') return 1
  return entryOf(pixelsPerUnit, name) ?? pixelsPerUnit.MM ?? 1
}

/** Expressions of a symbol layer. */
export interface Defined {
  readonly dataDefined?: DataDefined<LayerProperty>
}

/** With the scale method `area`, expressions define the area of a marker. */
export function sizedBy(options: QmlOptions, { dataDefined }: Defined): Defined {
  if (dataDefined === undefined) return {}
  const { size } = dataDefined
  if (size === undefined || textOption(options, 'scale_method') !== 'area') return { dataDefined }
  return { dataDefined: { ...dataDefined, size: { op: 'call', name: 'sqrt', operands: [size] } } }
}

function ringsOf(options: QmlOptions): Rings {
  const filter = textOption(options, 'ring_filter')
  if (filter === '1') return 'exterior'
  return filter === '2' ? 'interior' : 'all'
}

/** Reads size, rotation, offset and anchor of a marker; the default size is in millimetres. */
export function placementOf(options: QmlOptions, defaultSize: number) {
  return {
    size: lengthOption(options, { name: 'size', byDefault: defaultSize }),
    angle: numberOption(options, 'angle', 0),
    offset: offsetOption(options),
    anchor: anchorOf(options),
  }
}

function anchorOf(options: QmlOptions): Anchor {
  const [x, y] = ['horizontal_anchor_point', 'vertical_anchor_point'].map((name) => textOption(options, name))
  return {
    x: x === '0' ? 'left' : x === '2' ? 'right' : 'center',
    y: y === '0' ? 'top' : y === '2' ? 'bottom' : 'center',
  }
}
