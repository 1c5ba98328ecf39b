import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A disk small enough to fill. */
export interface SmallDisk {
  /** Path of an initially empty folder on the disk. */
  readonly folder: string
  /** Command prefix that runs a program with the disk mounted, at the path `inside`. */
  readonly enter: readonly string[]
  readonly inside: string
  /** Fills the disk, except for a number of bytes. */
  fill(leftBytes?: number): Promise<void>
  /** Frees the disk. */
  free(): Promise<void>
  /** Removes the disk and its content. */
  unmount(): Promise<void>
}

/** User and group of the disk; by default those of the test process. */
export interface DiskOwner {
  readonly uid?: number
  readonly gid?: number
}

/**
 * Creates a small disk in memory, in a separate mount namespace, which an unprivileged user can create too. A shell
 * keeps the namespace, accessible through its root, until the disk is removed or the test process exits.
 *
 * @see proc(5), `/proc/[pid]/root`
 */
export async function mountSmallDisk(sizeBytes: number, owner: DiskOwner = {}): Promise<SmallDisk> {
  const mountPoint = mkdtempSync(join(tmpdir(), 'landform-disk-'))
  const shell = spawn('unshare', ['--mount', '--map-root-user', 'sh'], {
    ...owner,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(shell, 'exit')
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  const run = async (commands: string) => {
    shell.stdin.write(`${commands} && echo done || echo failed\n`)
    const { value } = await lines.next()
    if (value !== 'done') throw new Error(`the small disk: ${commands}: ${value}`)
  }
  const mount = `mount -t tmpfs -o size=${sizeBytes},mode=0755 small ${mountPoint}`
  await run(`${mount} && cd ${mountPoint} && mkdir -m 700 folder`)
  return {
    folder: `/proc/${shell.pid}/root${join(mountPoint, 'folder')}`,
    enter: ['nsenter', '--preserve-credentials', '--user', '--mount', `--target=${shell.pid}`, '--'],
    inside: join(mountPoint, 'folder'),
    // dd stops when the disk is full.
    fill: (leftBytes = 0) =>
      run(`{ dd if=/dev/zero of=ballast bs=64k 2>&- ; truncate --size=-${leftBytes} ballast; }`),
    free: () => run('rm -f ballast'),
    async unmount() {
      shell.stdin.end()
      await exited
      rmdirSync(mountPoint)
    },
  }
}
