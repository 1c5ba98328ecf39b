import type { DataDefined, Length, MapSymbol, SymbolLayer } from '../../style/symbol_layer.ts'

/** A symbol with all lengths in pixels. */
export type PixelSymbol = MapSymbol<number>

/** A layer of a symbol with all lengths in pixels. */
export type PixelLayer = SymbolLayer<number>

/** Value of a data-defined property for a feature. */
export type PropertyValue = (expression: DataDefined[string]) => unknown

/** What the values of a symbol depend on. */
export interface SymbolContext {
  /** Pixels per unit of the map. */
  readonly pixelsPerMapUnit: number
  /** Absent: data-defined properties keep their fixed values. */
  readonly valueOf?: PropertyValue
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
  if (Array.isArray(value)) return value.map((item) => resolve(item, context))
  if (typeof value !== 'object' || value === null) return value
  if ('mapUnits' in value) return pixelsOf(value as Exclude<Length, number>, context)
  const { dataDefined, ...fixed } = value as Record<string, unknown>
  const resolved = Object.fromEntries(
    Object.entries(fixed).map(([name, inner]) => [name, resolve(inner, context)]),
  )
  if (dataDefined !== undefined) applyValues(resolved, dataDefined as DataDefined, context)
  return resolved.isDashRelative === true ? scaleDash(resolved) : resolved
}

function pixelsOf(
  { mapUnits, minPixels = 0, maxPixels = Number.POSITIVE_INFINITY }: Exclude<Length, number>,
  { pixelsPerMapUnit }: SymbolContext,
): number {
  return Math.min(maxPixels, Math.max(minPixels, mapUnits * pixelsPerMapUnit))
}

function applyValues(
  target: Record<string, unknown>,
  dataDefined: DataDefined,
  context: SymbolContext,
): void {
  if (context.valueOf === undefined) return
  for (const [path, expression] of Object.entries(dataDefined)) {
    const value = context.valueOf(expression)
    // Without a value, the fixed one remains.
    if (value !== null && value !== undefined) setValue(target, path.split('.'), value)
  }
}

function setValue(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length > 0) {
    const inner = target[name]
    if (typeof inner === 'object' && inner !== null) setValue(inner as Record<string, unknown>, rest, value)
    return
  }
  const given = fittingValue(target[name], value)
  if (given !== undefined) target[name] = name === 'opacity' ? Number(given) / 100 : given
}

/** Converts a value to the type of a property; undefined if that is impossible. */
function fittingValue(current: unknown, value: unknown): unknown {
  if (typeof current === 'number') {
    const number = Number(value)
    return Number.isFinite(number) ? number : undefined
  }
  if (Array.isArray(current)) {
    const numbers = String(value).split(/[,;]/).map(Number)
    return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : undefined
  }
  if (typeof current === 'boolean') return value === true || value === 1
  return typeof value === 'string' ? value : undefined
}

function scaleDash(stroke: Record<string, unknown>): Record<string, unknown> {
  const width = Math.max(1, Number(stroke.width) || 0)
  const dash = (stroke.dash as readonly number[]).map((length) => length * width)
  return { ...stroke, dash, dashOffset: Number(stroke.dashOffset) * width, isDashRelative: false }
}
