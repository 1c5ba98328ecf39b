import { writeSync } from 'node:fs'

/** Appends bytes to an open file completely, since one call may write fewer. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at)
}
