/**
 * Runs the built program as users do, then tells its parent what it used. `npm run bench` builds it first. JavaScript, since to
 * strip types Node needs 50 ms of CPU, which users do not pay.
 */
await import(new URL('../../../dist/bundle/main.js', import.meta.url).href)
const { user, system } = process.cpuUsage()
const peakBytes = process.resourceUsage().maxRSS * 1024
process.send?.({ cpuSeconds: (user + system) / 1e6, peakBytes })
process.disconnect?.()
