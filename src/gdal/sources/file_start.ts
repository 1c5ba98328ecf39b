import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Reads the first bytes of a file; fewer if the file is smaller. */
export function readStart(path: string, sizeBytes: number): Buffer {
  return readAt(path, sizeBytes, () => 0)
}

/** Reads the last bytes of a file; fewer if the file is smaller. */
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
