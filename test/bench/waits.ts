/** Sends every heavy request, on both databases: how long a light read of another caller waits meanwhile. */
import { measureWaits } from '../support/heavy_requests.ts'
import { measureEmpty } from './support/both.ts'
import { report } from './support/report.ts'
import { benchPassword } from './support/server.ts'

const size = { resources: 9999, points: 200_000, positions: 40_000 }
const promisedMs = 1000

await measureEmpty(async (server, driver) => {
  const waits = measureWaits({ ...server, password: benchPassword }, size)
  for await (const { route, ms, reads, longestMs } of waits)
    report({
      name: `longest wait of others beside ${route}, ${driver}`,
      value: `${Math.round(longestMs)} ms (${reads} reads in ${(ms / 1000).toFixed(1)} s)`,
      promised: `< ${promisedMs} ms`,
      isKept: longestMs < promisedMs,
    })
})
