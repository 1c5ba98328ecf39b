import { createReadStream, mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TextDecoder } from 'node:util'
import type { VectorJob } from '../../runner/vector_job.ts'
import { writeText } from '../../runner/write_text.ts'
import { readStart } from '../file_start.ts'
import { unreadable } from '../open_with_gdal.ts'
import type { SourceFile, StringReader } from '../source.ts'
import { nameSource } from '../source_name.ts'
import { createUtf8StreamDetector, encodingHint, isUtf8Name, openDecoder, wrongEncoding } from './encoding.ts'

/** A file in UTF-8, and the reader of its strings if it was recoded. */
export interface RecodedFile {
  readonly file: SourceFile
  readonly strings?: StringReader
}

/**
 * Converts a text file to UTF-8, which its driver requires; copies it only if the job sets another encoding.
 *
 * @throws {Problem} request/invalid, source/unreadable, files/full
 */
export async function recodeIfNeeded(
  file: SourceFile,
  { folder, encoding }: Pick<VectorJob, 'folder' | 'encoding'>,
): Promise<RecodedFile> {
  if (encoding === undefined || isUtf8Name(encoding) || hasUtf8Mark(file.path)) return { file }
  const target = join(mkdtempSync(join(folder, 'recoded-')), basename(file.path))
  await recodeFile(file.path, { encoding, target, name: file.name })
  return { file: { ...file, path: target }, strings: recodedStrings(encoding, file) }
}

/** Reads strings of a recoded file, where U+FFFD marks invalid bytes. */
function recodedStrings(encoding: string, { name }: SourceFile): StringReader {
  return {
    encoding,
    readName(field) {
      if (!field.includes('\uFFFD')) return field
      throw unreadable({ name }, `the name of field ${field} is not ${encoding}`, encodingHint)
    },
  }
}

/** Tells whether a file starts with the byte order mark of UTF-8, which overrides the requested encoding. */
function hasUtf8Mark(path: string): boolean {
  const mark = Buffer.from('\uFEFF')
  return readStart(path, mark.length).equals(mark)
}

/**
 * Copies a text file to UTF-8. Invalid bytes become U+FFFD.
 *
 * @throws {Problem} request/invalid for an unknown encoding; source/unreadable if the file is UTF-8; files/full
 */
async function recodeFile(path: string, { encoding, target, name }: Recoding): Promise<void> {
  const decoder = new TextDecoder(openDecoder(encoding).encoding)
  const detector = createUtf8StreamDetector()
  const decode = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      detector.add(chunk)
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder.decode()
  }
  await writeText(
    { path: target, encoding: 'utf8', doing: 'a source is recoded' },
    decode(createReadStream(path)),
  )
  if (detector.isUtf8()) throw wrongEncoding(nameSource(name), encoding)
}

/** Encoding of a text file, path of its copy, and original name. */
interface Recoding {
  readonly encoding: string
  readonly target: string
  readonly name: string
}
