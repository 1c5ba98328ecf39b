import type { SvgMarker } from '../../style/symbol_layer.ts'

/** Markers that share one image, by their keys. */
export interface SimilarMarkers {
  /** The largest, whose image is drawn, and scaled for the others. */
  readonly drawn: SvgMarker<number>
  readonly keys: readonly string[]
}

/** Maximum number of images that are drawn exactly, and of those of similar markers. */
const limits = { exact: 64, similar: 500 }

/** Steps to which sizes are rounded where there are many: per doubling of a size, and per pixel of the width of outlines. */
const steps = { size: 32, outlineWidth: 16 }

/** How often steps are doubled at most, which leaves three bits of each part of a colour. */
const maxLevel = 5

/** A marker with its key, and the number of its picture. */
interface NumberedMarker {
  readonly key: string
  readonly marker: SvgMarker<number>
  readonly source: number
}

/**
 * Groups markers so that few images are drawn: each marker by itself where they are few, else those whose differences are not seen.
 * More markers than that have coarser steps. Different pictures are never grouped.
 */
export function groupSimilar(markers: ReadonlyMap<string, SvgMarker<number>>): readonly SimilarMarkers[] {
  if (markers.size <= limits.exact) return [...markers].map(([key, drawn]) => ({ drawn, keys: [key] }))
  const numbered = numberSources(markers)
  for (let level = 0; ; level += 1) {
    const groups = groupAt(numbered, level)
    if (groups.length <= limits.similar || level === maxLevel) return groups
  }
}

/** Numbers pictures, which may be long and are compared often. */
function numberSources(markers: ReadonlyMap<string, SvgMarker<number>>): readonly NumberedMarker[] {
  const numbers = new Map<string, number>()
  return [...markers].map(([key, marker]) => {
    const { source } = marker
    const text = 'svg' in source ? source.svg : source.path
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return { key, marker, source: number }
  })
}

function groupAt(markers: readonly NumberedMarker[], level: number): readonly SimilarMarkers[] {
  const groups = new Map<string, { drawn: SvgMarker<number>; keys: string[] }>()
  for (const one of markers) {
    const { key, marker } = one
    const similar = similarKey(one, level)
    const group = groups.get(similar)
    if (group === undefined) {
      groups.set(similar, { drawn: marker, keys: [key] })
      continue
    }
    group.keys.push(key)
    if (marker.size > group.drawn.size) group.drawn = marker
  }
  return [...groups.values()]
}

function similarKey({ marker, source }: NumberedMarker, level: number): string {
  const { fill, outline, outlineWidth, size, aspectRatio } = marker
  const step = 2 ** level
  const colors = [fill, outline].map((color) => coarseColor(color, level))
  const width = Math.round((outlineWidth * steps.outlineWidth) / step)
  const octave = Math.ceil((Math.log2(Math.max(size, 0)) * steps.size) / step)
  const ratio = Math.ceil((Math.log2(Math.max(aspectRatio, 0)) * steps.size) / step)
  return [source, ...colors, width, octave, ratio].join(' ')
}

/** Returns a colour without the last bits of its parts. */
function coarseColor(color: string, level: number): string {
  if (level === 0) return color
  const parts = color.slice(1).match(/../g) ?? []
  return parts.map((part) => Number.parseInt(part, 16) >> level).join()
}
