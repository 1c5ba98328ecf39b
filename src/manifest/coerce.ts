import type { Fault } from '../contract/validate.ts'
import { findAtPointer, type Pointer, parentPointer, splitPointer } from '../core/pointer.ts'
import { coerceString } from '../document/resolve_values.ts'
import { parseExpressions } from '../document/value_expression.ts'
import { setOwn } from '../document/yaml_node.ts'

/** A value to check, and where its expressions are; pointers start at the value. */
export interface Coercible {
  readonly value: Readonly<Record<string, unknown>>
  /** Text of the file by pointer; undefined where no expression went into the value. */
  readonly expressionAt: (pointer: Pointer) => string | undefined
  readonly check: (value: unknown) => readonly Fault[]
}

/**
 * Gives a text that is nothing but `${env.NAME}` the type the schema wants: what does not fit as a text is taken as
 * what YAML reads in it, if that fits. So `port: ${env.PORT}` is a number and `description: ${env.YEAR}` a text.
 */
export function coerceExpressions({ value, expressionAt, check }: Coercible): {
  readonly value: Readonly<Record<string, unknown>>
  readonly faults: readonly Fault[]
} {
  const faults = check(value)
  if (faults.length === 0) return { value, faults }
  const changes = new Map<Pointer, unknown>()
  for (const { kind, pointer } of faults) {
    const isWhole = kind === 'bad-value' && isWholeExpression(expressionAt(pointer))
    const coerced = isWhole ? coerceString(String(findAtPointer(value, pointer))) : undefined
    if (coerced !== undefined) changes.set(pointer, coerced)
  }
  if (changes.size === 0) return { value, faults }
  const unfit = new Set(check(copyWith(value, changes)).map(({ pointer }) => pointer))
  for (const pointer of unfit) changes.delete(pointer)
  const coerced = copyWith(value, changes)
  return { value: coerced, faults: check(coerced) }
}

function isWholeExpression(text: string | undefined): boolean {
  if (text === undefined) return false
  const parts = parseExpressions(text)
  return parts.length === 1 && parts[0]?.kind === 'variable'
}

function copyWith<T>(value: T, changes: ReadonlyMap<Pointer, unknown>): T {
  const copy = structuredClone(value)
  for (const [pointer, change] of changes) {
    const holder = findAtPointer(copy, parentPointer(pointer))
    setOwn(holder as Record<string, unknown>, splitPointer(pointer).at(-1) ?? '', change)
  }
  return copy
}
