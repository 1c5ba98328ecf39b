import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Gives the first bytes of a file: as many as asked for, or all where there are fewer. */
export function readStart(path: string, sizeBytes: number): Buffer {
  return readAt(path, sizeBytes, () => 0)
}

/** Gives the last bytes of a file: as many as asked for, or all where there are fewer. */
export function readEnd(path: string, sizeBytes: number): Buffer {
  return readAt(path, sizeBytes, (file) => Math.max(0, fstatSync(file).size - sizeBytes))
}

function readAt(path: string, sizeBytes: number, placeIn: (file: number) => number): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, sizeBytes, placeIn(file)))
  } finally {
    closeSync(file)
  }
}
