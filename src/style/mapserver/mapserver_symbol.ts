import { childrenOf, type ElementContext, readParts, readValue, warn } from '../xml/element_reader.ts'
import type { Marker } from './mapserver_model.ts'

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
export type Symbols = ReadonlyMap<string, Marker>

/**
 * Reads the symbol definitions of a map. An ellipse is a circle, a hatch a hatch; others are matched by name. Reports shapes,
 * images and letters, which are not drawn.
 */
export function readSymbols(map: ElementContext): Symbols {
  const symbols = new Map<string, Marker>()
  for (const context of childrenOf(map, 'symbol')) {
    const { name, type } = readParts<{ name: string; type: string }>(context, {
      children: {
        name: (at) => part('name', readValue(at)),
        type: (at) => part('type', readValue(at)),
        points: () => ({}),
        filled: () => ({}),
        image: () => ({}),
        anchorpoint: () => ({}),
      },
    })
    if (name === undefined) continue
    const known = markerOfType(type) ?? markerNamed(name)
    if (type !== undefined && undrawn.includes(type)) {
      const drawn = known === undefined || known === 'hatch' ? 'circle' : known
      const message = `symbol "${name}" of type ${type} is drawn as the common symbol ${drawn}`
      warn(context, context.element.span, { message })
      symbols.set(name, drawn)
    } else if (known !== undefined) symbols.set(name, known)
  }
  return symbols
}

/** Reads the symbol reference of a style. */
export function readMarker(context: ElementContext, symbols: Symbols): { marker?: Marker; hasSymbol?: true } {
  const name = readValue(context)
  if (name === undefined) return {}
  const marker = symbols.get(name) ?? markerNamed(name)
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
