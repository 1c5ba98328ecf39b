import { type JournalEntry, journalDays } from '../../contract/bodies/journal.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isCls } from '../../contract/registry.ts'
import type { journalRoutes } from '../../contract/routes/journal.ts'
import {
  findEntry,
  finishEntry,
  insertEntry,
  listBeforeIds,
  listChangeClasses,
  listEntries,
} from '../../store/journal/journal.ts'
import { findRestorable } from '../../store/resource/deleted_resource.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { requirePermission, requireReadable } from '../resource/require_permission.ts'

/** Number of entries in a list without a limit. */
const defaultLimit = 20

/** Operations of the journal. */
export const journalHandlers: Handlers<keyof typeof journalRoutes> = {
  'journal.list': async ({ context, caller, query }) => {
    const { resource, key, before, digests = false, limit = defaultLimit } = query
    if (resource !== undefined)
      await requirePermission(context, caller, { ids: [resource], permission: 'resource.read' })
    // Guesses of values that a reader may not see could be compared with their digests.
    if (resource !== undefined && digests)
      await requirePermission(context, caller, { ids: [resource], permission: 'resource.update' })
    const isShared = resource !== undefined || mayReadAll({ caller })
    const filter = { resource, key, before, digests, limit, ...(isShared ? {} : { userId: caller.id }) }
    return { json: await listEntries(context.database, filter) }
  },

  'journal.begin': async ({ context, caller, body, idempotency }) => {
    const { changes } = body
    await requireReadable(context, caller, resourceIdsOf(changes, changes))
    return {
      json: await context.database.transaction(async (tx) => {
        const answer = { id: await insertEntry(tx, caller, body) }
        await idempotency.store(tx, answer)
        return answer
      }),
    }
  },

  'journal.get': async ({ context, caller, params: { id }, query: { before = false } }) => {
    const found = isResourceId(id) ? await findEntry(context.database, { id, before }) : undefined
    if (found === undefined || (found.userId !== caller.id && !mayReadAll({ caller }))) throw noEntry(id)
    return { json: before ? await withRestorable(context, caller, found.entry) : found.entry }
  },

  'journal.finish': async ({ context, caller, params: { id }, body }) => {
    const classes = isResourceId(id) ? await listChangeClasses(context.database, id) : []
    await requireReadable(context, caller, resourceIdsOf(classes, body.outcomes))
    const isFound =
      isResourceId(id) &&
      (await context.database.transaction((tx) => finishEntry(tx, { id, userId: caller.id }, body)))
    if (!isFound) throw noEntry(id)
    return { json: {} }
  },
}

/** Lists the ids of resources, which those of records are not. */
function resourceIdsOf(
  changes: readonly { readonly cls: string }[],
  ids: readonly { readonly id?: number | null }[],
): number[] {
  return ids.flatMap(({ id }, at) => (typeof id === 'number' && isCls(changes[at]?.cls) ? [id] : []))
}

/** Adds which resources before the changes an undo can restore with their ids. */
async function withRestorable(
  { database }: ApiRequest['context'],
  caller: ApiRequest['caller'],
  entry: JournalEntry,
): Promise<JournalEntry> {
  const ids = await listBeforeIds(database, entry.id)
  return { ...entry, restorable: [...(await findRestorable(database, ids, caller))] }
}

const mayReadAll = ({ caller }: Pick<ApiRequest, 'caller'>) => caller.isAdministrator || caller.superuser

const noEntry = (id: number) =>
  problem('journal/not-found', `The journal has no entry ${id} that this account can read.`, {
    hint: `See landform history. Entries are kept for ${journalDays} days.`,
  })
