import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase, usePostgres } from './postgres.ts'
import { execute } from './sql.ts'

const database = usePostgres()

test('a test database has PostGIS', async () => {
  const rows = await execute(database.url, "select st_astext('point(1 2)'::geometry) as wkt")
  expect(rows).toEqual([{ wkt: 'POINT(1 2)' }])
})

test('test databases share nothing', async () => {
  const other = await createTestDatabase()
  await execute(other.url, 'create table seen (id int)')
  expect(await execute(database.url, "select to_regclass('seen') as found")).toEqual([{ found: null }])
  await other.drop()
})

test('dropping a test database names a connection that was left open', async () => {
  const other = await createTestDatabase()
  const left = new Client({ connectionString: other.url })
  left.on('error', () => undefined)
  await left.connect()
  await expect(other.drop()).rejects.toThrow('is being accessed by other users')
  await left.end()
})
