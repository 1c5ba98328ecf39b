import { findQtColor } from '../../style/color.ts'
import type { Expression, Value } from '../../style/expression.ts'
import { type MapLength, type MapSymbol, markerShapes, type SymbolLayer } from '../../style/symbol_layer.ts'

/** A symbol with all lengths in pixels. */
export type PixelSymbol = MapSymbol<number>

/** A layer of a symbol with all lengths in pixels. */
export type PixelLayer = SymbolLayer<number>

/** Value of a data-defined property for a feature. */
export type PropertyValue = (expression: Expression) => Value

/** What the values of a symbol depend on. */
export interface SymbolContext {
  /** Pixels per unit of the map. */
  readonly pixelsPerMapUnit: number
  /** Absent: data-defined properties keep their fixed values. */
  readonly evaluate?: PropertyValue
}

/** Returns whether a symbol or any of its layers depends on the feature. */
export function isDataDefined(symbol: MapSymbol): boolean {
  return hasKey(symbol, 'dataDefined')
}

/** Returns a symbol with the values for a feature and all lengths in pixels. */
export function resolveSymbol(symbol: MapSymbol, context: SymbolContext): PixelSymbol {
  return resolve(symbol, context) as PixelSymbol
}

function hasKey(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Object.hasOwn(value, key)) return true
  return Object.values(value).some((inner) => hasKey(inner, key))
}

// Generic over all kinds of layers: a length in map units is the only object with this member.
function resolve(value: unknown, context: SymbolContext): unknown {
  if (Array.isArray(value))
    return value.map((item) => resolve(item, context)).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  if (isMapLength(value)) return pixelsOf(value, context)
  const members = applyValues(value as Members, context)
  if (members === undefined) return undefined
  const resolved = Object.fromEntries(
    Object.entries(members).map(([name, inner]) => [name, resolve(inner, context)]),
  )
  return resolved.isDashRelative === true ? scaleDash(resolved) : resolved
}

type Members = Readonly<Record<string, unknown>>

function isMapLength(value: object): value is MapLength {
  return 'mapUnits' in value
}

function pixelsOf(
  { mapUnits, minPixels = 0, maxPixels = Number.POSITIVE_INFINITY }: MapLength,
  { pixelsPerMapUnit }: SymbolContext,
): number {
  return Math.min(maxPixels, Math.max(minPixels, mapUnits * pixelsPerMapUnit))
}

/** Returns the members of a symbol or layer with the values for the feature; undefined if it is not drawn. */
function applyValues({ dataDefined, ...members }: Members, { evaluate }: SymbolContext): Members | undefined {
  if (dataDefined === undefined || evaluate === undefined) return members
  let applied: Members = members
  for (const [path, expression] of Object.entries(dataDefined as Readonly<Record<string, Expression>>)) {
    const value = evaluate(expression)
    if (path === 'isDrawn' && (value === false || value === 0)) return undefined
    if (value !== null) applied = withValue(applied, path.split('.'), value)
  }
  return applied
}

function withValue(members: Members, [name = '', ...rest]: readonly string[], value: Value): Members {
  const current = members[name]
  if (rest.length > 0) {
    const isObject = typeof current === 'object' && current !== null
    return isObject ? { ...members, [name]: withValue(current as Members, rest, value) } : members
  }
  const fitting = fittingValue(name, current, value)
  return fitting === undefined ? members : { ...members, [name]: fitting }
}

/** Converts a value to the type of a property; undefined if that is impossible. */
function fittingValue(name: string, current: unknown, value: Value): unknown {
  if (name === 'shape') return markerShapes.find((shape) => shape === value)
  if (colorNames.has(name)) return findQtColor(String(value))
  const number = Number(value)
  if (!Number.isFinite(number) || value === '') return undefined
  if (name === 'opacity') return number / 100
  const isLength = typeof current === 'object' && current !== null && isMapLength(current)
  return isLength ? { ...current, mapUnits: number } : number
}

const colorNames = new Set(['fill', 'color', 'outline'])

function scaleDash(stroke: Members): Members {
  const width = Math.max(1, Number(stroke.width) || 0)
  const dash = (stroke.dash as readonly number[]).map((length) => length * width)
  return { ...stroke, dash, dashOffset: Number(stroke.dashOffset) * width, isDashRelative: false }
}
