import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { findDatabaseLeftovers } from './embedded.ts'

/** Names the servers that listen in this process, all alike. */
export async function findServers(): Promise<string[]> {
  // What is closed lives on to the end of the turn.
  await setImmediate()
  await setImmediate()
  const servers = process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap')
  return servers.map(() => 'a listening server')
}

/** Gives what is there now and was not there before. */
export function subtract(now: readonly string[], before: readonly string[]): string[] {
  const rest = [...before]
  return now.filter((name) => {
    const at = rest.indexOf(name)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

const findLeftovers = async () => [...(await findServers()), ...(await findDatabaseLeftovers())]

// Files share a process: what one of them leaves is named at its own end, before it surprises another.
let before: readonly string[] = []
beforeAll(async () => {
  before = await findLeftovers()
})
afterAll(async () => {
  const left = subtract(await findLeftovers(), before)
  if (left.length > 0) throw new Error(`the tests of this file left behind: ${left.join(', ')}`)
})
