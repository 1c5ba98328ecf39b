import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Locker, lockFolder, unlockFolder } from '../../src/database/lock.ts'

/** Larger than any number a process can have. */
const noProcess = 99_999_999

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-lock-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('keeps others out, naming who has it', async () => {
  await lockFolder(folder, alive('a'))
  const refused = lockFolder(folder, alive('b'))
  await expect(refused).rejects.toMatchObject({ code: 'database/locked', data: { pid: process.pid, folder } })
  await expect(refused).rejects.toThrow(`process ${process.pid} uses the data folder ${folder}`)
})

test('lets the same opener in again', async () => {
  await lockFolder(folder, alive('a'))
  await lockFolder(folder, alive('a'))
  expect(await readdir(folder)).toEqual(['lock.1'])
})

test('lets the next one in once it is given back', async () => {
  await lockFolder(folder, alive('a'))
  await unlockFolder(folder, 'a')
  await lockFolder(folder, alive('b'))
  expect(await readdir(folder)).toEqual(['lock.2'])
})

test('is given back only by who has it', async () => {
  await lockFolder(folder, alive('a'))
  await unlockFolder(folder, 'b')
  await expect(lockFolder(folder, alive('b'))).rejects.toMatchObject({ code: 'database/locked' })
})

test('is stolen from a process that is gone', async () => {
  await lockFolder(folder, { ...alive('a'), isRunning: () => false })
  await lockFolder(folder, { ...alive('b'), isRunning: () => false })
  expect(await readdir(folder)).toEqual(['lock.2'])
})

test('is stolen when the number of the dead process belongs to another one now', async () => {
  const other = spawn('sleep', ['1000'])
  try {
    await lockFolder(folder, { ...alive('a'), pid: other.pid ?? 0 })
    await expect(lockFolder(folder, alive('b'))).rejects.toMatchObject({ code: 'database/locked' })
    const held = JSON.parse(await readFile(join(folder, 'lock.1'), 'utf8'))
    await writeFile(join(folder, 'lock.1'), JSON.stringify({ ...held, start: 'before' }))
    await lockFolder(folder, alive('b'))
  } finally {
    other.kill()
    await once(other, 'exit')
  }
})

test('goes to exactly one of many that steal it at the same time', async () => {
  for (let round = 0; round < 20; round += 1) {
    await writeFile(
      join(folder, `lock.${round + 1}`),
      JSON.stringify({ token: 'dead', pid: noProcess, start: null }),
    )
    const thieves = Array.from({ length: 10 }, (_, at) => lockFolder(folder, alive(`${round}/${at}`)))
    const results = await Promise.allSettled(thieves)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await Promise.all((await readdir(folder)).map((name) => rm(join(folder, name))))
  }
})

test('is not upset by half a file that a full disk left', async () => {
  await writeFile(join(folder, 'lock.3'), '{"token":')
  await lockFolder(folder, alive('a'))
  expect(await readdir(folder)).toEqual(['lock.4'])
})

test('leaves no draft behind when it is refused', async () => {
  await lockFolder(folder, alive('a'))
  await lockFolder(folder, alive('b')).catch(() => undefined)
  expect(await readdir(folder)).toEqual(['lock.1'])
})

function alive(token: string): Locker {
  return { token, pid: process.pid, isRunning }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
