import { execFileSync } from 'node:child_process'
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDiskFull } from '../../src/files/full.ts'

/** A disk that is small enough to be filled. */
export interface SmallDisk {
  /** A folder on the disk, empty at first. */
  readonly folder: string
  /** Takes all the room there is but so many bytes. */
  fill(leftBytes?: number): void
  /** Gives the room back. */
  free(): void
  unmount(): void
}

/**
 * Makes a small disk in memory. Only root may, outside of containers that forbid it.
 *
 * @param owner the user whom the folder belongs to
 */
export function mountSmallDisk(sizeBytes: number, owner = 'root'): SmallDisk {
  const place = mkdtempSync(join(tmpdir(), 'landform-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=0755`, 'small', place], {
    stdio: 'pipe',
  })
  const folder = join(place, 'folder')
  const ballast = join(place, 'ballast')
  mkdirSync(folder)
  execFileSync('chown', [owner, folder])
  return {
    folder,
    fill(leftBytes = 0) {
      const file = openSync(ballast, 'w')
      const size = writeUntilFull(file)
      ftruncateSync(file, Math.max(0, size - leftBytes))
      closeSync(file)
    },
    free: () => rmSync(ballast, { force: true }),
    unmount() {
      execFileSync('umount', ['--lazy', place])
      rmdirSync(place)
    },
  }
}

function writeUntilFull(file: number): number {
  let size = 0
  // Pages at the end: the last bit of room is less than a large piece.
  for (const piece of [Buffer.alloc(1 << 20), Buffer.alloc(4096)]) {
    try {
      for (;;) size += writeSync(file, piece)
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
  }
  return size
}

/** Whether small disks can be made here. Where tests are run for all to rely on, they have to be. */
export const hasSmallDisks = (() => {
  try {
    mountSmallDisk(1 << 16).unmount()
    return true
  } catch (error) {
    if (process.env.CI) throw error
    process.stderr.write(`NOT TESTED: full disks, as none can be mounted here: ${error}\n`)
    return false
  }
})()
