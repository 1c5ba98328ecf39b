import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LockOwner, lockFolder, unlockFolder } from '../../src/database/folder_lock.ts'

/** Larger than any PID. */
const unusedPid = 99_999_999

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-lock-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('refuses a second owner, naming the process that holds the lock', async () => {
  await lockFolder(folder, alive('a'))
  const refused = lockFolder(folder, alive('b'))
  await expect(refused).rejects.toMatchObject({ code: 'database/locked', data: { pid: process.pid, folder } })
  await expect(refused).rejects.toThrow(`the data folder ${folder} is in use by process ${process.pid}`)
})

test('can be taken again by its owner', async () => {
  await lockFolder(folder, alive('a'))
  await lockFolder(folder, alive('a'))
  expect(await readdir(folder)).toEqual(['lock.1'])
})

test('can be taken after its release', async () => {
  await lockFolder(folder, alive('a'))
  await unlockFolder(folder, 'a')
  await lockFolder(folder, alive('b'))
  expect(await readdir(folder)).toEqual(['lock.2'])
})

test('is released only by its owner', async () => {
  await lockFolder(folder, alive('a'))
  await unlockFolder(folder, 'b')
  await expect(lockFolder(folder, alive('b'))).rejects.toMatchObject({ code: 'database/locked' })
})

test('is taken over from a dead process', async () => {
  await lockFolder(folder, { ...alive('a'), isRunning: () => false })
  await lockFolder(folder, { ...alive('b'), isRunning: () => false })
  expect(await readdir(folder)).toEqual(['lock.2'])
})

test('is taken over if the PID of the dead process has been reused', async () => {
  const other = spawn('sleep', ['1000'])
  try {
    await lockFolder(folder, { ...alive('a'), pid: other.pid ?? 0 })
    await expect(lockFolder(folder, alive('b'))).rejects.toMatchObject({ code: 'database/locked' })
    const holder = JSON.parse(await readFile(join(folder, 'lock.1'), 'utf8'))
    await writeFile(join(folder, 'lock.1'), JSON.stringify({ ...holder, start: 'before' }))
    await lockFolder(folder, alive('b'))
  } finally {
    other.kill()
    await once(other, 'exit')
  }
})

test('goes to exactly one of many owners that take it over at the same time', async () => {
  for (let round = 0; round < 20; round += 1) {
    await writeFile(
      join(folder, `lock.${round + 1}`),
      JSON.stringify({ token: 'dead', pid: unusedPid, start: null }),
    )
    const attempts = Array.from({ length: 10 }, (_, at) => lockFolder(folder, alive(`${round}/${at}`)))
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await Promise.all((await readdir(folder)).map((name) => rm(join(folder, name))))
  }
})

test('ignores a truncated lock file left by a full disk', async () => {
  await writeFile(join(folder, 'lock.3'), '{"token":')
  await lockFolder(folder, alive('a'))
  expect(await readdir(folder)).toEqual(['lock.4'])
})

test('leaves no draft file behind when it is refused', async () => {
  await lockFolder(folder, alive('a'))
  await lockFolder(folder, alive('b')).catch(() => undefined)
  expect(await readdir(folder)).toEqual(['lock.1'])
})

function alive(token: string): LockOwner {
  return { token, pid: process.pid, isRunning }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
