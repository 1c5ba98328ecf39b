import { type GeometryType, geometryParts } from '../contract/geometry.ts'
import type { Color } from './color.ts'
import { writeMapserverXml } from './mapserver_write.ts'
import { plainSymbolizer, type Style, type Symbolizer } from './style.ts'

const outline: Color = '#404040'

/** How features are drawn where nobody said how: the same for every layer of a kind. */
const byFamily: Readonly<Record<'POINT' | 'LINESTRING' | 'POLYGON', Symbolizer>> = {
  POINT: { ...plainSymbolizer, fill: '#e6550d', outline: '#ffffff', size: 7 },
  LINESTRING: { ...plainSymbolizer, fill: '#3182bd', width: 1.5 },
  POLYGON: { ...plainSymbolizer, fill: '#a6cee3', outline, width: 0.8 },
}

/** Gives the style of a layer that has none of its own; without a geometry type, one that any shape shows up in. */
export function plainStyle(geometryType?: GeometryType): Style {
  const symbolizer =
    geometryType === undefined
      ? { ...plainSymbolizer, fill: byFamily.POLYGON.fill ?? outline, outline }
      : byFamily[geometryParts(geometryType).family]
  return { rules: [{ symbolizers: [symbolizer] }] }
}

/** Gives the same as map server XML. */
export function plainXml(geometryType?: GeometryType): string {
  return writeMapserverXml(plainStyle(geometryType))
}
