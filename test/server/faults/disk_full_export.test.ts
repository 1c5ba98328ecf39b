import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KillableServer, spawnServer } from '../../support/killable.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { mountSmallDisk, type SmallDisk } from '../../support/small_disk.ts'
import { createLayer } from '../../support/tree.ts'

let disk: SmallDisk
let database: Awaited<ReturnType<typeof createTestDatabase>>
let server: KillableServer
let layer = ''
beforeAll(async () => {
  disk = await mountSmallDisk(96 * 2 ** 20)
  database = await createTestDatabase()
  // SQLite cannot find its files on a disk that is seen through another process: the server is to be on it.
  server = await spawnServer(disk.inside, database.url, { enter: disk.enter })
  const fields = [{ keyname: 'text', datatype: 'STRING' }]
  layer = `/api/resource/${await createLayer(server.admin, { name: 'Many', geometryType: 'POINT', fields })}`
  const entries = Array.from({ length: 20_000 }, (_, at) => ({
    geom: `POINT(${at} 0)`,
    fields: { text: `${at} `.padEnd(200, 'x') },
  }))
  expect((await server.admin('PATCH', `${layer}/feature/`, entries)).status).toBe(200)
})
afterAll(async () => {
  await server?.kill()
  await disk?.unmount()
  await database?.drop()
})

const listTemporary = () => readdirSync(join(disk.folder, 'temporary'))

test.each(['GPKG', 'FlatGeobuf', 'ESRI Shapefile', 'XLSX'])(
  'a full disk refuses an export as %s, leaves nothing behind, and the export succeeds when there is space',
  async (format) => {
    const send = () => server.admin('GET', `${layer}/export?format=${encodeURIComponent(format)}&zipped=True`)
    await disk.fill(300_000)
    const refused = await send()
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'files/full' }),
    ])
    expect(listTemporary()).toEqual([])
    await disk.free()
    const answer = await send()
    expect(answer.status).toBe(200)
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(10_000)
    expect(listTemporary()).toEqual([])
  },
)
