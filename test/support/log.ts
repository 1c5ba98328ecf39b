import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { createLog } from '../../src/server/log.ts'
import type { TestServer } from './server.ts'

/** Makes a log of everything a server tells, and gives what has been written so far. */
export function keepLog() {
  const written: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { log: createLog('debug', sink), written }
}

/** Asks while a table is away, so that the server fails inside and tells the log all it knows. */
export async function askWithout(
  { database }: TestServer,
  table: string,
  ask: () => Promise<{ readonly status: number }>,
): Promise<void> {
  await database.query(`alter table ${table} rename to gone`)
  const { status } = await ask()
  await database.query(`alter table gone rename to ${table}`)
  expect(status).toBe(500)
}
