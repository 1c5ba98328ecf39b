import { type Cls, descriptorOf } from '../../../contract/registry.ts'
import { hasReference, mapReferences, targetIdOf } from '../../../contract/schema/references.ts'
import type { Schema } from '../../../contract/schema/schema.ts'
import type { Manifest, WantedResource } from '../../../manifest/manifest.ts'

/**
 * Replaces references by id, `{ id: 7 }`, to resources of the same manifest with their keys, so that both notations are equal
 * wherever they are compared, recorded and ordered. Returns the same manifest if it has none.
 *
 * @param keyOf keys by id of the matched resources
 */
export function nameTargets(manifest: Manifest, keyOf: ReadonlyMap<number, string>): Manifest {
  const byId = [...manifest.resources.values()].filter(refersById)
  if (byId.length === 0) return manifest
  const resources = new Map(manifest.resources)
  for (const wanted of byId) resources.set(wanted.key, nameInMembers(wanted, keyOf))
  return { ...manifest, resources }
}

/** Tells whether a resource refers to others by id. */
function refersById({ cls, members }: WantedResource): boolean {
  if (cls === undefined) return false
  const schemas = schemasOf(cls)
  for (const member in members) {
    const schema = schemas[member]
    if (schema !== undefined && hasReference(schema, members[member], isById)) return true
  }
  return false
}

const isById: Parameters<typeof hasReference>[2] = ({ target, value }) =>
  target !== 'principal' && typeof value !== 'string'

const schemasOf = (cls: Cls) => descriptorOf(cls).members as Readonly<Record<string, Schema>>

function nameInMembers(wanted: WantedResource, keyOf: ReadonlyMap<number, string>): WantedResource {
  const { cls } = wanted
  if (cls === undefined) return wanted
  const schemas = schemasOf(cls)
  const members = Object.entries(wanted.members).map(([member, fields]) => {
    const schema = schemas[member]
    return [member, schema === undefined ? fields : nameReferences(schema, fields, keyOf)]
  })
  return { ...wanted, members: Object.fromEntries(members) as WantedResource['members'] }
}

function nameReferences(schema: Schema, fields: unknown, keyOf: ReadonlyMap<number, string>): unknown {
  return mapReferences(schema, fields, ({ target, value }) => {
    const id = targetIdOf(value)
    const key = target === 'principal' || typeof id !== 'number' ? undefined : keyOf.get(id)
    return key ?? value
  })
}
