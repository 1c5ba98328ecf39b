import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inRoot } from './paths.mjs'

const lockFile = inRoot('.cache/setup.lock')

/**
 * Runs an action under the set-up lock of this clone: a concurrent set-up would delete installed packages. Takes over
 * the lock of a dead process.
 */
export async function withLock(action) {
  mkdirSync(dirname(lockFile), { recursive: true })
  while (!tryLock()) {
    if (!isHeld()) rmSync(lockFile, { force: true })
    await wait(200)
  }
  const release = () => rmSync(lockFile, { force: true })
  process.once('exit', release)
  try {
    return await action()
  } finally {
    process.off('exit', release)
    release()
  }
}

function tryLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isHeld() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
