import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { membersOf, type Representation } from '../../contract/bodies.ts'
import { dialectName, documentName } from '../../contract/dialect.ts'
import { findPermission, type PermissionName } from '../../contract/permissions.ts'
import { type Cls, clsNames, isAllowedParent } from '../../contract/registry.ts'
import { findPermissionMasks, findPlacedMasks } from '../../store/permission.ts'
import { listPaths } from '../../store/resource_tree.ts'
import { encodeRepresentation } from '../codec.ts'
import type { ApiRequest } from '../handler.ts'
import { invalidAt } from '../invalid.ts'
import { readRepresentations } from '../representation.ts'
import { planRemoval } from './removal.ts'

type Request = Pick<ApiRequest, 'context' | 'caller' | 'dialect'>

/** A value that was asked for, or that one may not see it, or that there is none. */
export type Asked = [0, unknown] | [1]

const hidden: Asked = [1]

/** What the values of some resources are read from. */
interface Facts {
  readonly masks: ReadonlyMap<number, PermissionMask>
  readonly bodies: ReadonlyMap<number, Representation>
}

/** Gives the value of each resource that may be read. */
type ReadValue = (request: Request, facts: Facts) => Promise<(body: Representation) => unknown>

/** Attributes that no representation has. */
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
    const found = await findPlacedMasks(context.database, caller, placed)
    return ({ resource: { id } }) =>
      placed
        .filter((one) => one.parentId === id && hasPermission(masks.get(id) ?? 0, 'resource.manage_children'))
        .filter((one) => hasPermission(found.get(one.id) ?? 0, 'resource.create'))
        .map(({ cls }) => dialectName(cls, dialect))
  },
}

/** Children of each class that a resource could have, under ids that no resource has. */
function childrenOf({ id, cls }: Representation['resource']) {
  return clsNames
    .filter((child) => isAllowedParent(child, cls as Cls))
    .map((child, at) => ({ id: -1 - id * clsNames.length - at, cls: child, parentId: id }))
}

/**
 * Reads attributes of resources, each with its arguments, in the order in which they are asked for.
 *
 * @throws {Problem} request/invalid for an attribute or a permission that does not exist
 */
export async function readAskedValues(
  request: Request,
  ids: readonly number[],
  attributes: readonly (readonly string[])[],
): Promise<[id: number, values: Asked[]][]> {
  const { context, caller } = request
  const readers = attributes.map(findReader)
  const masks = await findPermissionMasks(context.database, caller, ids)
  const readable = ids.filter((id) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
  const found = await readRepresentations(context.database, masks, { ids: readable })
  const facts = { masks, bodies: new Map(found.map((body) => [body.resource.id, body])) }
  const values = await Promise.all(readers.map((read) => read(request, facts)))
  return ids.map((id) => {
    const body = facts.bodies.get(id)
    const told = values.map((read): Asked => {
      const value = body === undefined ? undefined : read(body)
      return value === undefined ? hidden : [0, value]
    })
    return [id, told]
  })
}

function findReader(attribute: readonly string[], at: number): ReadValue {
  const [name = '', ...words] = attribute
  if (name === 'resource.has_permission') return permissionReader(words, at)
  const reader = Object.hasOwn(computed, name) ? computed[name] : undefined
  return reader ?? memberReader(name, at)
}

function permissionReader([name = '']: readonly string[], at: number): ReadValue {
  if (findPermission(name) === undefined)
    throw invalidAt(`/attributes/${at}/1`, `there is no permission "${name}"`)
  return async (_, { masks }) =>
    ({ resource }) =>
      hasPermission(masks.get(resource.id) ?? 0, name as PermissionName)
}

/** Whatever a representation has, as `member.attribute`, in the names of the request. */
function memberReader(name: string, at: number): ReadValue {
  const [member = '', attribute = ''] = name.split('.')
  if (
    !clsNames.some((cls) => Object.hasOwn(membersOf(cls)[documentName(member)]?.properties ?? {}, attribute))
  )
    throw invalidAt(`/attributes/${at}/0`, `no class has an attribute "${name}"`)
  return async ({ dialect }) =>
    (body) => {
      const written = encodeRepresentation(body.resource.cls as Cls, body, dialect)
      const values = written as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>
      return values[dialectName(documentName(member), dialect)]?.[attribute]
    }
}
