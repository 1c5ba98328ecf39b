import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { problem } from '../contract/problems.ts'

/** Who wants the lock, and how to ask whether somebody still runs. */
export interface Locker {
  /** Random: the same opener may lock again, after its worker died. */
  readonly token: string
  readonly pid: number
  isRunning(pid: number): boolean
}

/** What a lock file says about its holder. */
interface Holder {
  readonly token: string
  readonly pid: number
  /** What tells this process from another one with the same number; null where the system does not say. */
  readonly start: string | null
  readonly released?: boolean
}

const pattern = /^lock\.(\d+)$/

/**
 * Takes the lock of a folder, from a dead process too.
 *
 * The lock is the file `lock.<n>` with the highest number. Whoever finds its holder dead, or the lock given back, makes
 * `lock.<n+1>`, which the file system allows once; so two that steal at the same time cannot both have it, wherever
 * either is interrupted. The highest number is never removed: numbers that came again would let a slow thief in.
 *
 * @throws {Problem} database/locked while another process has it
 */
export async function lockFolder(folder: string, locker: Locker): Promise<void> {
  await mkdir(folder, { recursive: true })
  const me: Holder = {
    token: locker.token,
    pid: locker.pid,
    start: await findStart(locker.pid),
  }
  const draft = join(folder, `lock.${locker.pid}.${randomUUID()}.new`)
  await writeFile(draft, JSON.stringify(me), { mode: 0o600, flush: true })
  try {
    while (!(await tryLock(folder, draft, locker)));
  } finally {
    await rm(draft, { force: true })
  }
}

/** Gives the lock back, if this token has it. */
export async function unlockFolder(folder: string, token: string): Promise<void> {
  const newest = Math.max(0, ...(await listNumbers(folder)))
  const holder = await readHolder(lockPath(folder, newest))
  if (holder?.token !== token) return
  const draft = join(folder, `lock.${randomUUID()}.new`)
  await writeFile(draft, JSON.stringify({ ...holder, released: true }), { flush: true })
  await rename(draft, lockPath(folder, newest))
}

async function tryLock(folder: string, draft: string, locker: Locker): Promise<boolean> {
  const newest = Math.max(0, ...(await listNumbers(folder)))
  const holder = newest === 0 ? undefined : await readHolder(lockPath(folder, newest))
  if (holder?.token === locker.token && !holder.released) return true
  if (holder && (await isHeld(holder, locker))) {
    throw problem('database/locked', `process ${holder.pid} uses the data folder ${folder}`, {
      data: { pid: holder.pid, folder },
    })
  }
  const mine = lockPath(folder, newest + 1)
  if (!(await linkOnce(draft, mine))) return false
  const numbers = await listNumbers(folder)
  if (Math.max(...numbers) > newest + 1) {
    await rm(mine, { force: true })
    return false
  }
  const older = numbers.filter((number) => number <= newest)
  await Promise.all(older.map((number) => rm(lockPath(folder, number), { force: true })))
  return true
}

async function isHeld(holder: Holder, locker: Locker): Promise<boolean> {
  if (holder.released || !locker.isRunning(holder.pid)) return false
  const start = await findStart(holder.pid)
  return holder.start === null || start === null || start === holder.start
}

async function listNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number)
}

// A lock file that is gone between listing and reading has a successor.
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

/** When a process started, in ticks since a boot that is named too. @see proc(5), /proc/pid/stat, field 22 */
async function findStart(pid: number): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name of the program, in parentheses, and may hold blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return `${boot.trim()} ${fields[19]}`
  } catch {
    return null
  }
}
