import { expect, test } from 'vitest'
import { type LogFields, silentLog } from '../../../src/core/log.ts'
import { createLoads } from '../../../src/server/upload/load_queue.ts'
import { openTestDatabase } from '../../support/drivers.ts'
import { copies, makeGate } from '../../support/gate.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { startTestServer } from '../../support/server.ts'

test('an upload has progress only while it is read into a layer', async () => {
  const writing = makeGate(await openTestDatabase('postgres'), copies)
  const indexing = makeGate(writing.database, /add primary key/)
  const server = await startTestServer('postgres', { database: indexing.database })
  const client = openLayerClient(server)
  const rows = Array.from({ length: 60_000 }, (_, index) => `${index},1,2`)
  const source = await client.upload('a.csv', `nr,lon,lat\n${rows.join('\n')}\n`)
  const look = async () => {
    const answer = await server.admin('GET', `/api/component/file_upload/${source.id}`)
    return (await answer.json<{ loading?: { step: string; features: number } }>()).loading
  }
  expect(await look()).toBeUndefined()
  const writes = writing.shut()
  const indexes = indexing.shut()
  const making = client.create({ source, srs: { id: 3857 } })
  await writes.reached
  expect(await look()).toEqual({ step: 'writing', features: 0, total: 60_000 })
  writing.open()
  await indexes.reached
  expect(await look()).toEqual({ step: 'indexing', features: 60_000, total: 60_000 })
  indexing.open()
  await making
  expect(await look()).toBeUndefined()
  await server.stop()
})

test('the progress of a long import is logged', async () => {
  const loads = createLoads(1)
  const lines: LogFields[] = []
  const log = { ...silentLog, info: (facts: LogFields) => lines.push(facts) }
  await loads.follow({ uploadId: 'a', log }, async (onProgress) => {
    onProgress({ step: 'writing', features: 5, total: 9 })
    while (lines.length === 0) await new Promise(setImmediate)
  })
  expect(lines[0]).toEqual({ upload: 'a', step: 'writing', features: 5, total: 9 })
  expect(loads.find('a')).toBeUndefined()
})
