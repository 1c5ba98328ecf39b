import { successWords } from '../contract/bodies/journal.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'
import { supportsRoute } from './detect_server.ts'
import { isJournalRefused } from './journal_refusal.ts'

/** Keys that a manifest may have deleted. */
export interface DeletionsQuery {
  /** Id of the manifest. */
  readonly manifest: string
  readonly keys: readonly string[]
}

/** Finds the keys whose last change in the journal is a deletion by the manifest, as far as the account can read the journal. */
export async function readDeletions(
  api: Api,
  { manifest, keys }: DeletionsQuery,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>()
  if (!(await supportsRoute(api, 'journal.list', signal))) return deleted
  try {
    for (const key of keys) {
      const entries = await api.call('journal.list', { query: { key }, signal })
      const [last] = entries.flatMap((entry) =>
        (entry.changes ?? [])
          .filter(({ outcome }) => successWords.some((word) => word === outcome))
          .map(({ action }) => ({ manifest: entry.manifest, action })),
      )
      if (last?.action === 'delete' && last.manifest === manifest) deleted.add(key)
    }
  } catch (error) {
    if (!isProblem(error) || !isJournalRefused(error)) throw error
  }
  return deleted
}
