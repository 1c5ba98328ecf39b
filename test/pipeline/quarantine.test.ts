import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openQuarantine } from '../../src/pipeline/quarantine.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-quarantine-'))
})
afterAll(() => rm(folder, { recursive: true }))

const row = { line: 2, reason: 'x: is empty', cells: [''] }

describe('a quarantine', () => {
  it('keeps its file when it is closed again', async () => {
    const file = join(folder, 'kept', 'bad.ndjson')
    const quarantine = openQuarantine(file)
    await quarantine.add(row)
    await quarantine.close()
    await quarantine.close()
    expect([quarantine.count(), quarantine.file()]).toEqual([1, file])
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(row)
    expect(await readdir(join(folder, 'kept'))).toEqual(['bad.ndjson'])
  })

  it('removes the file of an earlier run if no row is bad', async () => {
    const file = join(folder, 'bad.ndjson')
    const earlier = openQuarantine(file)
    await earlier.add(row)
    await earlier.close()
    const later = openQuarantine(file)
    await later.close()
    await later.close()
    expect(later.file()).toBeUndefined()
    expect(await readdir(folder)).not.toContain('bad.ndjson')
  })
})
