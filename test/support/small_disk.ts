import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A disk that is small enough to be filled. */
export interface SmallDisk {
  /** A folder on the disk, empty at first. */
  readonly folder: string
  /** What a program is started with, to see the disk as others see theirs, in the folder `inside`. */
  readonly enter: readonly string[]
  readonly inside: string
  /** Takes all the room there is but so many bytes. */
  fill(leftBytes?: number): Promise<void>
  /** Gives the room back. */
  free(): Promise<void>
  /** Lets go of the disk and all that is on it. */
  unmount(): Promise<void>
}

/** A user of this machine; the one who runs the tests where nobody is named. */
export interface DiskOwner {
  readonly uid?: number
  readonly gid?: number
}

/**
 * Makes a small disk in memory, in a mount namespace of its own, which an ordinary user may make too. A shell holds it,
 * through whose root it is seen, and goes with the disk, or with the process of the test.
 *
 * @see proc(5), `/proc/[pid]/root`
 */
export async function mountSmallDisk(sizeBytes: number, owner: DiskOwner = {}): Promise<SmallDisk> {
  const place = mkdtempSync(join(tmpdir(), 'landform-disk-'))
  const shell = spawn('unshare', ['--mount', '--map-root-user', 'sh'], {
    ...owner,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(shell, 'exit')
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  const run = async (commands: string) => {
    shell.stdin.write(`${commands} && echo done || echo failed\n`)
    const { value } = await lines.next()
    if (value !== 'done') throw new Error(`the small disk: ${commands}: ${value}`)
  }
  const mount = `mount -t tmpfs -o size=${sizeBytes},mode=0755 small ${place}`
  await run(`${mount} && cd ${place} && mkdir folder`)
  return {
    folder: `/proc/${shell.pid}/root${join(place, 'folder')}`,
    enter: ['nsenter', '--preserve-credentials', '--user', '--mount', `--target=${shell.pid}`, '--'],
    inside: join(place, 'folder'),
    // What ends without room has taken all there is.
    fill: (leftBytes = 0) =>
      run(`{ dd if=/dev/zero of=ballast bs=64k 2>&- ; truncate --size=-${leftBytes} ballast; }`),
    free: () => run('rm -f ballast'),
    async unmount() {
      shell.stdin.end()
      await gone
      rmdirSync(place)
    },
  }
}
