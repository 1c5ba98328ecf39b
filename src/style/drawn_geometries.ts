import type { GeometryFamily } from '../contract/geometry.ts'
import type { Rule, Style } from './style_model.ts'
import type { SymbolLayer } from './symbol_layer.ts'

/** Names of geometries in messages. */
export const geometryNames: Readonly<Record<GeometryFamily, string>> = {
  POINT: 'points',
  LINESTRING: 'lines',
  POLYGON: 'polygons',
}

/** Tells whether a style has symbols, none of which draws geometries of a family, and nothing else that is drawn. */
export function drawsNothingOf(style: Style, family: GeometryFamily): boolean {
  if (style.heatmap !== undefined || style.groups !== undefined || style.labels.length > 0) return false
  const rules = listRules(style.rules)
  if (rules.some(({ labels }) => labels.length > 0)) return false
  const layers = rules.flatMap(({ symbol }) => symbol?.layers ?? [])
  return layers.length > 0 && !layers.some((layer) => isDrawnOn(layer, family))
}

function listRules(rules: readonly Rule[]): Rule[] {
  return rules.flatMap((rule) => [rule, ...listRules(rule.children)])
}

/** Markers are drawn on all geometries, at their middle. */
function isDrawnOn(layer: SymbolLayer, family: GeometryFamily): boolean {
  if ('size' in layer || family === 'POLYGON') return true
  return family === 'LINESTRING' && (layer.kind === 'line' || layer.kind === 'marker_line')
}
