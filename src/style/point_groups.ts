import type { Color } from './color.ts'
import type { Length, MapSymbol } from './symbol_layer.ts'

/** Points that lie close together, drawn as one; the rules of the style draw the others, and those of displaced groups. */
export interface PointGroups {
  /** How far a point may lie from the first point of its group, horizontally and vertically. */
  readonly distance: Length
  /** Symbol of a group, or at the middle of its displaced points. */
  readonly symbol: MapSymbol
  /** Absent: the symbol stands for all points of a group. */
  readonly displacement?: Displacement
}

/** Places of displaced points. */
export const displacedPlacements = ['ring', 'concentric_rings', 'grid'] as const

/** How the points of a group are drawn around their middle. */
export interface Displacement {
  readonly placement: (typeof displacedPlacements)[number]
  /** Added to the radius of rings, and to the distance of points in grids. */
  readonly spacing: Length
  /** Lines of rings and grids; absent if there are none. */
  readonly line?: { readonly color: Color; readonly width: Length }
}
