import { WebmapItemSchema } from '../classes/webmap.ts'
import { annotationsOf, type Reference } from '../descriptor.ts'
import { type Cls, descriptorOf } from '../registry.ts'
import type { Schema } from './schema.ts'

/** Field whose values reference resources. */
export interface ReferenceField {
  /** Dotted path from the member to the field; lists add no segment. */
  readonly path: string
  readonly target: Reference
}

/** Lists the readable fields of a class that reference other resources. */
export function listReferenceFields(cls: Cls): ReferenceField[] {
  return Object.entries(descriptorOf(cls).members).flatMap(([member, schema]) => [
    ...gather(schema as Schema, member, new Set()),
  ])
}

function* gather(schema: Schema, path: string, open: ReadonlySet<Schema>): Generator<ReferenceField> {
  const { 'x-ref': target, writeOnly } = annotationsOf(schema)
  if (writeOnly) return
  if (target !== undefined) {
    yield { path, target }
    return
  }
  const actual = schema.$ref === undefined ? schema : (WebmapItemSchema as Schema)
  // Groups are nested.
  if (open.has(actual)) return
  const inside = new Set([...open, actual])
  for (const part of [
    ...(actual.anyOf ?? []),
    ...(actual.oneOf ?? []),
    ...(actual.items ? [actual.items] : []),
  ])
    yield* gather(part, path, inside)
  for (const [name, field] of Object.entries(actual.properties ?? {}))
    yield* gather(field, `${path}.${name}`, inside)
}
