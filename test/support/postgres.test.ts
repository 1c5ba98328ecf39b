import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase, usePostgres } from './postgres.ts'
import { execute } from './sql.ts'

const database = usePostgres()

test('a test database has PostGIS', async () => {
  const rows = await execute(database.url, "select st_astext('point(1 2)'::geometry) as wkt")
  expect(rows).toEqual([{ wkt: 'POINT(1 2)' }])
})

test('test databases are independent', async () => {
  const other = await createTestDatabase()
  await execute(other.url, 'create table probe (id int)')
  expect(await execute(database.url, "select to_regclass('probe') as found")).toEqual([{ found: null }])
  await other.drop()
})

test('dropping a test database reports an open connection', async () => {
  const other = await createTestDatabase()
  const client = new Client({ connectionString: other.url })
  client.on('error', () => undefined)
  await client.connect()
  await expect(other.drop()).rejects.toThrow('is being accessed by other users')
  await client.end()
})
