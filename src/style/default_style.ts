import { type GeometryType, geometryParts } from '../contract/geometry.ts'
import type { Color } from './color.ts'
import { defaultSymbolizer, type Symbolizer } from './mapserver/mapserver_model.ts'
import { styleOfMapserver } from './mapserver/mapserver_style.ts'
import { writeMapserverXml } from './mapserver/mapserver_write.ts'
import type { Style } from './style_model.ts'

const outline: Color = '#404040'

/** Default symbolizer of each geometry family. */
const byFamily: Readonly<Record<'POINT' | 'LINESTRING' | 'POLYGON', Symbolizer>> = {
  POINT: { ...defaultSymbolizer, fill: '#e6550d', outline: '#ffffff', size: 7 },
  LINESTRING: { ...defaultSymbolizer, fill: '#3182bd', width: 1.5 },
  POLYGON: { ...defaultSymbolizer, fill: '#a6cee3', outline, width: 0.8 },
}

/** Returns the style of a layer without one. */
export function defaultStyle(geometryType: GeometryType): Style {
  const { family } = geometryParts(geometryType)
  const { isExact: _, ...style } = styleOfMapserver({ rules: [{ symbolizers: [byFamily[family]] }] }, family)
  return style
}

/** Returns `defaultStyle` as MapServer XML; without a geometry type, a style that shows every geometry. */
export function defaultXml(geometryType?: GeometryType): string {
  const symbolizer =
    geometryType === undefined
      ? { ...defaultSymbolizer, fill: byFamily.POLYGON.fill ?? outline, outline }
      : byFamily[geometryParts(geometryType).family]
  return writeMapserverXml({ rules: [{ symbolizers: [symbolizer] }] })
}
