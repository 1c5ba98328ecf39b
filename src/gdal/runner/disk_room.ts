import { statfsSync } from 'node:fs'
import { problem } from '../../contract/problems.ts'
import { isDiskFull } from '../../core/disk_full.ts'

/** Tells whether the disk of a folder is full, which GDAL does not report. */
export function hasNoRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < 1 << 20
}

/** Returns problem files/full for the error of a full disk, else the error. */
export function fullWhile(doing: string, error: unknown): unknown {
  return isDiskFull(error) ? problem('files/full', `the disk is full while ${doing}`) : error
}
