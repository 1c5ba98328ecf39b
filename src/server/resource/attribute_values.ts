import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { membersOf, type Representation } from '../../contract/bodies/bodies.ts'
import { dialectName, documentName } from '../../contract/dialect/dialect.ts'
import { encodeResource } from '../../contract/dialect/dialect_codec.ts'
import { findPermission, type PermissionName } from '../../contract/permissions.ts'
import { type Cls, clsNames, isAllowedParent } from '../../contract/registry.ts'
import { findPermissionMasks, findPlannedMasks } from '../../store/access/effective_permission.ts'
import { listPaths } from '../../store/resource/resource_tree.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { planRemoval } from './check_deletion.ts'
import { readRepresentations } from './representation.ts'

type Request = Pick<ApiRequest, 'context' | 'caller' | 'dialect'>

/** `[0, value]`, or `[1]` for an attribute that is hidden from the caller or has no value. */
export type AttributeValue = [0, unknown] | [1]

const hidden: AttributeValue = [1]

/** Permission masks and representations of resources, by id. */
interface Facts {
  readonly masks: ReadonlyMap<number, PermissionMask>
  readonly bodies: ReadonlyMap<number, Representation>
}

/** Returns a function that computes an attribute from a representation. */
type ReadValue = (request: Request, facts: Facts) => Promise<(body: Representation) => unknown>

/** Attributes that are computed: representations do not contain them. */
const computed: Readonly<Record<string, ReadValue>> = {
  'resource.parents': async ({ context }, { bodies }) => {
    const paths = await listPaths(context.database, [...bodies.keys()])
    return ({ resource }) => paths.get(resource.id) ?? []
  },
  'resource.is_deletable': async ({ context, caller }, { bodies }) => {
    const { faults } = await planRemoval(context.database, caller, {
      ids: [...bodies.keys()],
      together: false,
    })
    return ({ resource }) => !faults.has(resource.id)
  },
  'resource.children_creatable': async ({ context, caller, dialect }, { bodies, masks }) => {
    const placed = [...bodies.values()].flatMap(({ resource }) => childrenOf(resource))
    const found = await findPlannedMasks(context.database, caller, placed)
    const creatable = placed.filter((one) => hasPermission(found.get(one.id) ?? 0, 'resource.create'))
    const byParent = Map.groupBy(creatable, ({ parentId }) => parentId)
    return ({ resource: { id } }) => {
      const isManaged = hasPermission(masks.get(id) ?? 0, 'resource.manage_children')
      return isManaged ? (byParent.get(id) ?? []).map(({ cls }) => dialectName(cls, dialect)) : []
    }
  },
}

/** Lists a child of each class allowed under a resource, with ids that no resource has. */
function childrenOf({ id, cls }: Representation['resource']) {
  return clsNames
    .filter((child) => isAllowedParent(child, cls as Cls))
    .map((child, at) => ({ id: -1 - id * clsNames.length - at, cls: child, parentId: id }))
}

/** Number of resources read in one batch; other requests run between batches. */
const batchSize = 500

/**
 * Reads attributes of resources, each with its arguments, in the order of the request. Repeated ids and attributes are
 * read once.
 *
 * @throws {Problem} request/invalid for an attribute or a permission that does not exist
 */
export async function readAttributeValues(
  request: Request,
  ids: readonly number[],
  attributes: readonly (readonly string[])[],
): Promise<[id: number, values: AttributeValue[]][]> {
  const keys = attributes.map((attribute) => JSON.stringify(attribute))
  const readers = new Map(attributes.map((attribute, at) => [keys[at] ?? '', findReader(attribute, at)]))
  const distinct = [...new Set(ids)]
  const valuesById = new Map<number, ReadonlyMap<string, AttributeValue>>()
  for (let at = 0; at < distinct.length; at += batchSize) {
    const batch = await readBatch(request, distinct.slice(at, at + batchSize), readers)
    for (const [id, values] of batch) valuesById.set(id, values)
  }
  return ids.map((id) => [id, keys.map((key) => valuesById.get(id)?.get(key) ?? hidden)])
}

/** Reads attributes by key; ids and attributes are distinct. */
async function readBatch(
  request: Request,
  ids: readonly number[],
  readers: ReadonlyMap<string, ReadValue>,
): Promise<Map<number, ReadonlyMap<string, AttributeValue>>> {
  const { context, caller } = request
  const masks = await findPermissionMasks(context.database, caller, ids)
  const readable = ids.filter((id) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
  const found = await readRepresentations(context.database, masks, { ids: readable })
  const facts = { masks, bodies: new Map(found.map((body) => [body.resource.id, body])) }
  const values = new Map<string, (body: Representation) => unknown>()
  for (const [key, read] of readers) values.set(key, await read(request, facts))
  return new Map(
    found.map((body) => {
      const entries = [...values].map(([key, read]): [string, AttributeValue] => {
        const value = read(body)
        return [key, value === undefined ? hidden : [0, value]]
      })
      return [body.resource.id, new Map(entries)]
    }),
  )
}

function findReader(attribute: readonly string[], at: number): ReadValue {
  const [name = '', ...words] = attribute
  if (name === 'resource.has_permission') return permissionReader(words, at)
  const reader = Object.hasOwn(computed, name) ? computed[name] : undefined
  return reader ?? memberReader(name, at)
}

function permissionReader([name = '']: readonly string[], at: number): ReadValue {
  if (findPermission(name) === undefined)
    throw invalidAt(`/attributes/${at}/1`, `permission "${name}" does not exist`)
  return async (_, { masks }) =>
    ({ resource }) =>
      hasPermission(masks.get(resource.id) ?? 0, name as PermissionName)
}

/** Reads `member.attribute` of a representation, in the names of the request's dialect. */
function memberReader(name: string, at: number): ReadValue {
  const [member = '', attribute = ''] = name.split('.')
  if (
    !clsNames.some((cls) => Object.hasOwn(membersOf(cls)[documentName(member)]?.properties ?? {}, attribute))
  )
    throw invalidAt(`/attributes/${at}/0`, `no class has an attribute "${name}"`)
  return async ({ dialect }) =>
    (body) => {
      const encoded = encodeResource(body.resource.cls as Cls, body, dialect)
      const values = encoded as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>
      return values[dialectName(documentName(member), dialect)]?.[attribute]
    }
}
