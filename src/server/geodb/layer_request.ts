import { hasPermission } from '../../access/permission_mask.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { type MemberRow, memberTable } from '../../store/classes/member_table.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'
import { denied } from '../resource/require_permission.ts'
import { withoutConnection } from './geodb_session.ts'
import { guardForeign } from './guarded_query.ts'
import { type FoundTable, findTables, type WantedTable } from './inspect_table.ts'

/** Tables to look at through one connection, and who asks. */
export interface Inspection {
  readonly context: ServerContext
  readonly caller: Caller
  readonly connectionId: number
  readonly wanted: readonly WantedTable[]
}

/** What was found, through the connection as it stood then; or why nothing was. */
export type Inspected = { readonly connection: MemberRow<'geodb_connection'> } & (
  | { readonly tables: readonly FoundTable[] }
  | { readonly fault: unknown }
)

/** Connections that did not answer, by transaction: within one, each is waited for once. */
const silent = new WeakMap<Queryable, Map<number, Inspected>>()

/**
 * Looks at tables through a connection, as far as the transaction sees it. Never throws what the tables or their database
 * are to blame for; gives undefined where there is no such connection.
 *
 * @throws {Problem} access/denied without the permission to use the connection
 */
export async function inspect(tx: Queryable, inspection: Inspection): Promise<Inspected | undefined> {
  const { context, caller, connectionId, wanted } = inspection
  const connection = (await memberTable('geodb_connection').find(tx, [connectionId])).get(connectionId)
  if (connection === undefined) return undefined
  const mask = (await findPermissionMasks(tx, caller, [connectionId])).get(connectionId) ?? 0
  if (!hasPermission(mask, 'connection.connect')) throw denied(connectionId, 'connection.connect')
  const known = silent.get(tx)?.get(connectionId)
  if (known !== undefined && isSameConnection(known.connection, connection)) return known
  try {
    const database = guardForeign(() => context.geodb.open(connectionId, connection), { connectionId })
    return { connection, tables: await findTables(database, wanted) }
  } catch (fault) {
    const found = { connection, fault }
    if (isProblem(fault, 'external/database') && tx !== context.database)
      silent.set(tx, new Map([...(silent.get(tx) ?? []), [connectionId, found]]))
    return found
  }
}

/**
 * Gives what was found: before the transaction, where the connection has not changed since, else now.
 *
 * @throws {Problem} request/invalid, external/*, access/denied
 */
export async function getTables(
  tx: Queryable,
  inspection: Inspection,
  before: Inspected | undefined,
): Promise<readonly FoundTable[]> {
  const { connectionId } = inspection
  const current = (await memberTable('geodb_connection').find(tx, [connectionId])).get(connectionId)
  const isValid =
    before !== undefined && current !== undefined && isSameConnection(before.connection, current)
  const found = isValid ? before : await inspect(tx, inspection)
  if (found === undefined) throw withoutConnection(connectionId)
  if ('fault' in found) throw found.fault
  return found.tables
}

const isSameConnection = (one: MemberRow<'geodb_connection'>, other: MemberRow<'geodb_connection'>) =>
  JSON.stringify(one) === JSON.stringify(other)
