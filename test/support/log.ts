import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { createLog } from '../../src/server/log.ts'
import type { TestServer } from './server.ts'

/** Creates a log at level debug, and returns it with the lines written so far. */
export function captureLog() {
  const written: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { log: createLog('debug', sink), written }
}

/** Sends a request while a table is renamed, so that the server fails internally and logs the details. */
export async function requestWithoutTable(
  { database }: TestServer,
  table: string,
  send: () => Promise<{ readonly status: number }>,
): Promise<void> {
  await database.query(`alter table ${table} rename to gone`)
  const { status } = await send()
  await database.query(`alter table gone rename to ${table}`)
  expect(status).toBe(500)
}
