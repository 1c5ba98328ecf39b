import PQueue from 'p-queue'
import { hasPermission, maskOf } from '../../access/permission_mask.ts'
import { encodeResource } from '../../contract/dialect/dialect_codec.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import type { Cls } from '../../contract/registry.ts'
import type { resourceRoutes } from '../../contract/routes/resource.ts'
import {
  findKeynames,
  listChildren,
  permissionsToSearch,
  searchResources,
} from '../../store/resource/resource_search.ts'
import { reportPart } from '../classes/import_report.ts'
import { styleIssuesPart } from '../classes/style_issues.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { prepareCreation, readCreation, writeCreations } from '../resource/create_resource.ts'
import { removeResource } from '../resource/delete_resources.ts'
import { readExplanations } from '../resource/explain_permission.ts'
import { readPermissions } from '../resource/permission_mask.ts'
import { streamTree, streamTreePart } from '../resource/read_tree.ts'
import { recordStep } from '../resource/record_step.ts'
import { etagOf, type Fullness, readRepresentations, represent } from '../resource/representation.ts'
import { notFound } from '../resource/require_permission.ts'
import { changeResource } from '../resource/update_resource.ts'
import { writeAtOnce } from '../resource/write_resources.ts'

/** Operations on resources. */
export const resourceHandlers: Handlers<keyof typeof resourceRoutes> = {
  'resource.get': async (request) => {
    const { context, params, mask, dialect } = request
    const { id } = params
    const found = await context.findStored(id)
    if (found === undefined) throw notFound(id)
    const { cls, version } = found.row
    return {
      json: encodeResource(cls, represent(found, mask), dialect),
      headers: { etag: etagOf(version) },
    }
  },

  'resource.update': async (request) => {
    const { version, prepared, styleIssues } = await changeResource(
      request,
      request.params.id,
      request.body ?? {},
    )
    return { json: { ...reportPart(prepared), ...styleIssues }, headers: { etag: etagOf(version) } }
  },

  'resource.delete': async (request) => {
    await removeResource(request, request.params.id)
    return { json: {} }
  },

  'resource.list': async (request) => {
    const ids = await listChildren(request.context.database, request.query.parent)
    return await readVisible(request, ids)
  },

  'resource.create': async (request) => {
    const creation = readCreation({ body: request.body ?? {}, query: request.query })
    const prepared = await prepareCreation(request, creation)
    const json = await writeAtOnce(request, prepared, async (tx) => {
      const [id = 0] = await writeCreations(tx, request, [{ creation, prepared }])
      const parts = {
        ...reportPart(prepared),
        ...(await styleIssuesPart(tx, request.caller, { id, cls: creation.cls })),
      }
      const created = { id, parent: { id: creation.parentId }, ...parts }
      await recordStep(tx, request, { id, version: 1 })
      await request.idempotency.store(tx, created)
      return created
    })
    return { json }
  },

  'resource.search': async (request) => {
    const { query, more, context } = request
    const root = query.root ?? query.parent_id__recursive
    const ids = await searchResources(context.database, {
      conditions: more,
      ...(root === undefined ? {} : { root }),
    })
    const fullness = query.serialization === 'full' ? 'full' : 'resource'
    return await readVisible(request, ids, { fullness, needs: permissionsToSearch(more) })
  },

  'resource.permission': async (request) => ({ json: await readPermissions(request) }),
  'resource.permission_explain': async (request) => ({ json: await readExplanations(request) }),

  'resource.keynames': async ({ context, caller, body }) => {
    if (caller.isGuest) throw problem('access/denied', 'Guests cannot search for keynames; sign in.')
    const held = await findKeynames(context.database, body.keynames)
    const masks = await context.permissions.findMasks(caller, [...held.keys()])
    const unreadable = [...held].filter(([id]) => !hasPermission(masks.get(id) ?? 0, 'resource.read'))
    return { json: { unreadable: unreadable.map(([, keyname]) => keyname).sort() } }
  },

  'resource.tree': async (request) => ({
    stream: await streamTree(request),
    mediaType: 'application/x-ndjson',
  }),

  'resource.tree_part': async (request) => ({
    stream: await streamTreePart(request),
    mediaType: 'application/x-ndjson',
  }),
}

interface Page {
  readonly limit?: number
  readonly offset?: number
}

/** Number of resources per part of a long list, and number of parts read concurrently. */
const partLength = 2500
const concurrentParts = 3

/** Reads a long list in concurrent parts, so that the database and this process work in parallel. */
async function readInParts<T>(ids: readonly number[], read: (part: readonly number[]) => Promise<T[]>) {
  if (ids.length <= partLength) return read(ids)
  const queue = new PQueue({ concurrency: concurrentParts })
  const count = Math.ceil(ids.length / partLength)
  const parts = Array.from({ length: count }, (_, at) => ids.slice(at * partLength, (at + 1) * partLength))
  return (await queue.addAll(parts.map((part) => () => read(part)))).flat()
}

interface ListOptions {
  readonly fullness?: Fullness
  /** Permissions required in addition to resource.read. */
  readonly needs?: readonly PermissionName[]
}

/**
 * Reads the resources that the caller may read, in the order of the ids, with paging if requested. The header x-complete
 * is for administrators only, because it reveals the existence of hidden resources.
 */
async function readVisible(request: ApiRequest, ids: readonly number[], options: ListOptions = {}) {
  const { context, caller, dialect } = request
  const { fullness = 'full', needs = [] } = options
  const required = maskOf(['resource.read', ...needs])
  const masks = await context.permissions.findMasks(caller, ids)
  const visible = ids.filter((id) => ((masks.get(id) ?? 0) & required) === required)
  const { limit, offset = 0 } = request.query as Page
  const page = visible.slice(offset, limit === undefined ? undefined : offset + limit)
  const found = await readInParts(page, (part) =>
    readRepresentations(context.database, masks, { ids: part, fullness }),
  )
  const complete = String(visible.length === ids.length)
  return {
    json: found.map((one) => encodeResource(one.resource.cls as Cls, one, dialect)),
    headers: {
      'x-total-count': String(visible.length),
      ...(caller.isAdministrator ? { 'x-complete': complete } : {}),
    },
  }
}
