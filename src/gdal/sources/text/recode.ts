import { createReadStream, mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TextDecoder } from 'node:util'
import type { VectorJob } from '../../runner/vector_job.ts'
import { writeText } from '../../runner/write_text.ts'
import { readStart } from '../file_start.ts'
import { unreadable } from '../open_with_gdal.ts'
import type { SourceFile, TextReader } from '../source.ts'
import { nameSource } from '../source_name.ts'
import { encodingHint, isUtf8Name, lyingEncoding, openDecoder, openStreamWitness } from './encoding.ts'

/** A file in UTF-8, and how its texts are read where it was recoded. */
export interface RecodedFile {
  readonly file: SourceFile
  readonly texts?: TextReader
}

/**
 * Gives a text file in UTF-8, which its driver takes alone: a copy where the job names another encoding.
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
  return { file: { ...file, path: target }, texts: recodedTexts(encoding, file) }
}

/** Reads texts of a recoded file: U+FFFD stands for what is not of its encoding. */
function recodedTexts(encoding: string, { name }: SourceFile): TextReader {
  return {
    encoding,
    readName(field) {
      if (!field.includes('\uFFFD')) return field
      throw unreadable({ name }, `the name of its field ${field} is not ${encoding}`, encodingHint)
    },
  }
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
async function recodeFile(path: string, { encoding, target, name }: Recoding): Promise<void> {
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
interface Recoding {
  readonly encoding: string
  readonly target: string
  readonly name: string
}
