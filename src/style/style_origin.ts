import type { Span } from '../core/span.ts'

/** Beside the rules, symbols and labels, which are plain data: equal ones may come from different places. */
const origins = new WeakMap<object, Span>()

/** Remembers where a part of a style was read, if that is known, and returns the part. */
export function withOrigin<T extends object>(part: T, span: Span | undefined): T {
  if (span !== undefined) origins.set(part, span)
  return part
}

/** Returns where the first of some parts whose origin is known was read. */
export function findOrigin(...parts: readonly (object | undefined)[]): Span | undefined {
  return parts.map((part) => part && origins.get(part)).find((span) => span !== undefined)
}
