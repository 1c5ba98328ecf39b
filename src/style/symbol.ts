import { childrenOf, type Place, readParts, readValue, warn } from './reading.ts'
import type { Marker } from './style.ts'

/** Names that styles in the wild give to symbols they do not define. */
const builtIn: Readonly<Record<string, Marker>> = {
  circle: 'circle',
  ellipse: 'circle',
  point: 'circle',
  square: 'square',
  rectangle: 'square',
  box: 'square',
  diamond: 'diamond',
  rhombus: 'diamond',
  triangle: 'triangle',
  star: 'star',
  cross: 'cross',
  plus: 'cross',
  x: 'x',
}

/** Symbols by name. */
export type Symbols = ReadonlyMap<string, Marker>

/** Reads the symbols that a map defines. An ellipse is a circle; others go by their names. */
export function readSymbols(map: Place): Symbols {
  const symbols = new Map<string, Marker>()
  for (const place of childrenOf(map, 'symbol')) {
    const { name, type } = readParts<{ name: string; type: string }>(place, {
      children: {
        name: (at) => part('name', readValue(at)),
        type: (at) => part('type', readValue(at)),
        points: () => ({}),
        filled: () => ({}),
      },
    })
    const marker = type === 'ellipse' ? 'circle' : markerNamed(name ?? '')
    if (name !== undefined && marker !== undefined) symbols.set(name, marker)
  }
  return symbols
}

/** Reads the symbol that a style names. */
export function readMarker(place: Place, symbols: Symbols): { marker?: Marker } {
  const name = readValue(place)
  if (name === undefined) return {}
  const marker = symbols.get(name) ?? markerNamed(name)
  if (marker !== undefined) return { marker }
  warn(place, place.element.span, { message: `symbol "${name}" is not known: circles are drawn` })
  return {}
}

function markerNamed(name: string): Marker | undefined {
  const plain = name.replace(/^std:/, '').toLowerCase()
  return Object.hasOwn(builtIn, plain) ? builtIn[plain] : undefined
}

const part = <K extends string>(name: K, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [N in K]?: string }
