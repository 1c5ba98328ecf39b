import type { Pointer } from '../core/pointer.ts'
import type { Annotations, Reference } from './descriptor.ts'
import { mapValue, mentioning, parts } from './map_value.ts'
import type { Schema } from './schema.ts'

/** One reference met in a value. */
export interface FoundReference {
  /** What it may point at; `principal` for users and groups. */
  readonly target: Reference | 'principal'
  readonly pointer: Pointer
  /** The value that stands there: id, `{id}`, or what a manifest writes instead. */
  readonly value: unknown
}

/** Gives what is to stand in the place of a reference. */
export type ReplaceReference = (found: FoundReference) => unknown

const mentionsReferences = mentioning(['x-ref', 'x-principal'])

/**
 * Copies a value, putting something else in the place of each reference. Walks by the schema's `x-ref` and
 * `x-principal`, so that no place can be forgotten; parts that hold no reference are taken over as they are.
 */
export function mapReferences(schema: object, value: unknown, replace: ReplaceReference): unknown {
  return mapValue(schema as Schema, value, {
    concerns: mentionsReferences,
    hasPointers: true,
    replace: (words, found, pointer) => {
      const target = targetOf(words)
      return target === undefined ? parts : replace({ target, pointer, value: found })
    },
  })
}

/** Lists the references of a value, in the order they stand. */
export function findReferences(schema: object, value: unknown): FoundReference[] {
  const found: FoundReference[] = []
  mapReferences(schema, value, (reference) => {
    found.push(reference)
    return reference.value
  })
  return found
}

/** Gives what a schema with these words refers to; undefined where it is no reference. */
export function targetOf(words: Annotations): FoundReference['target'] | undefined {
  return words['x-ref'] ?? (words['x-principal'] ? 'principal' : undefined)
}

/** Gives what a reference of the wire names its target by, in whichever of its two forms it stands: `{id}` or the id. */
export function targetIdOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
}
