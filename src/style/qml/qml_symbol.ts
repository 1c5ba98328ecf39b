import { withOrigin } from '../style_origin.ts'
import { withSymbolColor } from '../symbol_color.ts'
import type {
  CentroidFill,
  Length,
  LinePattern,
  MapSymbol,
  PointPattern,
  Stroke,
  SymbolLayer,
  TextMarker,
} from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { readDataDefined } from './qml_data_defined.ts'
import {
  attributeOf,
  childrenNamed,
  entryOf,
  numberAttribute,
  type QmlReading,
  reportPart,
} from './qml_element.ts'
import {
  colorOption,
  lengthOption,
  numberOption,
  type QmlOptions,
  readOptions,
  reportIgnored,
  textOption,
} from './qml_options.ts'
import { outlineStroke } from './qml_stroke.ts'
import {
  definedOf,
  factorOf,
  markerProperties,
  passOf,
  placementOf,
  readMarkerLine,
  readSimpleFill,
  readSimpleLine,
  readSimpleMarker,
  readSvgMarker,
  sizedBy,
} from './qml_symbol_layer.ts'

/** Fonts whose letters are drawn as other symbols. */
const symbolFonts = /dings|symbol|icon|awesome|esri|emoji|weather|marlett|\bmap/i

const clippings = {
  shape: 'clip',
  centroid_within: 'centroid_within',
  completely_within: 'completely_within',
  no_clipping: 'none',
} as const

/** Reads a symbol with its enabled layers; reports layers that are not drawn. */
export function readQmlSymbol(file: QmlReading, symbol: XmlElement): MapSymbol {
  const reading: QmlReading = { ...file, variables: [...(file.variables ?? []), 'symbol_color'] }
  const type = attributeOf(symbol, 'type')
  const layers = childrenNamed(symbol, 'layer').filter((layer) => attributeOf(layer, 'enabled') !== '0')
  const read = withSymbolColor({
    type: type === 'line' || type === 'fill' ? type : 'marker',
    opacity: Math.min(1, Math.max(0, numberAttribute(symbol, 'alpha') ?? 1)),
    layers: layers.flatMap((layer) => readLayer(reading, layer)),
    ...readDataDefined(reading, symbol, { properties: { alpha: 'opacity' }, owner: 'the symbol' }),
  })
  return withOrigin(read, symbol.span)
}

type ReadLayer = (
  options: ReturnType<typeof readOptions>,
  inner: MapSymbol | undefined,
) => SymbolLayer | undefined

const readers: Readonly<Record<string, ReadLayer>> = {
  SimpleFill: readSimpleFill,
  SimpleLine: readSimpleLine,
  SimpleMarker: readSimpleMarker,
  SvgMarker: readSvgMarker,
  FontMarker: readFontMarker,
  MarkerLine: readMarkerLine,
  LinePatternFill: readLinePattern,
  PointPatternFill: readPointPattern,
  CentroidFill: readCentroidFill,
}

function readLayer(reading: QmlReading, layer: XmlElement): SymbolLayer[] {
  const cls = attributeOf(layer, 'class') ?? ''
  const read = entryOf(readers, cls)
  if (read === undefined) {
    reportPart(reading, layer, `symbol layer ${cls} is not drawn`)
    return []
  }
  for (const effect of childrenNamed(layer, 'effect'))
    if (attributeOf(effect, 'enabled') === '1')
      reportPart(reading, effect, `draw effects of ${cls} are not drawn`)
  const [inner] = childrenNamed(layer, 'symbol')
  const drawn = [read(readOptions(reading, layer), inner && readQmlSymbol(reading, inner)) ?? []].flat()
  return drawn.map((one) => withOrigin(one, layer.span))
}

