import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { Dialect } from '../../contract/dialect/dialect.ts'
import { encodeResource } from '../../contract/dialect/dialect_codec.ts'
import type { Cls } from '../../contract/registry.ts'
import { withoutDefaults } from '../../contract/schema/compact.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { listPrincipals } from '../../store/auth/principal.ts'
import { listMarked, listTree, type TreeNode } from '../../store/resource/resource_search.ts'
import type { ApiRequest } from '../http/handler.ts'
import { type Spool, streamSpooled } from '../stream/spool.ts'
import { seesEverything } from './attributes.ts'
import { readRepresentations } from './representation.ts'
import { checkMask } from './require_permission.ts'

type TreeRequest = ApiRequest<'resource.tree'>

/** Number of resources read and written in one batch. */
const batchSize = 1000

/**
 * Reads a subtree, its ancestors and the resources with the requested keynames from one snapshot, and streams them as
 * NDJSON: a head line, then one representation a line, parents before children. Lists in members omit defaults.
 */
export function streamTree(request: TreeRequest): Promise<AsyncIterable<Uint8Array>> {
  const { context, signal } = request
  return streamSpooled({ folder: context.temporaryFolder, signal }, (spool, left) =>
    context.database.transaction((tx) => writeTree(tx, request, spool), {
      readOnly: true,
      isolation: 'repeatable read',
      signal: left,
    }),
  )
}

async function writeTree(tx: Queryable, request: TreeRequest, spool: Spool): Promise<void> {
  const { caller, query, dialect } = request
  const marked =
    query.root === undefined && query.manifest !== undefined
      ? await listMarked(tx, query.manifest)
      : undefined
  const isPart = marked !== undefined
  const root = isPart ? null : (query.root ?? 0)
  const nodes = await listTree(tx, { root, keynames: query.keyname ?? [], ids: marked ?? [] })
  const all = nodes.map(({ id }) => id)
  const masks = await findPermissionMasks(tx, caller, all)
  if (root !== null) checkMask(masks.get(root), root, 'resource.read')
  const ids = all.filter((id) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
  await writeLines(spool, [
    await readHead(tx, request, { complete: isComplete(nodes, masks), count: ids.length, isPart }),
  ])
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = await readRepresentations(tx, masks, { ids: ids.slice(at, at + batchSize) })
    await writeLines(
      spool,
      batch.map((one) => lineOf(one, dialect)),
    )
  }
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
