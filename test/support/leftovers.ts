import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { findDatabaseLeftovers } from './embedded.ts'

/** Lists the listening servers of this process, all with the same name. */
export async function findServers(): Promise<string[]> {
  // A closed server is released at the end of the turn.
  await setImmediate()
  await setImmediate()
  const servers = process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap')
  return servers.map(() => 'a listening server')
}

/** Returns the entries of `now` that are not in `before`, counting duplicates. */
export function subtract(now: readonly string[], before: readonly string[]): string[] {
  const rest = [...before]
  return now.filter((name) => {
    const at = rest.indexOf(name)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

const findLeftovers = async () => [...(await findServers()), ...(await findDatabaseLeftovers())]

// Test files share a process: leftovers are reported at the end of the file that caused them.
let before: readonly string[] = []
beforeAll(async () => {
  before = await findLeftovers()
})
afterAll(async () => {
  const left = subtract(await findLeftovers(), before)
  if (left.length > 0) throw new Error(`the tests of this file left behind: ${left.join(', ')}`)
})