/** Reads a marker of letters. */
function readFontMarker(options: QmlOptions): TextMarker {
  const family = textOption(options, 'font') ?? 'Dingbats'
  if (symbolFonts.test(family))
    reportPart(
      options.reading,
      options.values.get('font')?.element ?? options.layer,
      `the font "${family}" of FontMarker is drawn as DejaVu Sans`,
    )
  const style = textOption(options, 'font_style') ?? ''
  const stroke = strokeOf(options)
  return {
    kind: 'text',
    ...passOf(options),
    text: textOption(options, 'chr') ?? 'A',
    font: {
      family,
      weight: /bold|black|heavy/i.test(style) ? 700 : 400,
      isItalic: /italic|oblique/i.test(style),
    },
    fill: colorOption(options, ['color'], '#ff0000'),
    ...(stroke === undefined ? {} : { stroke }),
    ...placementOf(options, 12),
    ...sizedBy(
      options,
      definedOf(options, {
        properties: {
          ...markerProperties,
          char: 'text',
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

/** Unlike that of other markers, an outline without a width is not drawn. */
function strokeOf(options: QmlOptions): Stroke | undefined {
  const width: Length = lengthOption(options, { name: 'outline_width', byDefault: 0 })
  return width === 0 ? undefined : outlineStroke(options, 0)
}

/** Reads a line pattern. Older versions have no line symbol but a colour and width. */
function readLinePattern(options: QmlOptions, line: MapSymbol | undefined): LinePattern {
  for (const { kind } of line?.layers ?? [])
    if (kind !== 'line')
      reportPart(options.reading, options.layer, 'a line pattern is drawn without the markers on its lines')
  return {
    kind: 'line_pattern',
    ...passOf(options),
    line: line ?? plainLine(options),
    angle: numberOption(options, 'angle', numberOption(options, 'lineangle', 45)),
    distance: lengthOption(options, { name: 'distance', byDefault: 5 }),
    offset: lengthOption(options, { name: 'offset', byDefault: 0 }),
    ...definedOf(options, { properties: { enabled: 'isDrawn', lineAngle: 'angle' } }),
  }
}

function plainLine(options: QmlOptions): MapSymbol {
  const stroke = {
    color: colorOption(options, ['color'], '#000000'),
    width: lengthOption(options, { name: 'line_width', older: ['linewidth'], byDefault: 0.5 }),
    dash: [],
    isDashRelative: false,
    dashOffset: 0,
    join: 'bevel',
    cap: 'square',
  } as const
  return { type: 'line', opacity: 1, layers: [{ kind: 'line', pass: 0, stroke, offset: 0, rings: 'all' }] }
}

/** Reads a point pattern; undefined without a marker. */
function readPointPattern(options: QmlOptions, marker: MapSymbol | undefined): PointPattern | undefined {
  if (marker === undefined) return undefined
  reportIgnored(options, { random_deviation_x: ['0'], random_deviation_y: ['0'] })
  const length = (name: string, byDefault = 0) => lengthOption(options, { name, byDefault })
  const mode = textOption(options, 'clip_mode')
  reportIgnored(options, { clip_mode: ['shape'] })
  return {
    kind: 'point_pattern',
    ...passOf(options),
    marker,
    distance: [length('distance_x', 15), length('distance_y', 15)],
    displacement: [length('displacement_x'), length('displacement_y')],
    offset: [length('offset_x'), length('offset_y')],
    angle: numberOption(options, 'angle', 0),
    clipping:
      mode !== undefined && Object.hasOwn(clippings, mode)
        ? clippings[mode as keyof typeof clippings]
        : 'clip',
    ...definedOf(options, { properties: { enabled: 'isDrawn', angle: 'angle' } }),
  }
}

/** Reads a centroid fill; undefined without a marker. */
function readCentroidFill(options: QmlOptions, marker: MapSymbol | undefined): CentroidFill | undefined {
  if (marker === undefined) return undefined
  reportIgnored(options, { clip_points: ['0'], clip_on_current_part_only: ['0'] })
  return {
    kind: 'centroid',
    ...passOf(options),
    marker,
    isOnSurface: textOption(options, 'point_on_surface') === '1',
    isOnAllParts: textOption(options, 'point_on_all_parts') !== '0',
    ...definedOf(options, { properties: { enabled: 'isDrawn' } }),
  }
}
