import { type GeometryFamily, type GeometryType, geometryParts } from '../contract/geometry.ts'
import { type Color, channelsOf } from './color.ts'
import { defaultStyle } from './default_style.ts'
import { defaultSymbolizer, type Symbolizer } from './page_style.ts'
import { escapeXml } from './xml_escape.ts'

/** Returns the style of a layer without one as QML; without a geometry type, that of polygons. */
export function defaultQml(geometryType: GeometryType = 'POLYGON'): string {
  const symbolizer = defaultStyle(geometryType).rules[0]?.symbolizers[0] ?? defaultSymbolizer
  return writeQml(symbolizer, geometryParts(geometryType).family)
}

/** Writes a single symbol for features of a family as QML. Lengths are in pixels. */
function writeQml(symbolizer: Symbolizer, family: GeometryFamily): string {
  const { type, layer, options } = symbolOf(symbolizer, family)
  const written = Object.entries(options).map(
    ([name, value]) => `            <Option type="QString" name="${name}" value="${escapeXml(value)}"/>`,
  )
  return [
    "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>",
    '<qgis version="3.28.0" styleCategories="Symbology">',
    '  <renderer-v2 type="singleSymbol" symbollevels="0" enableorderby="0">',
    '    <symbols>',
    `      <symbol type="${type}" name="0" alpha="${symbolizer.opacity}" clip_to_extent="1" force_rhr="0">`,
    `        <layer class="${layer}" enabled="1" pass="0" locked="0">`,
    '          <Option type="Map">',
    ...written,
    '          </Option>',
    '        </layer>',
    '      </symbol>',
    '    </symbols>',
    '  </renderer-v2>',
    '</qgis>',
    '',
  ].join('\n')
}

interface SymbolLayer {
  readonly type: 'marker' | 'line' | 'fill'
  readonly layer: string
  readonly options: Readonly<Record<string, string>>
}

function symbolOf({ fill, outline, width, size, marker }: Symbolizer, family: GeometryFamily): SymbolLayer {
  const edge = {
    outline_color: colorText(outline),
    outline_style: outline === undefined ? 'no' : 'solid',
    outline_width: String(width),
    outline_width_unit: 'Pixel',
  }
  if (family === 'LINESTRING') {
    const options = { line_color: colorText(fill), line_style: 'solid', line_width: String(width) }
    return { type: 'line', layer: 'SimpleLine', options: { ...options, line_width_unit: 'Pixel' } }
  }
  if (family === 'POLYGON') {
    const style = fill === undefined ? 'no' : 'solid'
    return { type: 'fill', layer: 'SimpleFill', options: { color: colorText(fill), style, ...edge } }
  }
  const options = { name: marker, color: colorText(fill), size: String(size), size_unit: 'Pixel', ...edge }
  return { type: 'marker', layer: 'SimpleMarker', options }
}

function colorText(color: Color = '#000000'): string {
  return [...channelsOf(color), 255].join(',')
}
