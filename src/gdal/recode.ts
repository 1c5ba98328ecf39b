import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { TextDecoder } from 'node:util'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import { isUtf8Name, lyingEncoding, openDecoder, openStreamWitness } from './encoding.ts'
import { nameSource } from './source_name.ts'

/** Extensions of formats that are text, whose drivers take UTF-8 only. */
const textExtensions: ReadonlySet<string> = new Set(['.csv', '.geojson'])

/** Tells whether an extension is one of a format that is plain text. */
export function isText(extension: string): boolean {
  return textExtensions.has(extension)
}

/** Tells whether a file has to be recoded before its driver can read it. */
export function needsRecoding(
  { path, extension }: { readonly path: string; readonly extension: string },
  encoding: string | undefined,
): encoding is string {
  return (
    encoding !== undefined && textExtensions.has(extension) && !isUtf8Name(encoding) && !hasUtf8Mark(path)
  )
}

/** The mark that only UTF-8 begins with knows better than who asks. */
function hasUtf8Mark(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(3)
    readSync(file, start, 0, start.length, 0)
    return start.equals(Buffer.from('\uFEFF'))
  } finally {
    closeSync(file)
  }
}

/**
 * Writes a text file anew in UTF-8. What is no text of the encoding becomes U+FFFD.
 *
 * @throws {Problem} request/invalid for an encoding that nobody knows; source/unreadable where the file is UTF-8;
 *   files/full
 */
export async function recodeFile(path: string, { encoding, target, name }: Recoding): Promise<void> {
  const decoder = new TextDecoder(openDecoder(encoding).encoding)
  const witness = openStreamWitness()
  const decode = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      witness.see(chunk)
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder.decode()
  }
  try {
    await pipeline(createReadStream(path), decode, createWriteStream(target, { flags: 'wx' }))
  } catch (error) {
    throw isDiskFull(error) ? problem('files/full', 'the disk is full while a source is recoded') : error
  }
  if (witness.isUtf8()) throw lyingEncoding(nameSource(name), encoding)
}

/** What a text file is in, where its copy goes, and what its owner calls it. */
export interface Recoding {
  readonly encoding: string
  readonly target: string
  readonly name: string
}
