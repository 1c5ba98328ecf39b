import { createReadStream } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { problem } from '../../../contract/problems.ts'
import { writeText } from '../../runner/write_text.ts'
import { readStart } from '../file_start.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'
import { findDecoder } from '../text/encoding.ts'
import { markPositions } from './positions.ts'

/**
 * Prepares an XML file so that GDAL reads it correctly: copies it if a coordinate is not a number, to mark it, and if its
 * encoding is not supported by all drivers, to UTF-8.
 *
 * @throws {Problem} source/unreadable for content that GDAL would misread; files/full
 */
export async function prepareXml(file: SourceFile, folder: string): Promise<SourceFile> {
  const prolog = readProlog(file.path)
  if (prolog.includes('<!ENTITY')) throw entities(file)
  const declared = declaration.exec(prolog)?.[2]
  const decoder = declared === undefined ? undefined : findDecoder(declared)
  const encoding = decoder?.encoding === 'utf-8' ? undefined : decoder?.encoding
  const text: XmlText = { path: file.path, encoding }
  if (encoding === undefined && !(await isMarked(text))) return file
  const target = join(await mkdtemp(join(folder, 'marked-')), basename(file.path))
  await writeMarked(text, target)
  return { ...file, path: target }
}

const windowBytes = 1 << 22
const prologBytes = 1 << 16
const declaration = /^(\s*<\?xml[^>]*?\sencoding\s*=\s*["'])([^"']+)/

/** Returns the prolog: everything before the first element. */
function readProlog(path: string): string {
  const start = readStart(path, prologBytes).toString('latin1')
  const root = start.search(/<[A-Za-z_]/)
  return root < 0 ? start : start.slice(0, root)
}

/** Returns the problem of entities, which some drivers drop, and which may expand without limit. */
function entities({ name }: SourceFile): Error {
  return problem('source/unreadable', `${nameSource(name)} cannot be read: it declares entities`, {
    hint: 'Replace the entities by their values.',
  })
}

interface XmlText {
  readonly path: string
  /** Encoding, if it is not UTF-8. */
  readonly encoding: string | undefined
}

/** Yields the chunks of a text; as ISO 8859-1 if it is not recoded, to preserve the bytes. */
async function* readPieces({ path, encoding }: XmlText): AsyncGenerator<string> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: windowBytes })
  if (encoding === undefined) {
    for await (const chunk of chunks) yield chunk.toString('latin1')
    return
  }
  const decoder = new TextDecoder(encoding)
  let isFirst = true
  for await (const chunk of chunks) {
    const piece = decoder.decode(chunk, { stream: true })
    yield isFirst ? piece.replace(declaration, '$1UTF-8') : piece
    isFirst = false
  }
  yield decoder.decode()
}

async function* markedPieces(
  text: XmlText,
): AsyncGenerator<{ readonly before: string; readonly after: string }> {
  let rest = ''
  for await (const piece of readPieces(text)) {
    const whole = rest + piece
    const marked = markPositions(whole)
    rest = marked.rest
    yield { before: whole.slice(0, whole.length - rest.length), after: marked.done }
  }
  yield { before: rest, after: rest }
}

async function isMarked(text: XmlText): Promise<boolean> {
  for await (const { before, after } of markedPieces(text)) if (before !== after) return true
  return false
}

async function writeMarked(text: XmlText, path: string): Promise<void> {
  const marked = async function* () {
    for await (const { after } of markedPieces(text)) yield after
  }
  const encoding = text.encoding === undefined ? 'latin1' : 'utf8'
  await writeText({ path, encoding, doing: 'a source is read' }, marked())
}

/** Finds the first fault of XML that GDAL cannot read; undefined if it is well-formed. */
export async function findXmlFault(path: string): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SaxesParser({ position: true })
  let fault: string | undefined
  parser.on('error', (error) => {
    fault ??= `line ${error.message}`
  })
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      parser.write(decoder.decode(chunk, { stream: true }))
      if (fault !== undefined) return fault
    }
    decoder.decode()
  } catch {
    return 'its text is not UTF-8'
  }
  parser.close()
  return fault
}
