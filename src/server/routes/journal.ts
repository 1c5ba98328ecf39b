import { type JournalEntry, journalDays, type NewJournalEntry } from '../../contract/bodies/journal.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import type { journalRoutes } from '../../contract/routes/journal.ts'
import { isObject } from '../../core/is_object.ts'
import {
  findEntry,
  finishEntry,
  insertEntry,
  listBeforeIds,
  listChangedIds,
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
    const { resource, key, cls, before, digests = false, limit = defaultLimit } = query
    if (resource !== undefined)
      await requirePermission(context, caller, { ids: [resource], permission: 'resource.read' })
    // Guesses of values that a reader may not see could be compared with their digests.
    if (resource !== undefined && digests)
      await requirePermission(context, caller, { ids: [resource], permission: 'resource.update' })
    const isShared = resource !== undefined || mayReadAll({ caller })
    const filter = { resource, key, cls, before, digests, limit, ...(isShared ? {} : { userId: caller.id }) }
    return { json: await listEntries(context.database, filter) }
  },

  'journal.begin': async ({ context, caller, body, idempotency }) => {
    await requireReadable(context, caller, body.changes.flatMap(namedIds))
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
    const known = new Set(isResourceId(id) ? await listChangedIds(context.database, id) : [])
    // An apply may take its own account the right to read what it has changed.
    const added = body.outcomes.flatMap((one) => one.id ?? []).filter((one) => !known.has(one))
    await requireReadable(context, caller, added)
    const isFound =
      isResourceId(id) &&
      (await context.database.transaction((tx) => finishEntry(tx, { id, userId: caller.id }, body)))
    if (!isFound) throw noEntry(id)
    return { json: {} }
  },
}

/** Lists the ids of the resources whose history a change belongs to. */
function namedIds({ id, before = [] }: NewJournalEntry['changes'][number]): number[] {
  // The store takes ids in strings, too.
  const written = before.map(({ resource }) =>
    Number((isObject(resource) ? resource.id : undefined) ?? Number.NaN),
  )
  return [id, ...written].filter(isResourceId)
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
