import type { GeometryType } from '../../contract/geometry.ts'
import { type Color, channelsOf } from '../color.ts'
import { defaultStyle } from '../default_style.ts'
import type {
  Length,
  MapSymbol,
  SimpleFill,
  SimpleLine,
  SimpleMarker,
  Stroke,
  SymbolLayer,
} from '../symbol_layer.ts'
import { escapeXml } from '../xml/xml_escape.ts'

/** Returns the style of a layer without one as QML; without a geometry type, that of polygons. */
export function defaultQml(geometryType: GeometryType = 'POLYGON'): string {
  const symbol = defaultStyle(geometryType).rules[0]?.symbol
  return writeQml(symbol ?? { type: 'fill', opacity: 1, layers: [] })
}

/** Layers that QML is written for. */
type WrittenLayer = SimpleFill | SimpleLine | SimpleMarker

/**
 * Writes a single symbol as QML. Writes simple fills, lines and markers, with lengths in pixels and strokes that are solid
 * or have dashes in lengths; leaves out other layers.
 */
export function writeQml({ type, opacity, layers }: MapSymbol): string {
  return [
    "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>",
    '<qgis version="3.28.0" styleCategories="Symbology">',
    '  <renderer-v2 type="singleSymbol" symbollevels="0" enableorderby="0">',
    '    <symbols>',
    `      <symbol type="${type}" name="0" alpha="${opacity}" clip_to_extent="1" force_rhr="0">`,
    ...layers.filter(isWritten).flatMap(writeLayer),
    '      </symbol>',
    '    </symbols>',
    '  </renderer-v2>',
    '</qgis>',
    '',
  ].join('\n')
}

function isWritten(layer: SymbolLayer): layer is WrittenLayer {
  return ['fill', 'line', 'marker'].includes(layer.kind)
}

const classes = { fill: 'SimpleFill', line: 'SimpleLine', marker: 'SimpleMarker' } as const

function writeLayer(layer: WrittenLayer): string[] {
  const options = Object.entries(optionsOf(layer)).map(
    ([name, value]) =>
      `            <Option type="QString" name="${name}" value="${escapeXml(String(value))}"/>`,
  )
  return [
    `        <layer class="${classes[layer.kind]}" enabled="1" pass="${layer.pass}" locked="0">`,
    '          <Option type="Map">',
    ...options,
    '          </Option>',
    '        </layer>',
  ]
}

type Options = Readonly<Record<string, string | number>>

function optionsOf(layer: WrittenLayer): Options {
  if (layer.kind === 'line')
    return {
      ...lineOptions(layer.stroke),
      ...pixels('offset', layer.offset),
      ring_filter: ringFilters[layer.rings],
    }
  const [x, y] = layer.offset.map(pixelsOf)
  const placed = { offset: `${x},${y}`, offset_unit: 'Pixel', ...outlineOptions(layer.stroke) }
  if (layer.kind === 'fill') return { color: colorText(layer.color), style: layer.brush, ...placed }
  const anchor = {
    horizontal_anchor_point: ['left', 'center', 'right'].indexOf(layer.anchor.x),
    vertical_anchor_point: ['top', 'center', 'bottom'].indexOf(layer.anchor.y),
  }
  const fill = { color: colorText(layer.fill ?? '#00000000') }
  return {
    name: layer.shape,
    ...fill,
    ...pixels('size', layer.size),
    angle: layer.angle,
    ...placed,
    ...anchor,
  }
}

const ringFilters = { all: 0, exterior: 1, interior: 2 } as const

function lineOptions({ color, width, dash, join, cap, dashOffset }: Stroke): Options {
  const custom = { use_custom_dash: 1, customdash: dash.map(pixelsOf).join(';'), customdash_unit: 'Pixel' }
  return {
    line_color: colorText(color),
    line_style: 'solid',
    ...pixels('line_width', width),
    joinstyle: join,
    capstyle: cap,
    ...(dash.length === 0 ? {} : custom),
    ...pixels('dash_pattern_offset', dashOffset),
  }
}

function outlineOptions(stroke: Stroke | undefined): Options {
  if (stroke === undefined) return { outline_style: 'no' }
  return {
    outline_color: colorText(stroke.color),
    outline_style: 'solid',
    ...pixels('outline_width', stroke.width),
    joinstyle: stroke.join,
    cap_style: stroke.cap,
  }
}

function pixels(name: string, length: Length): Options {
  return { [name]: pixelsOf(length), [`${name}_unit`]: 'Pixel' }
}

const pixelsOf = (length: Length) => (typeof length === 'number' ? length : length.mapUnits)

function colorText(color: Color): string {
  return channelsOf(color).join(',')
}
