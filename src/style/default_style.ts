import { type GeometryType, geometryParts } from '../contract/geometry.ts'
import type { Color } from './color.ts'
import { writeMapserverXml } from './mapserver_write.ts'
import { defaultSymbolizer, type Style, type Symbolizer } from './page_style.ts'

const outline: Color = '#404040'

/** Default symbolizer of each geometry family. */
const byFamily: Readonly<Record<'POINT' | 'LINESTRING' | 'POLYGON', Symbolizer>> = {
  POINT: { ...defaultSymbolizer, fill: '#e6550d', outline: '#ffffff', size: 7 },
  LINESTRING: { ...defaultSymbolizer, fill: '#3182bd', width: 1.5 },
  POLYGON: { ...defaultSymbolizer, fill: '#a6cee3', outline, width: 0.8 },
}

/** Returns the style of a layer without one; without a geometry type, a style that shows every geometry. */
export function defaultStyle(geometryType?: GeometryType): Style {
  const symbolizer =
    geometryType === undefined
      ? { ...defaultSymbolizer, fill: byFamily.POLYGON.fill ?? outline, outline }
      : byFamily[geometryParts(geometryType).family]
  return { rules: [{ symbolizers: [symbolizer] }] }
}

/** Returns `defaultStyle` as MapServer XML. */
export function defaultXml(geometryType?: GeometryType): string {
  return writeMapserverXml(defaultStyle(geometryType))
}
