import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { checkpointWhenDue, openEmbedded } from '../../src/database/pglite.ts'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

test('checkpoints bound the write-ahead log of the embedded database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-wal-'))
  folders.push(folder)
  const database = await openEmbedded({ folder, log: silentLog })
  const target = {
    query: async <R extends object>(text: string) => ({ rows: await database.query<R>(text) }),
  }
  const write = () =>
    database.query('insert into bulk select repeat(md5(n::text), 30) from generate_series(1, 8000) n')
  const segments = async () =>
    (await readdir(join(folder, 'data', 'pg_wal'))).filter((name) => /^[0-9A-F]{24}$/.test(name))
  try {
    await database.query('create schema landform')
    await database.query('create table landform.bulk (a text)')
    expect(await checkpointWhenDue(target)).toBe(false)
    const limit = 4 * 2 ** 20
    for (let round = 0; round < 16; round += 1) {
      await write()
      expect(await checkpointWhenDue(target, limit)).toBe(true)
      expect(await checkpointWhenDue(target, limit)).toBe(false)
    }
    // 128 MB were written, in segments of 16 MB.
    expect((await segments()).length).toBeLessThanOrEqual(6)
  } finally {
    await database.close()
  }
})
