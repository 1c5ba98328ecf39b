import type { Problem } from '../core/problem.ts'

/** Statuses of servers without a journal, and of callers that may not use it. */
const statuses: readonly number[] = [401, 403, 404, 405]

/** Tells whether a request to the journal failed because the server has none, or refuses it to the caller. */
export function isJournalRefused({ status }: Problem): boolean {
  return statuses.includes(status ?? 0)
}
