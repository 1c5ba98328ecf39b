import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findDatabaseLeftovers, openTestSchema } from './embedded.ts'
import { findServers, subtract } from './leftovers.ts'

test('a schema is reported until it is closed', async () => {
  const database = await openTestSchema()
  await database.query(`create schema ${database.schema}`)
  expect(await findDatabaseLeftovers()).toEqual([`schema ${database.schema}`])
  await database.close()
  expect(await findDatabaseLeftovers()).toEqual([])
})

test('objects outside the schema of a test are reported', async () => {
  const database = await openTestSchema()
  await database.query('create table public.astray (id serial)')
  const unlisten = await database.listen('news', () => undefined)
  expect(await findDatabaseLeftovers()).toEqual([
    'channel news',
    'relation public.astray',
    'relation public.astray_id_seq',
  ])
  await unlisten()
  await database.query('drop table public.astray')
  await database.close()
  expect(await findDatabaseLeftovers()).toEqual([])
})

test('a listening server is reported until it is closed', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  expect(await findServers()).toEqual(['a listening server'])
  server.close()
  expect(await findServers()).toEqual([])
})

test('leftovers of an earlier file are not attributed to a later one', () => {
  expect(subtract(['a', 'b', 'a'], ['a', 'c'])).toEqual(['b', 'a'])
})
