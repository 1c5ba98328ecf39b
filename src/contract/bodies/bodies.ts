import type { Static, TObject } from 'typebox'
import { type Cls, descriptorOf, type Members } from '../registry.ts'
import { ResmetaMember, ResourceMember } from './resource.ts'

/** Resource in responses, without the attributes that the caller cannot read. */
export type Representation<C extends Cls = Cls> = {
  readonly resource: Pick<Static<typeof ResourceMember>, 'id' | 'cls'> &
    Partial<Static<typeof ResourceMember>>
  readonly resmeta?: Partial<Static<typeof ResmetaMember>>
} & Partial<Members<C>>

/** Returns the member schemas of a class, the common members first. */
export function membersOf(cls: Cls): Record<string, TObject> {
  return { resource: ResourceMember, resmeta: ResmetaMember, ...descriptorOf(cls).members }
}

/** Purpose of a request body: a creation must have the required fields of the class, an update need not. */
export type BodyUse = 'create' | 'update'

/**
 * Returns the schema of a request that creates or changes a resource of a class. Unknown members are allowed, since
 * real clients send them. Read-only fields are allowed too, and ignored.
 */
export function bodySchema(cls: Cls, use: BodyUse): object {
  const members = Object.entries(membersOf(cls)).map(([name, schema]) => [
    name,
    memberSchema(name, schema, use),
  ])
  const required = use === 'create' ? ['resource', ...requiredMembers(cls)] : []
  return { type: 'object', required, properties: Object.fromEntries(members) }
}

/** Required fields of member `resource` in a creation; the parent may be in the query instead. */
const creationFields = ['cls', 'display_name']

function memberSchema(name: string, schema: TObject, use: BodyUse): object {
  if (name === 'feature_layer' && use === 'update')
    return { ...schema, required: [], properties: changedFields(schema) }
  if (use === 'update' || name === 'resmeta' || name === 'feature_layer') return { ...schema, required: [] }
  if (name === 'resource') return { ...schema, required: creationFields }
  return schema
}

/** Makes the members of a field optional: an update may identify a field by id and send only the changed members. */
function changedFields({ properties: { fields, ...rest } }: TObject): object {
  const { items } = fields as { readonly items?: object }
  return { ...rest, fields: { ...fields, items: { ...items, required: [] } } }
}

function requiredMembers(cls: Cls): string[] {
  return Object.entries(descriptorOf(cls).members)
    .filter(([name, schema]) => name !== 'feature_layer' && (schema.required ?? []).length > 0)
    .map(([name]) => name)
}
