import { type MarkerShape, markerShapes } from './symbol_layer.ts'

const synonyms: Readonly<Record<string, MarkerShape>> = {
  rectangle: 'square',
  regular_star: 'star',
  x: 'cross2',
}

/** Finds a shape of simple markers by its name in QGIS; undefined if there is no such shape. */
export function findMarkerShape(name: string): MarkerShape | undefined {
  const folded = name.trim().toLowerCase()
  if (Object.hasOwn(synonyms, folded)) return synonyms[folded]
  return markerShapes.find((shape) => shape === folded)
}
