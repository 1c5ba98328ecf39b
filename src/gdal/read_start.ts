import { closeSync, openSync, readSync } from 'node:fs'

/** Gives the first bytes of a file: as many as asked for, or all where there are fewer. */
export function readStart(path: string, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, sizeBytes, 0))
  } finally {
    closeSync(file)
  }
}
