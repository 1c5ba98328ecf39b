import { statfsSync } from 'node:fs'
import { problem } from '../../contract/problems.ts'
import { isDiskFull } from '../../core/disk_full.ts'

/** Tells whether there is no room left in a folder: GDAL does not say that this is what it met. */
export function hasNoRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < 1 << 20
}

/** Gives what is to be told of an error: files/full where it is that of a full disk, else the error. */
export function fullWhile(doing: string, error: unknown): unknown {
  return isDiskFull(error) ? problem('files/full', `the disk is full while ${doing}`) : error
}
