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

/** Lists the symbols of rules and of those below them. */
export function listSymbols(rules: readonly Rule[]): MapSymbol[] {
  return rules.flatMap(({ symbol, children }) => [
    ...(symbol === undefined ? [] : [symbol]),
    ...listSymbols(children),
  ])
}

/** Reports whether a style has markers at the vertices or segments of lines. */
export function hasVertexMarkers({ rules }: Pick<Style, 'rules'>): boolean {
  return listSymbols(rules).some(({ layers }) =>
    layers.some(
      (layer) =>
        layer.kind === 'marker_line' && layer.placements.some((placement) => isAtVertices[placement]),
    ),
  )
}
