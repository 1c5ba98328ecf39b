/** Runs the program as `src/cli/main.ts` does, then tells its parent what it used. */
await import('../../../src/cli/main.ts')
const { user, system } = process.cpuUsage()
const peakBytes = process.resourceUsage().maxRSS * 1024
process.send?.({ cpuSeconds: (user + system) / 1e6, peakBytes })
process.disconnect?.()
