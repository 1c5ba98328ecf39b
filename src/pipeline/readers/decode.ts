import { TextDecoder } from 'node:util'
import { problem } from '../../contract/problems.ts'
import { createUtf8StreamDetector, findDecoder } from '../../gdal/sources/text/encoding.ts'

/** Text of a file in UTF-8, and the encoding it had. */
export interface DecodedText {
  /** The text; in UTF-8 with invalid bytes if it had them, otherwise U+FFFD stands for them. */
  readonly pieces: AsyncIterable<Buffer | string>
  readonly encoding: string
  /** Whether the text that was read so far has invalid bytes. */
  isDamaged(): boolean
}

/** A text file to decode. */
export interface EncodedText {
  readonly path: string
  readonly chunks: AsyncIterable<Buffer>
  /** Encoding of the text; UTF-8 if absent. */
  readonly encoding: string | undefined
}

const byteOrderMark = Buffer.from('\uFEFF')

/**
 * Decodes a text file. A byte order mark of UTF-8 overrides the encoding.
 *
 * @throws {Problem} usage/bad-argument for an unknown encoding; while reading, source/unreadable if the text can only be
 *   UTF-8
 */
export function decodeText({ path, chunks, encoding = 'UTF-8' }: EncodedText): DecodedText {
  const found = findDecoder(encoding)
  if (found === undefined)
    throw problem('usage/bad-argument', `The encoding ${JSON.stringify(encoding)} is not known.`)
  const label = found.encoding
  let decoder: Decoder | undefined
  async function* decode(): AsyncGenerator<Buffer | string, void> {
    for await (const chunk of chunks) {
      const hasMark = chunk.subarray(0, byteOrderMark.length).equals(byteOrderMark)
      decoder ??= hasMark || label === 'utf-8' ? utf8Decoder() : otherDecoder(label)
      yield decoder.decode(chunk)
    }
    const rest = decoder?.decode() ?? ''
    if (rest.length > 0) yield rest
    if (decoder?.isUtf8?.())
      throw problem('source/unreadable', `${path} is in UTF-8, not ${encoding}.`, {
        hint: 'Remove from.encoding.',
      })
  }
  return { pieces: decode(), encoding, isDamaged: () => decoder?.isDamaged() ?? false }
}

interface Decoder {
  /** Decodes a chunk, or the end of the text. */
  decode(chunk?: Buffer): Buffer | string
  isDamaged(): boolean
  /** Whether the text can only be UTF-8, although another encoding is declared. */
  isUtf8?(): boolean
}

/** Finds invalid bytes only; a valid text may have U+FFFD, too. */
function utf8Decoder(): Decoder {
  const strict = new TextDecoder('utf-8', { fatal: true })
  let isDamaged = false
  return {
    decode(chunk) {
      try {
        if (!isDamaged) strict.decode(chunk, { stream: chunk !== undefined })
      } catch {
        isDamaged = true
      }
      return chunk ?? ''
    },
    isDamaged: () => isDamaged,
  }
}

function otherDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label)
  const detector = createUtf8StreamDetector()
  let isDamaged = false
  return {
    decode(chunk) {
      if (chunk !== undefined) detector.add(chunk)
      const text = decoder.decode(chunk, { stream: chunk !== undefined })
      isDamaged ||= text.includes('\uFFFD')
      return text
    },
    isDamaged: () => isDamaged,
    isUtf8: () => detector.isUtf8(),
  }
}
