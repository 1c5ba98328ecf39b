import { type OutcomeWord, outcomeNames } from '../../contract/bodies/journal.ts'
import type { Queryable } from '../../database/database.ts'

/** A change of an entry that one request applies. */
export interface JournalStep {
  readonly entry: number
  /** Place of the change in the entry. */
  readonly position: number
  readonly outcome: OutcomeWord
}

/** Parses the header of a request that applies a change: `12/3/updated`; undefined if it is not one. */
export function parseStep(header: unknown): JournalStep | undefined {
  const [, entry, position, word] = /^(\d{1,9})\/(\d{1,9})\/([a-z]+)$/.exec(String(header)) ?? []
  const outcome = outcomeNames.find((name) => name === word)
  return outcome === undefined ? undefined : { entry: Number(entry), position: Number(position), outcome }
}

/** A resource after a request; without a version if it was deleted. */
interface WrittenResource {
  readonly id: number
  readonly version?: number
}

/**
 * Records in the transaction of a request which change of an unfinished entry it applied, so that no lost client loses this.
 * Entries that do not exist any longer are ignored.
 */
export async function recordChange(
  tx: Queryable,
  { entry, position, outcome, userId }: JournalStep & { readonly userId: number },
  { id, version }: WrittenResource,
): Promise<void> {
  await tx.query(
    `with open as (
       update journal_entry set active_at = now() at time zone 'utc'
        where id = $1 and user_id = $2 and result is null returning id)
     update journal_change c
        set outcome = $4, resource_id = $5::int, version = $6::int,
            data_version = (select l.data_version from layer l where l.resource_id = $5::int)
       from open where c.entry_id = open.id and c.position = $3`,
    [entry, userId, position, outcome, id, version ?? null],
  )
}
