import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { writeText } from '../../runner/write_text.ts'
import { readStart } from '../file_start.ts'
import { nameSource } from '../source_name.ts'
import { isUtf8Name, lyingEncoding, openDecoder, openStreamWitness } from './encoding.ts'

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
  const mark = Buffer.from('\uFEFF')
  return readStart(path, mark.length).equals(mark)
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
  await writeText(
    { path: target, encoding: 'utf8', doing: 'a source is recoded' },
    decode(createReadStream(path)),
  )
  if (witness.isUtf8()) throw lyingEncoding(nameSource(name), encoding)
}

/** What a text file is in, where its copy goes, and what its owner calls it. */
export interface Recoding {
  readonly encoding: string
  readonly target: string
  readonly name: string
}
