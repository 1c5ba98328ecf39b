import { annotationsOf } from '../descriptor.ts'
import { mapValue, parts, type ValueMapping } from '../map_value.ts'
import { type Cls, descriptorOf } from '../registry.ts'
import type { Schema } from './schema.ts'

type Members = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * Removes default values and wire-only nulls from the lists and trees in the members of a class; readers know the
 * defaults. The attributes themselves stay, since an absent attribute means one that the caller cannot read.
 */
export function withoutDefaults<T extends object>(cls: Cls, members: T): T {
  const compact: Record<string, Readonly<Record<string, unknown>>> = { ...(members as unknown as Members) }
  for (const [name, { properties }] of Object.entries(descriptorOf(cls).members)) {
    const values = compact[name]
    if (values === undefined) continue
    const schemas = properties as Readonly<Record<string, Schema>>
    const own: Record<string, unknown> = { ...values }
    for (const [field, value] of Object.entries(values)) {
      const schema = schemas[field]
      if (schema !== undefined && typeof value === 'object' && value !== null)
        own[field] = mapValue(schema, value, compacting)
    }
    compact[name] = own
  }
  return compact as T
}

const compacting: ValueMapping = {
  replace: () => parts,
  members: (properties, value) => {
    const kept: Record<string, unknown> = {}
    for (const [name, part] of Object.entries(value)) {
      const schema = properties[name]
      if (schema === undefined || !isImplied(schema, part)) kept[name] = part
    }
    return kept
  },
}

function isImplied(schema: Schema, value: unknown): boolean {
  if (schema.default !== undefined) return value === schema.default
  const words = annotationsOf(schema)
  return value === null && (words.readOnly === true || words['x-wire'] === true)
}
