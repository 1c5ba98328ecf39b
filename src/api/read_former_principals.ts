import { type JournalEntry, maxJournalEntries, successWords } from '../contract/bodies/journal.ts'
import { type PrincipalKind, principalKinds } from '../contract/principal.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'
import { supportsRoute } from './detect_server.ts'
import { isJournalRefused } from './journal_refusal.ts'

/** Keynames of users and groups, by kind. */
export type PrincipalNames = Readonly<Record<PrincipalKind, ReadonlySet<string>>>

/** Statuses of servers whose journal has no lists by class. */
const tooOld: readonly number[] = [400, 422]

/**
 * Finds the users and groups that a manifest was the last to create or change, as far as the account can read the journal. Servers have
 * no other record of that.
 */
export async function readFormerPrincipals(
  api: Api,
  manifest: string,
  signal: AbortSignal | undefined,
): Promise<PrincipalNames> {
  const names = { user: new Set<string>(), group: new Set<string>() }
  if (!(await supportsRoute(api, 'journal.list', signal))) return names
  try {
    for (const kind of principalKinds) {
      const query = { cls: kind, limit: maxJournalEntries }
      names[kind] = keysOf(await api.call('journal.list', { query, signal }), manifest)
    }
  } catch (error) {
    if (!isProblem(error) || !(isJournalRefused(error) || tooOld.includes(error.status ?? 0))) throw error
  }
  return names
}

/** Lists the keys whose newest change is one of the manifest. */
function keysOf(entries: readonly JournalEntry[], manifest: string): Set<string> {
  const last = new Map<string, string>()
  for (const entry of entries)
    for (const { key, outcome } of entry.changes ?? []) {
      const isDone = successWords.some((word) => word === outcome)
      if (isDone && !last.has(key)) last.set(key, entry.manifest)
    }
  return new Set([...last].flatMap(([key, id]) => (id === manifest ? [key] : [])))
}
