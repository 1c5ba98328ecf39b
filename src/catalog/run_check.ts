import { randomUUID } from 'node:crypto'
import type { CumulativeStatus } from '../contract/catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import {
  type CheckRun,
  type CheckTarget,
  type ClaimFilter,
  claimTargets,
  finishClaims,
  releaseClaims,
} from '../store/catalog/check_target.ts'
import { addStatuses, type CheckResult } from '../store/catalog/geoservice_status.ts'
import { type CheckSettings, checkServices } from './check_services.ts'

/** Which services a run checks: all, those whose last check is older, or those with the ids. */
export type CheckScope = 'all' | { readonly olderThanHours: number } | { readonly ids: readonly number[] }

/** Number of checked services by result. */
export type CheckCounts = Readonly<Record<CumulativeStatus, number>>

/** Settings of a run. */
export interface RunSettings extends CheckSettings {
  /** Receives results once they are stored. */
  readonly onResults?: (results: readonly CheckResult[]) => void | Promise<void>
  /** Whether the run leaves all services to another one that is in progress, instead of sharing them. */
  readonly isExclusive?: boolean
}

/** Services that are claimed at once. */
const pageSize = 100

/** A check ends within its timeout, and its result renews the claims of the run. */
const claimTimeouts = 10

/**
 * Checks geoservices and stores the results. Processes that check at the same time share the services: each claims the
 * next ones for itself, and leaves out those that were checked since it began.
 *
 * @throws {Problem} pipeline/interrupted if the signal is aborted; results until then are stored
 */
export async function runCheck(
  database: Database,
  scope: CheckScope,
  { isExclusive = false, ...settings }: RunSettings,
): Promise<CheckCounts> {
  const run = {
    run: randomUUID(),
    claimSeconds: Math.max(60, (claimTimeouts * settings.timeoutMs) / 1000),
  }
  const counts = { works: 0, problematic: 0, failed: 0 }
  try {
    const targets = claimAll(database, run, { ...filterOf(scope), isExclusive })
    for await (const results of checkServices(targets, settings)) {
      await store(database, run, results)
      await settings.onResults?.(results)
      for (const { cumulative_status: status } of results) counts[status] += 1
    }
  } finally {
    await releaseClaims(database, run.run)
  }
  return counts
}

function filterOf(scope: CheckScope): ClaimFilter {
  const now = Date.now()
  if (scope === 'all') return { uncheckedSince: new Date(now) }
  if ('ids' in scope) return { uncheckedSince: new Date(now), ids: scope.ids }
  return { uncheckedSince: new Date(now - scope.olderThanHours * 60 * 60_000) }
}

/** Claims services page by page, as they are checked. */
async function* claimAll(
  database: Database,
  run: CheckRun,
  filter: ClaimFilter,
): AsyncGenerator<CheckTarget> {
  for (let after = 0; ; ) {
    const page = await database.transaction((tx) =>
      claimTargets(tx, run, { ...filter, after, limit: pageSize }),
    )
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

async function store(database: Database, run: CheckRun, results: readonly CheckResult[]): Promise<void> {
  await database.transaction(async (tx) => {
    await addStatuses(tx, results)
    const ids = results.map(({ geoservice }) => geoservice)
    await finishClaims(tx, run, ids)
  })
}
