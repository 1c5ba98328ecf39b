import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { problem } from '../../../contract/problems.ts'

/**
 * Creates a decoder that rejects invalid bytes.
 *
 * @throws {Problem} request/invalid for an unknown encoding
 * @see https://encoding.spec.whatwg.org/#names-and-labels
 */
export function openDecoder(encoding: string): TextDecoder {
  const decoder = findDecoder(encoding)
  if (decoder !== undefined) return decoder
  throw problem('request/invalid', `the encoding ${JSON.stringify(encoding)} is not known`)
}

/** Creates a decoder; undefined for an unknown encoding. */
export function findDecoder(encoding: string): TextDecoder | undefined {
  // Code pages have many spellings: cp1251, CP-1251, ANSI 1251, 1251.
  const page = /^(?:cp|windows|ansi)?[-_ ]?(125\d|866|874)$/i.exec(encoding.trim())?.[1]
  const label = page === undefined ? encoding.trim() : page === '866' ? 'ibm866' : `windows-${page}`
  try {
    return new TextDecoder(label.replace(/^utf_8$/i, 'utf-8'), { fatal: true })
  } catch {
    return undefined
  }
}

/** Tells whether a name means UTF-8. */
export function isUtf8Name(encoding: string): boolean {
  return findDecoder(encoding)?.encoding === 'utf-8'
}

/** Tells whether a string is the same in every encoding. */
export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/** Number of valid multi-byte characters that text in another encoding does not contain by chance. */
const minCharacters = 4

/** Detects UTF-8 in strings that are declared in another encoding. */
export interface Utf8Detector {
  add(text: Buffer): void
  /** Tells whether the strings can only be UTF-8. */
  isUtf8(): boolean
}

/** Creates a detector for separate strings; it stops checking after the first that is not UTF-8. */
export function createUtf8Detector(): Utf8Detector {
  return watchLetters((text) => isUtf8(text))
}

/** Creates a detector for the chunks of one string. */
export function createUtf8StreamDetector(): Utf8Detector {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return watchLetters((piece) => {
    try {
      decoder.decode(piece, { stream: true })
      return true
    } catch {
      return false
    }
  })
}

function watchLetters(isSound: (text: Buffer) => boolean): Utf8Detector {
  let letters = 0
  let isBroken = false
  return {
    add(text) {
      if (isBroken) return
      isBroken = !isSound(text)
      if (letters < minCharacters) letters += text.filter((byte) => byte >= firstOfLetter).length
    },
    isUtf8: () => !isBroken && letters >= minCharacters,
  }
}

/** Smallest first byte of a multi-byte character. */
const firstOfLetter = 0xc2

/** Returns the problem of a wrongly declared encoding. */
export function wrongEncoding(name: string, declared: string): Error {
  return problem('source/unreadable', `${name} cannot be read: its encoding is UTF-8, not ${declared}`, {
    hint: 'Set source.encoding to UTF-8.',
  })
}

/** Hint for strings that cannot be decoded. */
export const encodingHint =
  'Set source.encoding to the encoding of the file, such as CP1251; for Shapefiles, a .cpg file can declare it.'
