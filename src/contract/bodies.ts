import type { Static, TObject } from 'typebox'
import { type Cls, clsNames, descriptorOf, type Members } from './registry.ts'
import { ResmetaMember, ResourceMember } from './resource.ts'
import { Type } from './type.ts'

/** A resource as requests carry it: member `resource`, `resmeta`, and the members of its class. */
export interface ResourceBody {
  readonly resource?: Partial<Static<typeof ResourceMember>>
  readonly resmeta?: Static<typeof ResmetaMember>
  readonly [member: string]: unknown
}

/** A resource as answers carry it. What may not be read is left out. */
export type Representation<C extends Cls = Cls> = {
  readonly resource: Pick<Static<typeof ResourceMember>, 'id' | 'cls'> &
    Partial<Static<typeof ResourceMember>>
  readonly resmeta?: Partial<Static<typeof ResmetaMember>>
} & Partial<Members<C>>

/** Member schemas of a class, the common ones first. */
export function membersOf(cls: Cls): Record<string, TObject> {
  return { resource: ResourceMember, resmeta: ResmetaMember, ...descriptorOf(cls).members }
}

/** Names of all members of all classes. */
export const memberNames: readonly string[] = [
  ...new Set(clsNames.flatMap((cls) => Object.keys(membersOf(cls)))),
]

/** What of a resource is sent: on creation the required fields of the class must be there, later none. */
export type BodyUse = 'create' | 'update'

/**
 * Schema of a request that creates or changes a resource of a class. Unknown members pass, since real clients send
 * them; known ones must fit. Fields that only the server writes pass too, and are ignored.
 */
export function bodySchema(cls: Cls, use: BodyUse): object {
  const members = Object.entries(membersOf(cls)).map(([name, schema]) => [
    name,
    memberSchema(name, schema, use),
  ])
  const required = use === 'create' ? ['resource', ...requiredMembers(cls)] : []
  return { type: 'object', required, properties: Object.fromEntries(members) }
}

/** Fields of member `resource` that a creation has to carry; the parent may come in the query instead. */
const creationFields = ['cls', 'display_name']

function memberSchema(name: string, schema: TObject, use: BodyUse): object {
  if (name === 'feature_layer' && use === 'update')
    return { ...schema, required: [], properties: changedFields(schema) }
  if (use === 'update' || name === 'resmeta' || name === 'feature_layer') return { ...schema, required: [] }
  if (name === 'resource') return { ...schema, required: creationFields }
  return schema
}

/** A change may name a field by its id, and say of it only what changes. */
function changedFields({ properties: { fields, ...rest } }: TObject): object {
  const { items } = fields as { readonly items?: object }
  return { ...rest, fields: { ...fields, items: { ...items, required: [] } } }
}

function requiredMembers(cls: Cls): string[] {
  return Object.entries(descriptorOf(cls).members)
    .filter(([name, schema]) => name !== 'feature_layer' && (schema.required ?? []).length > 0)
    .map(([name]) => name)
}

/** Schema of any object; used before the class is known. */
export const ResourceEnvelope = Type.Object({
  resource: Type.Optional(Type.Object({ cls: Type.Optional(Type.String()) }, { additionalProperties: true })),
})
