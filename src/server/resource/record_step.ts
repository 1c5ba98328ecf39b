import { journalHeader } from '../../contract/bodies/journal.ts'
import type { Queryable } from '../../database/database.ts'
import { parseStep, recordChange } from '../../store/journal/journal_step.ts'
import type { Writer } from './write_resources.ts'

/** Records what a request did in the journal, if it belongs to an apply. */
export async function recordStep(
  tx: Queryable,
  { headers, caller }: Pick<Writer, 'headers' | 'caller'>,
  written: { readonly id: number; readonly version?: number },
): Promise<void> {
  const step = parseStep(headers[journalHeader])
  if (step !== undefined) await recordChange(tx, { ...step, userId: caller.id }, written)
}
