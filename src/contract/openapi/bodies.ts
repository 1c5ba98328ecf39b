import { type BodyUse, bodySchema, membersOf } from '../bodies/bodies.ts'
import { WebmapItemSchema } from '../classes/webmap.ts'
import { type Cls, clsNames } from '../registry.ts'

/** JSON Schemas by name. */
export type ComponentSchemas = Readonly<Record<string, object>>

/** Returns the named schemas: members of resources, and the bodies of all classes composed of them. */
export function bodySchemas(): ComponentSchemas {
  const bodies = clsNames.flatMap((cls) => [
    [`${cls}_creation`, withClass(cls, bodyOf(cls, 'create'))],
    [`${cls}_change`, bodyOf(cls, 'update')],
    [cls, representation(cls)],
  ])
  return resolved({
    Resource: anyOf(''),
    ResourceCreation: anyOf('_creation'),
    ResourceChange: anyOf('_change'),
    ...memberSchemas(),
    ...Object.fromEntries(bodies),
    [itemName]: item,
  })
}

const { $id: itemName, ...item } = WebmapItemSchema as object as { readonly $id: string }

/** Replaces references to the `$id` of a schema by references to its place in the document. */
function resolved(schemas: ComponentSchemas): ComponentSchemas {
  const text = JSON.stringify(schemas)
  return JSON.parse(text.replaceAll(`"$ref":"${itemName}"`, `"$ref":"#/components/schemas/${itemName}"`))
}

/** Returns a reference to a schema of the document. */
export function schemaReference(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

function anyOf(suffix: string): object {
  return { anyOf: clsNames.map((cls) => schemaReference(`${cls}${suffix}`)) }
}

const memberName = (name: string) => `member_${name}`

/** Members without `required`, which depends on the use. Members of the same name are equal in all classes. */
function memberSchemas(): ComponentSchemas {
  const all = clsNames.flatMap((cls) => Object.entries(membersOf(cls)))
  return Object.fromEntries(all.map(([name, { required: _, ...schema }]) => [memberName(name), schema]))
}

function bodyOf(cls: Cls, use: BodyUse): object {
  const { properties, ...body } = bodySchema(cls, use) as { properties: Record<string, Member> }
  const members = membersOf(cls)
  const referring = Object.entries(properties).map(([name, schema]) => {
    const isPlain = schema.properties === members[name]?.properties
    return [name, isPlain ? requiring(schemaReference(memberName(name)), schema.required) : schema]
  })
  return { ...body, properties: Object.fromEntries(referring) }
}

interface Member {
  readonly properties: object
  readonly required?: readonly string[]
}

function requiring(reference: object, required: readonly string[] = []): object {
  return required.length === 0 ? reference : { ...reference, required }
}

/** Fixes `cls`: without it, a body of one class would match several schemas. */
function withClass(cls: Cls, schema: object): object {
  const named = { properties: { resource: { properties: { cls: { const: cls } } } } }
  return { allOf: [schema, named] }
}

/** Requires only the member `resource`, since members that the caller cannot read are left out. */
function representation(cls: Cls): object {
  const members = Object.keys(membersOf(cls)).map((name) => [name, schemaReference(memberName(name))])
  return { type: 'object', required: ['resource'], properties: Object.fromEntries(members) }
}
