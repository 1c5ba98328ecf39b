import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckCounts, runCheck } from '../../catalog/run_check.ts'
import { deleteOldStatuses } from '../../store/catalog/status_history.ts'
import type { ServerContext } from '../context.ts'
import { checkSettingsOf } from './check_settings.ts'

/** The server starts first; a server that restarts again and again does not request the services each time. */
const firstDelayMs = 60_000
/** Interval in which the server looks for services to check. */
const lookMs = { least: 1000, most: 60 * 60_000 }
/** Parts of the time between two checks of a service after which the server looks for services to check. */
const looksPerCheck = 24

/** Status records that are deleted at once. */
const deletedAtOnce = 1000

/**
 * Checks the geoservices of the catalog whose last check is old, again and again until the returned function is called,
 * which aborts running checks. Of several processes on one database, one checks at a time. Does not keep the process alive.
 */
export function startCheckSchedule(context: ServerContext): () => Promise<void> {
  const { catalogCheckHours: hours, catalog } = context
  if (hours === 'off' || catalog === 'off') return async () => undefined
  const stop = new AbortController()
  const check = createCheck(context, hours, stop.signal)
  const intervalMs = Math.min(Math.max((hours * 60 * 60_000) / looksPerCheck, lookMs.least), lookMs.most)
  const repeat = async () => {
    await pause(Math.min(firstDelayMs, intervalMs), stop.signal)
    while (!stop.signal.aborted) {
      await check()
      await pause(intervalMs, stop.signal)
    }
  }
  const running = repeat()
  return async () => {
    stop.abort()
    await running
  }
}

/** Waits about as long; processes that start at the same time do not look at the same time. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  const options = { signal, ref: false }
  await sleep(delayMs * (0.5 + Math.random()), undefined, options).catch(() => undefined)
}

function createCheck(context: ServerContext, hours: number, signal: AbortSignal): () => Promise<void> {
  const { database, log, catalogHistoryDays: days } = context
  // Each host gets one request at a time, of one process.
  const settings = { ...checkSettingsOf(context, signal), isExclusive: true }
  return async () => {
    try {
      const counts = await runCheck(database, { olderThanHours: hours }, settings)
      if (total(counts) > 0) log.info({ ...counts }, 'checked geoservices')
      while (!signal.aborted) {
        const deleted = await deleteOldStatuses(database, { days, limit: deletedAtOnce })
        if (deleted < deletedAtOnce) return
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, 'cannot check geoservices')
    }
  }
}

const total = ({ works, problematic, failed }: CheckCounts) => works + problematic + failed
