import { closeSync, openSync, readSync } from 'node:fs'
import { problem } from '../../../contract/problems.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'

const windowBytes = 1 << 22
/** Overlap of chunks, longer than any match. */
const overlapBytes = 256

/** Yields the chunks of a file, each with the end of the previous one; valid until the next one. */
function* readPieces(path: string): Generator<{ readonly piece: Buffer; readonly offset: number }> {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(windowBytes)
    let kept = 0
    for (let position = 0; ; ) {
      const read = readSync(file, bytes, kept, bytes.length - kept, position)
      if (read === 0) return
      const end = kept + read
      yield { piece: bytes.subarray(0, end), offset: position - kept }
      position += read
      kept = Math.min(overlapBytes, end)
      bytes.copy(bytes, 0, end - kept, end)
    }
  } finally {
    closeSync(file)
  }
}

/**
 * Rejects text files with U+0000: drivers treat it as the end of a string, and silently drop the rest.
 *
 * @param find returns its offset in a chunk, or a negative number
 * @throws {Problem} source/unreadable
 */
export function refuseNul({ path, name }: SourceFile, find: (piece: Buffer) => number): void {
  for (const { piece, offset } of readPieces(path)) {
    const at = find(piece)
    if (at < 0) continue
    throw nulProblem({ name }, offset + at)
  }
}

/** Returns the problem of U+0000 at an offset of a text file. */
export function nulProblem({ name }: Pick<SourceFile, 'name'>, offset: number): Error {
  const text = `${nameSource(name)} cannot be read: it has U+0000 at byte ${offset + 1}, which strings cannot contain`
  return problem('source/unreadable', text, {
    hint: 'Remove it; for a file in UTF-16, set source.encoding.',
  })
}

const backslash = 0x5c

/** Finds an escaped U+0000 in JSON, where the number of backslashes is odd. */
export function findEscapedNul(piece: Buffer): number {
  for (let at = piece.indexOf('\\u0000'); at >= 0; at = piece.indexOf('\\u0000', at + 1)) {
    let from = at
    while (from > 0 && piece[from - 1] === backslash) from -= 1
    if ((at - from) % 2 === 0) return at
  }
  return -1
}

const longNumber = /(?<![\w.+-])-?\d{19,}(?![\d.eE])/g

/** Tells whether a text file has integers beyond 64 bits, which drivers clamp. */
export function holdsHugeNumbers(path: string): boolean {
  for (const { piece } of readPieces(path)) {
    const found = piece.toString('latin1').match(longNumber) ?? []
    if (found.some((digits) => BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits))) return true
  }
  return false
}
