import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { TextDecoder } from 'node:util'
import { problem } from '../contract/problems.ts'

/** Extensions of formats that are text, whose drivers take UTF-8 only. */
const textExtensions: ReadonlySet<string> = new Set(['.csv', '.geojson'])

/** Tells whether a file has to be recoded before its driver can read it. */
export function needsRecoding(extension: string, encoding: string | undefined): encoding is string {
  return encoding !== undefined && textExtensions.has(extension) && !/^utf-?8$/i.test(encoding)
}

/**
 * Writes a text file anew in UTF-8.
 *
 * @throws {Problem} request/invalid for an encoding that nobody knows
 * @see https://encoding.spec.whatwg.org/#names-and-labels
 */
export async function recodeFile(path: string, { encoding, target }: Recoding): Promise<void> {
  const decoder = openDecoder(encoding)
  const decode = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  }
  await pipeline(createReadStream(path), decode, createWriteStream(target, { flags: 'wx' }))
}

/** What a text file is in, and where its copy goes. */
export interface Recoding {
  readonly encoding: string
  readonly target: string
}

function openDecoder(encoding: string): TextDecoder {
  // People write the names of code pages in all ways: cp1251, CP-1251, 1251.
  const page = /^(?:cp|windows)?[-_ ]?(125\d|866|874)$/i.exec(encoding.trim())?.[1]
  try {
    return new TextDecoder(page === undefined ? encoding : page === '866' ? 'ibm866' : `windows-${page}`)
  } catch (cause) {
    throw problem('request/invalid', `the encoding ${JSON.stringify(encoding)} is not known`, { cause })
  }
}
