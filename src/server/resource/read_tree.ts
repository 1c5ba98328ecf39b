import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { Dialect } from '../../contract/dialect/dialect.ts'
import { encodeResource } from '../../contract/dialect/dialect_codec.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import type { Cls } from '../../contract/registry.ts'
import { withoutDefaults } from '../../contract/schema/compact.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { listPrincipals } from '../../store/auth/principal.ts'
import { findKeynames, listTree, type TreeNode } from '../../store/resource/resource_search.ts'
import { countResources, listTreePart, type PartItem } from '../../store/resource/tree_part.ts'
import type { ApiRequest } from '../http/handler.ts'
import { type Spool, streamSpooled } from '../stream/spool.ts'
import { seesEverything } from './attributes.ts'
import { readRepresentations } from './representation.ts'
import { checkMask } from './require_permission.ts'

type TreeRequest = ApiRequest<'resource.tree'> | ApiRequest<'resource.tree_part'>

/** Number of resources read and written in one batch. */
const batchSize = 1000

/** Resources of a tree to read. */
interface Selected {
  readonly nodes: readonly TreeNode[]
  /** Resource that the caller has to be able to read. */
  readonly root: number
  /** Whether these are only a part of the resources, for a plan. */
  readonly isPart?: boolean
}

/**
 * Reads a subtree, its ancestors and the resources with the requested keynames from one snapshot, and streams them as
 * NDJSON: a head line, then one representation a line, parents before children. Lists in members omit defaults.
 */
export function streamTree(request: ApiRequest<'resource.tree'>): Promise<AsyncIterable<Uint8Array>> {
  const { root = 0, keyname = [] } = request.query
  return streamSelected(request, async (tx) => {
    const named = keyname.length === 0 ? [] : [...(await findKeynames(tx, keyname)).keys()]
    const items = named.map((id): PartItem => ({ id, holderId: id, read: 'resource.read' }))
    return { nodes: await listTree(tx, { root, ids: await findReadable(tx, request, items) }), root }
  })
}

/** Reads the part of the tree that a plan depends on, in the same form; all of it, if the part is not small. */
export function streamTreePart(
  request: ApiRequest<'resource.tree_part'>,
): Promise<AsyncIterable<Uint8Array>> {
  return streamSelected(request, async (tx) => {
    const ids = await findReadable(tx, request, await listTreePart(tx, request.body))
    return ids.length * 2 < (await countResources(tx))
      ? { nodes: await listTree(tx, { ids: [0, ...ids] }), root: 0, isPart: true }
      : { nodes: await listTree(tx, { root: 0 }), root: 0 }
  })
}

/**
 * Returns the resources of items that the caller can read, and may learn to be ones. Others are not selected at all: the
 * resources above them would tell where they are.
 */
async function findReadable(
  tx: Queryable,
  { caller }: TreeRequest,
  items: readonly PartItem[],
): Promise<number[]> {
  const ids = new Set(items.flatMap(({ id, holderId }) => [id, holderId]))
  const masks = await findPermissionMasks(tx, caller, [...ids])
  const may = (id: number, read: PermissionName) => hasPermission(masks.get(id) ?? 0, read)
  const readable = items.filter(({ id, holderId, read }) => may(id, 'resource.read') && may(holderId, read))
  return [...new Set(readable.map(({ id }) => id))]
}

function streamSelected(
  request: TreeRequest,
  select: (tx: Queryable) => Promise<Selected>,
): Promise<AsyncIterable<Uint8Array>> {
  const { context, signal } = request
  return streamSpooled({ folder: context.temporaryFolder, signal }, (spool, left) =>
    context.database.transaction(
      async (tx) => writeTree(tx, { request, spool, selected: await select(tx) }),
      {
        readOnly: true,
        isolation: 'repeatable read',
        signal: left,
      },
    ),
  )
}

interface TreeWriting {
  readonly request: TreeRequest
  readonly spool: Spool
  readonly selected: Selected
}

async function writeTree(
  tx: Queryable,
  { request, spool, selected: { nodes, root, isPart = false } }: TreeWriting,
): Promise<void> {
  const { caller, dialect } = request
  const all = nodes.map(({ id }) => id)
  const masks = await findPermissionMasks(tx, caller, all)
  checkMask(masks.get(root), root, 'resource.read')
  const ids = all.filter((id) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
  const complete =
    isComplete(nodes, masks) && (!isPart || caller.isAdministrator || (await readsAll(tx, request)))
  await writeLines(spool, [await readHead(tx, request, { complete, count: ids.length, isPart })])
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = await readRepresentations(tx, masks, { ids: ids.slice(at, at + batchSize) })
    await writeLines(
      spool,
      batch.map((one) => lineOf(one, dialect)),
    )
  }
}

/** Tells whether the caller can read every attribute of all resources of the server. */
async function readsAll(tx: Queryable, { caller }: TreeRequest): Promise<boolean> {
  const nodes = await listTree(tx, { root: 0 })
  // In batches, since most accounts that cannot read all resources cannot read one of the first.
  for (let at = 0; at < nodes.length; at += batchSize) {
    const batch = nodes.slice(at, at + batchSize)
    const masks = await findPermissionMasks(
      tx,
      caller,
      batch.map(({ id }) => id),
    )
    if (!isComplete(batch, masks)) return false
  }
  return true
}

/** Encodes a line without defaults and without what is the same for all resources of a class. */
function lineOf(representation: Representation, dialect: Dialect): object {
  const { interfaces: _, scopes: __, ...resource } = representation.resource
  const cls = resource.cls as Cls
  return encodeResource(cls, withoutDefaults(cls, { ...representation, resource }), dialect)
}

/** Tells whether the caller can read every attribute of every resource. */
function isComplete(nodes: readonly TreeNode[], masks: ReadonlyMap<number, PermissionMask>): boolean {
  return nodes.every(({ id, cls }) => seesEverything(cls, masks.get(id) ?? 0))
}

async function writeLines(spool: Spool, values: readonly object[]): Promise<void> {
  await spool.write(Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join('')))
}

async function readHead(
  tx: Queryable,
  { context, caller }: TreeRequest,
  counted: { readonly complete: boolean; readonly count: number; readonly isPart: boolean },
): Promise<object> {
  const principals = await listPrincipals(tx, { systemOnly: caller.isGuest })
  return {
    server: { landform: context.version },
    caller: { id: caller.id, keyname: caller.keyname, administrator: caller.isAdministrator },
    complete: counted.complete,
    principals: principals.map(({ id, kind, keyname }) => ({ id, kind, keyname })),
    count: counted.count,
    ...(counted.isPart ? { part: true } : {}),
  }
}
