import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cls, clsNames } from '../../../src/contract/registry.ts'
import { behaviourOf } from '../../../src/server/classes/behaviours.ts'
import { createServer, type RunningServer } from '../../../src/server/server.ts'
import { type Family, makeSample } from '../../support/class_samples.ts'
import { openTestDatabase } from '../../support/drivers.ts'
import { createStyledLayer } from '../../support/samples.ts'
import { type Ask, adminPassword, createAsk } from '../../support/server.ts'
import { observeStatements } from '../../support/statement_observer.ts'

let statements: string[] = []
let running: RunningServer
let admin: Ask
let folder: string
let family: Family
beforeAll(async () => {
  const database = observeStatements(await openTestDatabase('postgres'), (text, isInside) => {
    // What the server does besides (who asks, what is old) is none of a class's.
    if (isInside) statements.push(text)
  })
  folder = await mkdtemp(join(tmpdir(), 'landform-sets-'))
  const listen = { host: '127.0.0.1', port: 0 }
  running = await createServer({ listen, dataFolder: folder, database, adminPassword })
  await running.cleaned
  admin = createAsk(running.url, { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` })
  const { group, layer, style } = await createStyledLayer(admin)
  family = {
    ask: admin,
    ids: new Map([
      ['resource_group', group],
      ['vector_layer', layer],
      ['mapsrv_style', style],
    ]),
  }
})
afterAll(async () => {
  await running.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Their data come from another database, or from a file each. */
const single: readonly Cls[] = ['geodb_connection', 'geodb_layer', 'raster_layer']
const sets = clsNames.filter((cls) => !single.includes(cls))

/** Makes a number of resources in one batch. Gives how many statements that takes. */
async function countStatements(cls: Cls, count: number): Promise<number> {
  const operations: object[] = []
  for (let at = 0; at < count; at += 1) {
    const name = `${cls}-${count}-${at}`
    const { parent, members } = await makeSample(family, cls, name)
    const resource = { cls, parent: { id: parent }, display_name: name }
    operations.push({ op: 'create', body: { resource, ...members } })
  }
  statements = []
  const answer = await admin('POST', '/api/component/landform/batch', { operations })
  expect(answer.status, await answer.text()).toBe(200)
  return statements.length
}

test.each(sets)('%s: creating forty takes as many statements as creating two', async (cls) => {
  await countStatements(cls, 1)
  expect(await countStatements(cls, 40)).toBe(await countStatements(cls, 2))
})

test.each(sets)('%s: reading fifty takes as many statements as reading two', async (cls) => {
  await countStatements(cls, 50)
  const { database } = running.context
  const rows = await database.query<{ id: number }>('select id from resource where cls = $1', [cls])
  const count = async (ids: readonly number[]) => {
    statements = []
    await database.transaction((tx) => behaviourOf(cls).readMembers(tx, ids))
    return statements.length
  }
  const ids = rows.map(({ id }) => id)
  expect(await count(ids)).toBe(await count(ids.slice(0, 2)))
})
