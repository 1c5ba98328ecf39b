import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A folder for files that are not finished yet. */
export interface Scratch {
  /** Gives a path that nobody uses. */
  newPath(): string
}

/** What nobody can tell to be dead is left alone for so long. */
const oldMs = 24 * 60 * 60 * 1000

/** Opens a scratch folder and removes what dead processes left there. */
export async function createScratch(folder: string): Promise<Scratch> {
  await mkdir(folder, { recursive: true })
  const prefix = await formatPrefix()
  await sweep(folder)
  return { newPath: () => join(folder, `${prefix}.${randomUUID()}`) }
}

// Names the process: machine, number, and start, for numbers come again.
async function formatPrefix(): Promise<string> {
  // A system without /proc does not say: its files are removed when they are old.
  const pid = await readlink('/proc/self').catch(() => '0')
  return `${encodeURIComponent(hostname()).replaceAll('.', '%2E')}.${pid}.${await findStart(pid)}`
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (await isDead(path, name)) await rm(path, { force: true })
  }
}

async function isDead(path: string, name: string): Promise<boolean> {
  const [host, pid = '0', start] = name.split('.')
  const here = encodeURIComponent(hostname()).replaceAll('.', '%2E')
  if (host === here && pid !== '0') return (await findStart(pid)) !== start
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > oldMs
}

/** When a process started, in ticks since a boot; empty when there is none of that number. @see proc(5) */
async function findStart(pid: string): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name of the program, in parentheses, and may hold blanks and parentheses.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    return `${boot.slice(0, 8)}-${ticks}`
  } catch {
    return ''
  }
}
