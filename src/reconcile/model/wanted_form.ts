import type { Reference } from '../../contract/descriptor.ts'
import { type FoundReference, mapReferences, targetIdOf } from '../../contract/references.ts'
import type { Schema } from '../../contract/schema.ts'
import type { Principals } from './principals.ts'

/** What turns ids into the words of a manifest. */
export interface Names {
  /** Key by id, for the resources that the manifest names and that keep their id. */
  readonly keyOf: ReadonlyMap<number, string>
  readonly principals: Principals
}

/** Copies a value of the wire, with keys in the place of ids; resources the manifest does not name stay `{id}`. */
export function toWantedForm(schema: Schema, value: unknown, names: Names): unknown {
  return mapReferences(schema, value, (found) => nameReference(found, names))
}

/** Gives the word a manifest has for a reference of the wire. */
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

/**
 * Finds what a word of a manifest stands for: an id, or the local name of what the same request creates. Undefined
 * where there is neither (yet).
 */
export type FindId = (name: string, target: Reference | 'principal') => number | string | undefined

/** Copies a value in the words of a manifest into the form of the wire. Names without an id are left out. */
export function toWire(schema: Schema, value: unknown, findId: FindId): unknown {
  return mapReferences(schema, value, ({ target, value: name }) => {
    const id = typeof name === 'string' ? findId(name, target) : idOf(name)
    if (id === undefined) return undefined
    return target !== 'principal' && target.form === 'id' ? id : { id }
  })
}
