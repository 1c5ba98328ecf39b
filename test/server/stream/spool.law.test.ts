import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Spool } from '../../../src/server/stream/spool.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-spool-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function readAll(spool: Spool): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of spool.chunks()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => Buffer.from(`${at};`.padEnd(1000, '.')))

describe('Spool', () => {
  test('returns the written bytes in order when reading starts after the end', async () => {
    const spool = new Spool({ folder, memoryBytes: 10_000 })
    const chunks = numbered(1000)
    for (const chunk of chunks) await spool.write(chunk)
    spool.end()
    expect(await readAll(spool)).toEqual(Buffer.concat(chunks))
    await spool.close()
  })

  test('returns the written bytes in order, however writing and reading interleave', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ writes: fc.array(fc.integer({ min: 1, max: 300 })), reads: fc.nat(5) })),
        fc.integer({ min: 0, max: 500 }),
        async (turns, memoryBytes) => {
          const spool = new Spool({ folder, memoryBytes })
          const reader = spool.chunks()
          const written: number[] = []
          const read: number[] = []
          for (const { writes, reads } of turns) {
            for (const length of writes) {
              const chunk = Buffer.from(Array.from({ length }, (_, at) => (written.length + at) % 251))
              written.push(...chunk)
              await spool.write(chunk)
            }
            for (let left = reads; left > 0 && read.length < written.length; left -= 1) {
              const next = await reader.next()
              read.push(...(next.value ?? []))
            }
          }
          spool.end()
          for await (const chunk of reader) read.push(...chunk)
          expect(read).toEqual(written)
          await spool.close()
        },
      ),
      { seed: 20_240_503, numRuns: process.env.LANDFORM_SOAK ? 2000 : 60 },
    )
  })

  test('leaves no file behind, even while it is open', async () => {
    const spool = new Spool({ folder, memoryBytes: 10 })
    for (const chunk of numbered(5)) await spool.write(chunk)
    expect(await readdir(folder)).toEqual([])
    await spool.close()
    expect(await readdir(folder)).toEqual([])
  })

  test('is closed only after its file is closed, for every caller', async () => {
    const spool = new Spool({ folder, memoryBytes: 10 })
    for (const chunk of numbered(5)) await spool.write(chunk)
    const closed: string[] = []
    await Promise.all(['first', 'second'].map((name) => spool.close().then(() => closed.push(name))))
    expect(closed).toEqual(['first', 'second'])
  })

  test('throws the error of the writer after the last byte', async () => {
    const spool = new Spool({ folder })
    await spool.write(Buffer.from('first'))
    spool.end(new Error('the rest is missing'))
    const reader = spool.chunks()
    expect(String((await reader.next()).value)).toBe('first')
    await expect(reader.next()).rejects.toThrow('the rest is missing')
    await spool.close()
  })

  test('throws an error before the first byte before reading', async () => {
    const spool = new Spool({ folder })
    const waiting = spool.untilReadable()
    spool.end(new Error('nothing came'))
    await expect(waiting).rejects.toThrow('nothing came')
    await spool.close()
  })

  test('fails the writer if the folder is missing, once the memory is full', async () => {
    const spool = new Spool({ folder: join(folder, 'gone'), memoryBytes: 10 })
    await spool.write(Buffer.alloc(10))
    await expect(spool.write(Buffer.alloc(1))).rejects.toThrow('ENOENT')
    await spool.close()
  })
})
