import { hasPermission } from '../../access/mask.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/permission.ts'
import { listPrincipals } from '../../store/principal.ts'
import { listTree } from '../../store/resource_search.ts'
import { seesEverything } from '../attributes.ts'
import { encodeRepresentation } from '../codec.ts'
import type { ApiRequest } from '../handler.ts'
import { checkMask } from '../permit.ts'
import { readRepresentations } from '../representation.ts'

type TreeRequest = ApiRequest<'resource.tree'>

/** Resources that are read and written at a time. */
const batchSize = 1000

/**
 * Reads a subtree, the resources above it and those with the wanted keynames, all as of one moment, and gives them as
 * NDJSON: a head line, then one representation a line, parents before children. It is read to the end before the first
 * byte leaves, so that a slow client holds no connection to the database.
 */
export async function streamTree(request: TreeRequest): Promise<AsyncIterable<Uint8Array>> {
  const { context, signal } = request
  const lines = await context.database.transaction((tx) => readLines(tx, request), {
    readOnly: true,
    isolation: 'repeatable read',
    signal,
  })
  return emit(lines)
}

async function* emit(lines: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* lines
}

async function readLines(tx: Queryable, request: TreeRequest): Promise<Uint8Array[]> {
  const { caller, query, dialect } = request
  const root = query.root ?? 0
  const nodes = await listTree(tx, { root, keynames: query.keyname ?? [] })
  const masks = await findPermissionMasks(
    tx,
    caller,
    nodes.map(({ id }) => id),
  )
  checkMask(masks.get(root), root, 'resource.read')
  const ids = nodes.map(({ id }) => id).filter((id) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
  const chunks: Uint8Array[] = []
  let isComplete = ids.length === nodes.length
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = await readRepresentations(tx, masks, { ids: ids.slice(at, at + batchSize) })
    isComplete &&= batch.every(({ resource }) =>
      seesEverything(resource.cls as Cls, masks.get(resource.id) ?? 0),
    )
    const text = batch.map((one) =>
      JSON.stringify(encodeRepresentation(one.resource.cls as Cls, one, dialect)),
    )
    chunks.push(Buffer.from(`${text.join('\n')}\n`))
  }
  const head = await readHead(tx, request, { complete: isComplete, count: ids.length })
  return [Buffer.from(`${JSON.stringify(head)}\n`), ...chunks]
}

async function readHead(
  tx: Queryable,
  { context, caller }: TreeRequest,
  counted: { readonly complete: boolean; readonly count: number },
): Promise<object> {
  const principals = await listPrincipals(tx, { systemOnly: caller.isGuest })
  return {
    server: { landform: context.version },
    caller: { id: caller.id, keyname: caller.keyname, administrator: caller.isAdministrator },
    complete: counted.complete,
    principals: principals.map(({ id, kind, keyname }) => ({ id, kind, keyname })),
    count: counted.count,
  }
}
