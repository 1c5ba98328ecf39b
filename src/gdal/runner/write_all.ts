import { writeSync } from 'node:fs'

/** Writes all of some bytes behind what an open file has: one call may take less. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at)
}
