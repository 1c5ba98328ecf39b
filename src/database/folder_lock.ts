import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { problem } from '../contract/problems.ts'

/** The process that takes the lock, and the check whether a process is alive. */
export interface LockOwner {
  /** Random; its owner may take the lock again after its worker died. */
  readonly token: string
  readonly pid: number
  isRunning(pid: number): boolean
}

/** Content of a lock file. */
interface Holder {
  readonly token: string
  readonly pid: number
  /** Start time, which distinguishes processes with the same PID; null if the system does not provide it. */
  readonly start: string | null
  readonly released?: boolean
}

const pattern = /^lock\.(\d+)$/

/**
 * Locks a folder; takes over the lock of a dead process.
 *
 * The lock is the file `lock.<n>` with the highest number. A process that finds its holder dead or the lock released
 * links `lock.<n+1>`, which the file system allows only once, so two processes cannot both take over, wherever either
 * is interrupted. The highest number is never removed: a reused number would let a slow process take the lock as well.
 *
 * @throws {Problem} database/locked while another process holds it
 */
export async function lockFolder(folder: string, owner: LockOwner): Promise<void> {
  await mkdir(folder, { recursive: true })
  const self: Holder = {
    token: owner.token,
    pid: owner.pid,
    start: await findStart(owner.pid),
  }
  const draft = join(folder, `lock.${owner.pid}.${randomUUID()}.new`)
  await writeFile(draft, JSON.stringify(self), { mode: 0o600, flush: true })
  try {
    while (!(await tryLock(folder, draft, owner)));
  } finally {
    await rm(draft, { force: true })
  }
}

/** Releases the lock if this token holds it. */
export async function unlockFolder(folder: string, token: string): Promise<void> {
  const newest = Math.max(0, ...(await listNumbers(folder)))
  const holder = await readHolder(lockPath(folder, newest))
  if (holder?.token !== token) return
  const draft = join(folder, `lock.${randomUUID()}.new`)
  await writeFile(draft, JSON.stringify({ ...holder, released: true }), { flush: true })
  await rename(draft, lockPath(folder, newest))
}

async function tryLock(folder: string, draft: string, owner: LockOwner): Promise<boolean> {
  const newest = Math.max(0, ...(await listNumbers(folder)))
  const holder = newest === 0 ? undefined : await readHolder(lockPath(folder, newest))
  if (holder?.token === owner.token && !holder.released) return true
  if (holder && (await isHeld(holder, owner))) {
    throw problem('database/locked', `the data folder ${folder} is in use by process ${holder.pid}`, {
      data: { pid: holder.pid, folder },
    })
  }
  const path = lockPath(folder, newest + 1)
  if (!(await linkOnce(draft, path))) return false
  const numbers = await listNumbers(folder)
  if (Math.max(...numbers) > newest + 1) {
    await rm(path, { force: true })
    return false
  }
  const older = numbers.filter((number) => number <= newest)
  await Promise.all(older.map((number) => rm(lockPath(folder, number), { force: true })))
  return true
}

async function isHeld(holder: Holder, owner: LockOwner): Promise<boolean> {
  if (holder.released || !owner.isRunning(holder.pid)) return false
  const start = await findStart(holder.pid)
  return holder.start === null || start === null || start === holder.start
}

async function listNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number)
}

// A lock file removed between listing and reading has a successor.
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}

async function linkOnce(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function lockPath(folder: string, number: number): string {
  return join(folder, `lock.${number}`)
}

/** Start time of a process: the boot id and the ticks since boot. @see proc(5), /proc/pid/stat, field 22 */
async function findStart(pid: number): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses, which may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return `${boot.trim()} ${fields[19]}`
  } catch {
    return null
  }
}
