import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { problem } from '../../../contract/problems.ts'

/**
 * Opens a decoder that refuses what is no text of the encoding.
 *
 * @throws {Problem} request/invalid for an encoding that nobody knows
 * @see https://encoding.spec.whatwg.org/#names-and-labels
 */
export function openDecoder(encoding: string): TextDecoder {
  const decoder = findDecoder(encoding)
  if (decoder !== undefined) return decoder
  throw problem('request/invalid', `the encoding ${JSON.stringify(encoding)} is not known`)
}

/** Opens a decoder; undefined for an encoding that nobody knows. */
export function findDecoder(encoding: string): TextDecoder | undefined {
  // People write the names of code pages in all ways: cp1251, CP-1251, ANSI 1251, 1251.
  const page = /^(?:cp|windows|ansi)?[-_ ]?(125\d|866|874)$/i.exec(encoding.trim())?.[1]
  const label = page === undefined ? encoding.trim() : page === '866' ? 'ibm866' : `windows-${page}`
  try {
    return new TextDecoder(label.replace(/^utf_8$/i, 'utf-8'), { fatal: true })
  } catch {
    return undefined
  }
}

/** Tells whether a name is one of those of UTF-8. */
export function isUtf8Name(encoding: string): boolean {
  return findDecoder(encoding)?.encoding === 'utf-8'
}

/** Tells whether a text is the same in every encoding. */
export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/** Letters of several bytes, all of them sound: so many no text of another encoding has by chance. */
const telling = 4

/** Looks at texts that are said to be in another encoding for what shows that they are UTF-8. */
export interface Utf8Witness {
  see(text: Buffer): void
  /** Tells whether what was seen can only be UTF-8. */
  isUtf8(): boolean
}

/** Makes a witness of texts; it costs nothing any more once one was seen that is not UTF-8. */
export function openWitness(): Utf8Witness {
  return watchLetters((text) => isUtf8(text))
}

/** Makes a witness of the pieces of one text. */
export function openStreamWitness(): Utf8Witness {
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

function watchLetters(isSound: (text: Buffer) => boolean): Utf8Witness {
  let letters = 0
  let isBroken = false
  return {
    see(text) {
      if (isBroken) return
      isBroken = !isSound(text)
      if (letters < telling) letters += text.filter((byte) => byte >= firstOfLetter).length
    },
    isUtf8: () => !isBroken && letters >= telling,
  }
}

/** Smallest byte that begins a letter of several. */
const firstOfLetter = 0xc2

/** Makes the problem of texts that are said to be what they are not. */
export function lyingEncoding(name: string, said: string): Error {
  return problem('source/unreadable', `${name} cannot be read: its texts are UTF-8, not ${said}`, {
    hint: 'Set source.encoding to UTF-8.',
  })
}

/** What to do where texts cannot be read. */
export const encodingHint =
  'Name the encoding of the texts in source.encoding, such as CP1251; Shapefiles may bring it along in a .cpg file.'
