import { afterAll, expect, test } from 'vitest'
import { workFor } from '../../../src/database/turns.ts'
import { readEach } from '../../../src/server/features/read_parts.ts'
import { openTestDatabase } from '../../support/drivers.ts'

const database = await openTestDatabase('postgres')
afterAll(() => database.close())

const statementMs = { pglite: 60_000, postgres: 60_000 }

test('exports of a caller, however slow, leave connections to its other work and to lists of few features', async () => {
  const { signal } = new AbortController()
  const statements = [{ text: 'select 1', values: [] }]
  const released = Promise.withResolvers<void>()
  await workFor({ name: 'a', statementMs }, async () => {
    // More than there are connections.
    const exports = Array.from({ length: 12 }, () =>
      readEach({ database, statements, signal }, () => released.promise),
    )
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    const rows: string[] = []
    await readEach({ database, statements, most: 100, signal }, async (tx, { text }) => {
      for await (const chunk of tx.copyOut(text)) rows.push(Buffer.from(chunk).toString())
    })
    expect(rows).toEqual(['1\n'])
    released.resolve()
    await Promise.all(exports)
  })
})
