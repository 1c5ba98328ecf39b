import { descriptorOf } from '../../../contract/registry.ts'
import { mapReferences, targetIdOf } from '../../../contract/schema/references.ts'
import type { Schema } from '../../../contract/schema/schema.ts'
import type { Manifest, WantedResource } from '../../../manifest/manifest.ts'
import { listReferences } from '../../../manifest/references.ts'

/**
 * Replaces references by id, `{ id: 7 }`, to resources of the same manifest with their keys, so that both notations are equal
 * wherever they are compared, recorded and ordered. Returns the same manifest if it has none.
 *
 * @param keyOf keys by id of the matched resources
 */
export function nameTargets(manifest: Manifest, keyOf: ReadonlyMap<number, string>): Manifest {
  const named = listByIds(manifest).flatMap((key) => {
    const wanted = manifest.resources.get(key)
    return wanted === undefined ? [] : [[key, nameInMembers(wanted, keyOf)] as const]
  })
  if (named.length === 0) return manifest
  const resources = new Map(manifest.resources)
  for (const [key, wanted] of named) resources.set(key, wanted)
  return { ...manifest, resources }
}

/** Of a manifest, several plans are computed until everything that they need is read. */
const known = new WeakMap<Manifest, readonly string[]>()

/** Lists the keys of resources that refer to others by id. */
function listByIds(manifest: Manifest): readonly string[] {
  const found =
    known.get(manifest) ??
    [...manifest.resources.values()].flatMap((wanted) =>
      listReferences(wanted).some((one) => one.target !== 'principal' && one.key === undefined)
        ? [wanted.key]
        : [],
    )
  known.set(manifest, found)
  return found
}

function nameInMembers(wanted: WantedResource, keyOf: ReadonlyMap<number, string>): WantedResource {
  const { cls } = wanted
  if (cls === undefined) return wanted
  const schemas = descriptorOf(cls).members as Readonly<Record<string, Schema>>
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
