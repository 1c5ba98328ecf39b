import { hasPermission } from '../../access/permission_mask.ts'
import { type Dialect, dialectName } from '../../contract/dialect/dialect.ts'
import { isResourceId } from '../../contract/limits.ts'
import { scopes } from '../../contract/permissions.ts'
import { baseClass, classes, clsNames } from '../../contract/registry.ts'
import type { inventoryRoutes } from '../../contract/routes/inventory.ts'
import { joinPointer } from '../../core/pointer.ts'
import { countAttachments } from '../../store/attachment/attachment.ts'
import { type ChangedFeatures, findChangedFeatures } from '../../store/layer/changed_features.ts'
import { findLastChanges } from '../../store/resource/last_change.ts'
import { searchResources } from '../../store/resource/resource_search.ts'
import { listSubtree, type SubtreeNode } from '../../store/resource/resource_tree.ts'
import { readVolumes, sumVolumes } from '../../store/resource/volume.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { readAttributeValues } from '../resource/attribute_values.ts'
import { planRemoval } from '../resource/check_deletion.ts'
import { removeResources, throwFirst } from '../resource/delete_resources.ts'
import { parseCls } from '../resource/read_members.ts'
import { permittedIds } from '../resource/require_permission.ts'

/** Operations that read or delete many resources at once. */
export const inventoryHandlers: Handlers<keyof typeof inventoryRoutes> = {
  'resource.delete_check': async ({ context, caller, dialect, query }) => {
    const { resources: ids = [], partial = false } = query
    const { affected, unaffected, faults, masks } = await planRemoval(context.database, caller, { ids })
    if (!partial) throwFirst(ids, faults)
    const readable = unaffected.filter(({ id }) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
    return { json: { affected: countOf(affected, dialect), unaffected: countOf(readable, dialect) } }
  },

  'resource.delete_many': async (request) => {
    const { resources: ids = [], partial = false } = request.query
    await removeResources(request, { ids, partial })
    return { json: {} }
  },

  'resource.volume': async (request) => {
    const { context, caller, params, query } = request
    const ids = query.recursive ? await listReadable(request, params.id) : [params.id]
    // Volume reveals something about the data, so it requires data.read.
    const counted = await permittedIds(context.database, caller, { ids, permission: 'data.read' })
    return { json: { volume: await sumVolumes(context.database, [...counted]) } }
  },

  'resource.contents': async ({ context: { database }, caller, body }) => {
    const readable = await permittedIds(database, caller, {
      ids: body.resources,
      permission: 'resource.read',
    })
    const ofData = await permittedIds(database, caller, { ids: [...readable], permission: 'data.read' })
    const volumes = await readVolumes(database, [...ofData])
    const attachments = await countAttachments(database, [...ofData])
    const changes = await findLastChanges(database, [...readable])
    const features = await findChangedFeatures(database, [...ofData])
    const json = changes.map(({ id, at, user, dataAt, dataUser }) => ({
      id,
      ...(ofData.has(id) ? { attachments: attachments.get(id) ?? 0, bytes: volumes.get(id) ?? 0 } : {}),
      changed: at,
      user,
      ...(dataAt === null || !ofData.has(id) ? {} : { data_changed: dataAt, data_user: dataUser }),
      ...changedFeatures(features.get(id)),
    }))
    return { json }
  },

  'resource.attributes': async (request) => {
    const { resources, attributes } = request.body
    const ids = Array.isArray(resources) ? resources : await findReadableBelow(request, resources.root)
    return { json: { items: await readAttributeValues(request, ids, attributes) } }
  },

  'resource.blueprint': async ({ dialect }) => ({ json: blueprint(dialect) }),

  // There is no limit on the number of resources.
  'resource.quota': async (request) => ({
    json: { limit: null, resource_cls: null, count: (await listReadable(request, 0)).length },
  }),
  'resource.quota_check': async ({ body }) => {
    for (const name of Object.keys(body)) parseCls(name, joinPointer('', name))
    return { json: { success: true } }
  },
}

function changedFeatures(changes: readonly ChangedFeatures[] = []) {
  if (changes.length === 0) return {}
  return { changed_features: changes.map(({ since, features }) => ({ since, features: [...features] })) }
}

function countOf(nodes: readonly SubtreeNode[], dialect: Dialect) {
  const groups = Map.groupBy(nodes, ({ cls }) => dialectName(cls, dialect))
  const resources = Object.fromEntries([...groups].map(([cls, group]) => [cls, group.length]))
  return { count: nodes.length, resources }
}

/** Lists the readable resources of a subtree. */
async function listReadable(request: CallerRequest, root: number): Promise<number[]> {
  const nodes = await listSubtree(request.context.database, root)
  return filterReadable(
    request,
    nodes.map(({ id }) => id),
  )
}

type CallerRequest = Pick<ApiRequest, 'context' | 'caller'>

async function filterReadable({ context, caller }: CallerRequest, ids: readonly number[]): Promise<number[]> {
  const readable = await permittedIds(context.database, caller, { ids, permission: 'resource.read' })
  return ids.filter((id) => readable.has(id))
}

async function findReadableBelow(request: CallerRequest, root: number | undefined): Promise<number[]> {
  // Out of range of the id column, so the resource cannot exist.
  if (root !== undefined && !isResourceId(root)) return []
  const search = { conditions: [], ...(root === undefined ? {} : { root }) }
  return filterReadable(request, await searchResources(request.context.database, search))
}

function blueprint(dialect: Dialect) {
  return {
    resources: Object.fromEntries(
      clsNames.map((cls) => {
        const { label, scopes: ownScopes, interfaces, order } = classes[cls]
        const identity = dialectName(cls, dialect)
        const described = { identity, label, base_classes: [baseClass.identity], interfaces: [...interfaces] }
        return [identity, { ...described, scopes: [...ownScopes], category: 'resource', order }]
      }),
    ),
    scopes: Object.fromEntries(
      Object.entries(scopes).map(([identity, { label, permissions }]) => {
        const words = Object.entries(permissions).map(([name, one]) => [
          name,
          { identity: name, label: one.label },
        ])
        return [identity, { identity, label, permissions: Object.fromEntries(words) }]
      }),
    ),
    categories: { resource: { identity: 'resource', label: 'Resources', order: 0 } },
  }
}
