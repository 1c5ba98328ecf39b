import { childrenOf, type ElementContext, readParts, readValue, warn } from '../xml/element_reader.ts'
import type { Marker, VectorShape } from './mapserver_model.ts'
import { readShapeParts } from './mapserver_shape.ts'

/** Common names of symbols that styles use without defining them. */
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
  'triangle-rotated': 'triangle-rotated',
  'triangle-equilateral': 'triangle-equilateral',
  star: 'star',
  pentagon: 'pentagon',
  arrow: 'arrow',
  arrowhead: 'arrowhead',
  cross: 'cross',
  plus: 'cross',
  x: 'x',
  xcross: 'x',
  cross2: 'x',
  line: 'line',
  hatch: 'hatch',
}

/** Symbols by name. */
export type Symbols = ReadonlyMap<string, Marker | VectorShape>

/**
 * Reads the symbol definitions of a map. An ellipse is a circle, a hatch a hatch, a vector its shape; others are matched by name.
 * Reports images and letters, which are not drawn.
 */
export function readSymbols(map: ElementContext): Symbols {
  const symbols = new Map<string, Marker | VectorShape>()
  for (const context of childrenOf(map, 'symbol')) {
    const { name, type, points, filled } = readParts<SymbolParts>(context, {
      children: {
        name: (at) => part('name', readValue(at)),
        type: (at) => part('type', readValue(at)),
        points: (at) => part('points', readValue(at)),
        filled: (at) => part('filled', readValue(at)),
        image: () => ({}),
        anchorpoint: () => ({}),
      },
    })
    if (name === undefined) continue
    const known = markerOfType(type) ?? markerNamed(name)
    const parts = type === 'vector' ? readShapeParts(points ?? '') : undefined
    if (parts !== undefined) symbols.set(name, { name, parts, isFilled: filled?.toLowerCase() === 'true' })
    else if (type !== undefined && undrawn.includes(type)) {
      const drawn = known === undefined || known === 'hatch' ? 'circle' : known
      const message = `symbol "${name}" of type ${type} is drawn as the common symbol ${drawn}`
      warn(context, context.element.span, { message })
      symbols.set(name, drawn)
    } else if (known !== undefined) symbols.set(name, known)
  }
  return symbols
}

interface SymbolParts {
  readonly name: string
  readonly type: string
  readonly points: string
  readonly filled: string
}

/** Reads the symbol reference of a style. */
export function readMarker(
  context: ElementContext,
  symbols: Symbols,
): { marker?: Marker; shape?: VectorShape; hasSymbol?: true } {
  const name = readValue(context)
  if (name === undefined) return {}
  const marker = symbols.get(name) ?? markerNamed(name)
  if (typeof marker === 'object') return { shape: marker, hasSymbol: true }
  if (marker !== undefined) return marker === 'circle' ? { marker, hasSymbol: true } : { marker }
  warn(context, context.element.span, { message: `unknown symbol "${name}"; drawn as a circle` })
  return {}
}

/** Types of symbols that are not drawn as they are defined. */
const undrawn: readonly string[] = ['vector', 'pixmap', 'truetype', 'svg']

function markerOfType(type: string | undefined): Marker | undefined {
  if (type === 'ellipse') return 'circle'
  return type === 'hatch' ? 'hatch' : undefined
}

function markerNamed(name: string): Marker | undefined {
  const plain = name.replace(/^std:/, '').toLowerCase()
  return Object.hasOwn(builtIn, plain) ? builtIn[plain] : undefined
}

const part = <K extends string>(name: K, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [N in K]?: string }

/** Returns the name of a marker in the symbols of the original server. */
export function symbolNameOf(marker: Marker): string {
  if (marker === 'square') return 'std:rectangle'
  return marker === 'x' ? 'std:xcross' : `std:${marker}`
}
