import { childrenOf, type ElementContext, readParts, readValue, warn } from './element_reader.ts'
import type { Marker } from './page_style.ts'

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
  star: 'star',
  cross: 'cross',
  plus: 'cross',
  x: 'x',
}

/** Symbols by name. */
export type Symbols = ReadonlyMap<string, Marker>

/** Reads the symbol definitions of a map. An ellipse is a circle; others are matched by name. */
export function readSymbols(map: ElementContext): Symbols {
  const symbols = new Map<string, Marker>()
  for (const context of childrenOf(map, 'symbol')) {
    const { name, type } = readParts<{ name: string; type: string }>(context, {
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

/** Reads the symbol reference of a style. */
export function readMarker(context: ElementContext, symbols: Symbols): { marker?: Marker } {
  const name = readValue(context)
  if (name === undefined) return {}
  const marker = symbols.get(name) ?? markerNamed(name)
  if (marker !== undefined) return { marker }
  warn(context, context.element.span, { message: `unknown symbol "${name}"; drawn as a circle` })
  return {}
}

function markerNamed(name: string): Marker | undefined {
  const plain = name.replace(/^std:/, '').toLowerCase()
  return Object.hasOwn(builtIn, plain) ? builtIn[plain] : undefined
}

const part = <K extends string>(name: K, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [N in K]?: string }
