import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer, type RunningServer } from '../../../src/server/server.ts'
import { openTestDatabase } from '../../support/drivers.ts'
import { adminPassword } from '../../support/server.ts'
import { observeStatements } from '../../support/statement_observer.ts'

let statements: string[] = []
let running: RunningServer
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-statements-'))
  const database = observeStatements(await openTestDatabase('postgres'), (text) => statements.push(text))
  const listen = { host: '127.0.0.1', port: 0 }
  running = await createServer({ listen, dataFolder: folder, database, adminPassword })
  await running.cleaned
})
afterAll(async () => {
  await running.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Asks twice, so that login and permissions are known, and gives the statements of the second time. */
async function listStatements(method: string, paths: readonly string[], bodies: readonly unknown[] = []) {
  let answer: unknown
  for (const [at, path] of paths.entries()) {
    statements = []
    const response = await fetch(running.url + path, {
      method,
      headers: { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` },
      ...(bodies[at] === undefined ? {} : { body: JSON.stringify(bodies[at]) }),
    })
    const text = await response.text()
    answer = response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text
    expect(response.status, JSON.stringify(answer)).toBe(200)
  }
  return { answer, statements }
}

const resource = (cls: string, display_name: string) => ({ cls, parent: { id: 0 }, display_name })

test('reading a group takes two statements, or one while its permissions are remembered', async () => {
  const path = '/api/resource/0'
  const { statements } = await listStatements('GET', [path, path])
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(2)
})

test('creating a group takes five round trips, a map two more', async () => {
  const path = '/api/resource/'
  const groups = ['a', 'b'].map((name) => ({ resource: resource('resource_group', name) }))
  const { statements: group } = await listStatements('POST', [path, path], groups)
  expect(group.length, group.join('\n')).toBeLessThanOrEqual(5)
  const maps = ['c', 'd'].map((name) => ({ resource: resource('webmap', name) }))
  const { statements: map } = await listStatements('POST', [path, path], maps)
  expect(map.length, map.join('\n')).toBeLessThanOrEqual(7)
})

test('renaming takes a few statements', async () => {
  const body = (display_name: string) => ({ resource: { display_name } })
  const { answer } = await listStatements(
    'POST',
    ['/api/resource/'],
    [{ resource: resource('resource_group', 'before') }],
  )
  const path = `/api/resource/${(answer as { id: number }).id}`
  const { statements: put } = await listStatements('PUT', [path, path], [body('once'), body('twice')])
  expect(put.length, put.join('\n')).toBeLessThanOrEqual(8)
})

test('lists, searches and trees take one statement more at most for a hundred resources than for ten', async () => {
  const paths = [
    '/api/resource/?parent=0',
    '/api/resource/search/?serialization=full',
    '/api/component/landform/tree',
  ]
  const count = async () => {
    const counts = []
    for (const path of paths) counts.push((await listStatements('GET', [path, path])).statements.length)
    return counts
  }
  const before = await count()
  for (let at = 0; at < 90; at += 1)
    await listStatements('POST', ['/api/resource/'], [{ resource: resource('resource_group', `n${at}`) }])
  // Permissions on a few resources are remembered; those on a hundred take a statement.
  const after = await count()
  for (const [at, most] of before.entries()) expect(after[at]).toBeLessThanOrEqual(most + 1)
})
