import { closeSync, openSync, readSync } from 'node:fs'
import { problem } from '../../../contract/problems.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'

const windowBytes = 1 << 22
/** More than is looked for, so that it is found on the edge of two pieces too. */
const overlapBytes = 256

/** Gives the pieces of a file, each with the end of the one before it; valid until the next one. */
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
 * Looks for U+0000 in a file of text: drivers take it for the end of a text, and drop the rest without a word.
 *
 * @param find gives where one stands in a piece, below 0 where there is none
 * @throws {Problem} source/unreadable where there is one
 */
export function refuseNul({ path, name }: SourceFile, find: (piece: Buffer) => number): void {
  for (const { piece, offset } of readPieces(path)) {
    const at = find(piece)
    if (at < 0) continue
    throw nulProblem({ name }, offset + at)
  }
}

/** Makes the problem of U+0000 behind so many bytes of a text. */
export function nulProblem({ name }: Pick<SourceFile, 'name'>, offset: number): Error {
  const text = `${nameSource(name)} cannot be read: at byte ${offset + 1} stands U+0000, which no text can hold`
  return problem('source/unreadable', text, {
    hint: 'Take it out; where the file is in UTF-16, say so in source.encoding.',
  })
}

const backslash = 0x5c

/** Finds U+0000 in JSON. Behind an odd number of other backslashes it is not escaped. */
export function findEscapedNul(piece: Buffer): number {
  for (let at = piece.indexOf('\\u0000'); at >= 0; at = piece.indexOf('\\u0000', at + 1)) {
    let from = at
    while (from > 0 && piece[from - 1] === backslash) from -= 1
    if ((at - from) % 2 === 0) return at
  }
  return -1
}

const longNumber = /(?<![\w.+-])-?\d{19,}(?![\d.eE])/g

/** Tells whether a file of text holds whole numbers that 64 bits do not: drivers make the largest of them that they do. */
export function holdsHugeNumbers(path: string): boolean {
  for (const { piece } of readPieces(path)) {
    const found = piece.toString('latin1').match(longNumber) ?? []
    if (found.some((digits) => BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits))) return true
  }
  return false
}
