import type { Pointer } from '../../core/pointer.ts'
import type { Annotations, Reference } from '../descriptor.ts'
import { mapValue, mentioning, parts, pointerAt } from '../map_value.ts'
import type { Schema } from './schema.ts'

/** Reference found in a value. */
export interface FoundReference {
  /** Allowed classes of the target; `principal` for users and groups. */
  readonly target: Reference | 'principal'
  readonly pointer: Pointer
  /** Value of the reference: id, `{id}`, or the notation of a manifest. */
  readonly value: unknown
}

/** Returns the replacement of a reference. */
export type ReplaceReference = (found: FoundReference) => unknown

const mentionsReferences = mentioning(['x-ref', 'x-principal'])

/**
 * Copies a value, replacing each reference. Finds references by the schema's `x-ref` and `x-principal`; parts without
 * references are copied by reference.
 */
export function mapReferences(schema: object, value: unknown, replace: ReplaceReference): unknown {
  return mapValue(schema as Schema, value, {
    concerns: mentionsReferences,
    replace: (words, found, place) => {
      const target = targetOf(words)
      return target === undefined ? parts : replace({ target, pointer: pointerAt(place), value: found })
    },
  })
}

/** Tells whether a value has a reference that meets a condition. Cheap: without pointers. */
export function hasReference(
  schema: object,
  value: unknown,
  meets: (found: Omit<FoundReference, 'pointer'>) => boolean,
): boolean {
  let isFound = false
  mapValue(schema as Schema, value, {
    concerns: mentionsReferences,
    replace: (words, found) => {
      const target = targetOf(words)
      if (target === undefined) return parts
      isFound ||= meets({ target, value: found })
      return found
    },
  })
  return isFound
}

/** Lists the references in a value, in their order. */
export function findReferences(schema: object, value: unknown): FoundReference[] {
  const found: FoundReference[] = []
  mapReferences(schema, value, (reference) => {
    found.push(reference)
    return reference.value
  })
  return found
}

/** Returns the target of a schema with these keywords; undefined if it is not a reference. */
export function targetOf(words: Annotations): FoundReference['target'] | undefined {
  return words['x-ref'] ?? (words['x-principal'] ? 'principal' : undefined)
}

/** Returns the id in a reference on the wire, written as `{id}` or as the id. */
export function targetIdOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
}
