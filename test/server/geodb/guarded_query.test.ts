import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import type { Database } from '../../../src/database/database.ts'
import { openForeign } from '../../../src/database/foreign_database.ts'
import { guardForeign } from '../../../src/server/geodb/guarded_query.ts'
import { useForeign } from '../../support/geodb.ts'

const openDatabase = useForeign()
const opened: Database[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

async function open(statementTimeoutMs: number): Promise<Database> {
  const { hostname: host, username: user, ...there } = (await openDatabase()).connection
  const limits = { poolSize: 8, connectMs: 5000, statementTimeoutMs }
  const database = openForeign({ host, user, ...there, ...limits, sslMode: null, log: silentLog })
  opened.push(database)
  return guardForeign(() => database, { connectionId: 7, table: { schema: 'public', table: 'slow' } })
}

const running = new AbortController()

test('a list whose rows do not arrive ends at the statement timeout', async () => {
  const database = await open(200)
  const read = (tx: Pick<Database, 'copyOut'>) => Array.fromAsync(tx.copyOut('select 1 from pg_sleep(100)'))
  const message = expect.stringMatching(/"slow" in .*: the query did not return rows for 200 ms/)
  const list = database.transaction(read, { readOnly: true, signal: running.signal })
  await expect(list).rejects.toMatchObject({ code: 'external/database', message })
  await expect(read(database)).rejects.toMatchObject({ code: 'external/database' })
})

test('a query ends when its signal is aborted', async () => {
  const database = await open(60_000)
  const signal = AbortSignal.timeout(100)
  const sleeping = database.query('select pg_sleep(100)', [], { signal })
  await expect(sleeping).rejects.toMatchObject({ code: 'request/aborted' })
})
