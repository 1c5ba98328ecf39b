import type { Pointer } from '../../core/pointer.ts'
import type { Annotations, Reference } from '../descriptor.ts'
import { mapValue, mentioning, parts } from '../map_value.ts'
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
    hasPointers: true,
    replace: (words, found, pointer) => {
      const target = targetOf(words)
      return target === undefined ? parts : replace({ target, pointer, value: found })
    },
  })
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
