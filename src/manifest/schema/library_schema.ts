import { geoserviceTypes } from '../../contract/catalog/catalog.ts'
import { clsNames } from '../../contract/registry.ts'
import { accountSchema } from './account_schema.ts'
import { blockSchema, existingSchema, requirementsOf } from './block_schema.ts'
import { geoserviceSchema, iconSchema } from './catalog_schema.ts'
import type { JsonSchema } from './field_schema.ts'
import { fragmentSchema, useSchema } from './fragment_schema.ts'
import { blockDefinitions, fileSchema } from './manifest_schema.ts'

const id = 'urn:landform:blocks'

/** Returns the address of a definition of the library. */
export const referenceTo = (name: string) => `${id}#/definitions/${name}`

/**
 * Returns the schema of all parts of a manifest, one for all validators, so that shared definitions are compiled once. Children are
 * not validated here: each of them is checked as a block.
 */
export function librarySchema(): {
  readonly $id: string
  readonly definitions: Readonly<Record<string, JsonSchema>>
} {
  const parts = clsNames.flatMap((cls) => {
    const block = `block_${cls}`
    const own = { allOf: [{ $ref: `#/definitions/${block}` }, requirementsOf(cls)] }
    return [[block, blockSchema(cls)] as const, [`own_${cls}`, own] as const]
  })
  const definitions = {
    ...blockDefinitions(),
    ...Object.fromEntries(parts),
    ...Object.fromEntries(geoserviceTypes.map((type) => [`geoservice_${type}`, geoserviceSchema(type)])),
    icon: iconSchema(),
    children: { type: 'object' },
    icons: { type: 'object' },
    geoservices: { type: 'object' },
    user: accountSchema('user'),
    group: accountSchema('group'),
    users: { type: 'object' },
    groups: { type: 'object' },
    fragments: { type: 'object' },
    fragment: fragmentSchema(),
    use: useSchema(),
    existing_resource: existingSchema(),
    file: fileSchema(),
  }
  return { $id: id, definitions }
}
