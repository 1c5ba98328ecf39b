import type { Rule, Style } from './style_model.ts'
import type { MapSymbol, MarkerPlacement } from './symbol_layer.ts'

/** Whether markers of a placement are at each vertex or segment of a line, so that they depend on vertices that change no shape. */
const isAtVertices: Readonly<Record<MarkerPlacement, boolean>> = {
  interval: false,
  vertex: true,
  inner_vertices: true,
  first_vertex: false,
  last_vertex: false,
  central_point: false,
  segment_center: true,
}

/** Reports whether a style has markers at the vertices or segments of lines. */
export function hasVertexMarkers({ rules }: Pick<Style, 'rules'>): boolean {
  return rules.some(ofRule)
}

function ofRule({ symbol, children }: Rule): boolean {
  return (symbol !== undefined && ofSymbol(symbol)) || children.some(ofRule)
}

function ofSymbol({ layers }: MapSymbol): boolean {
  return layers.some(
    (layer) => layer.kind === 'marker_line' && layer.placements.some((placement) => isAtVertices[placement]),
  )
}
