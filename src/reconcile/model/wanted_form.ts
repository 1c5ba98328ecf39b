import type { Reference } from '../../contract/descriptor.ts'
import { type FoundReference, mapReferences, targetIdOf } from '../../contract/references.ts'
import type { Schema } from '../../contract/schema.ts'
import type { Principals } from './principals.ts'

/** Names that replace ids in manifest form. */
export interface Names {
  /** Keys by id, of resources of the manifest that keep their id. */
  readonly keyOf: ReadonlyMap<number, string>
  readonly principals: Principals
}

/** Converts an API value to manifest form: ids become keys; resources outside the manifest stay `{id}`. */
export function toWantedForm(schema: Schema, value: unknown, names: Names): unknown {
  return mapReferences(schema, value, (found) => nameReference(found, names))
}

/** Returns the manifest form of an API reference. */
export function nameReference({ target, value }: FoundReference, { keyOf, principals }: Names): unknown {
  const id = idOf(value)
  if (id === undefined) return value
  if (target === 'principal') return principals.nameOf(id)
  return keyOf.get(id) ?? { id }
}

function idOf(value: unknown): number | undefined {
  const id = targetIdOf(value)
  return typeof id === 'number' ? id : undefined
}

/** Resolves a name of a manifest to an id, or to the local name of a resource that the same request creates. */
export type FindId = (name: string, target: Reference | 'principal') => number | string | undefined

/** Converts a value in manifest form to the API form. Omits names without an id. */
export function toWire(schema: Schema, value: unknown, findId: FindId): unknown {
  return mapReferences(schema, value, ({ target, value: name }) => {
    const id = typeof name === 'string' ? findId(name, target) : idOf(name)
    if (id === undefined) return undefined
    return target !== 'principal' && target.form === 'id' ? id : { id }
  })
}
