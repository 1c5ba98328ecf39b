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

/**
 * Replacement for a coordinate that is not a number. Drivers read `x` as 0 and `2abc` as 2, but this as infinity, which is
 * reported as a bad feature.
 */
const noNumber = '1e999'

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`

const numberPattern = new RegExp(`^${number}$`)

/** The height may be empty. */
const tuplePattern = new RegExp(`^${number},${number}(?:,(?:${number})?)?$`)

/** Elements with positions as text, and tags with a position in their attributes. */
const opening = /<(?:[\w.-]+:)?(?:(coordinates|posList|pos|coord)\b([^>]*)>|(wpt|rtept|trkpt)\b([^>]*)>)/g

/** A processed chunk of XML. */
interface MarkedXml {
  /** The chunk, with invalid numbers marked. */
  readonly done: string
  /** Start of what continues in the next chunk. */
  readonly rest: string
}

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

/**
 * Marks coordinates that are not numbers in a chunk of KML, GML or GPX, as ISO 8859-1.
 *
 * @see OGC 12-007r2 (KML) kml:coordinates; OGC 07-036 (GML) clause 10.1.4; https://www.topografix.com/GPX/1/1
 */
export function markPositions(text: string): MarkedXml {
  const parts: string[] = []
  let from = 0
  opening.lastIndex = 0
  for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
    const start = opening.lastIndex
    const [whole, element, attributes = '', , pointAttributes] = tag
    if (element === undefined) {
      const marked = markAttributes(whole, pointAttributes ?? '')
      if (marked !== whole) {
        parts.push(text.slice(from, tag.index), marked)
        from = start
      }
      continue
    }
    if (attributes.endsWith('/')) continue
    const end = text.indexOf('<', start)
    if (end < 0) return { done: parts.join('') + text.slice(from, tag.index), rest: text.slice(tag.index) }
    const content = text.slice(start, end)
    const marked = element === 'coordinates' ? markTuples(content, attributes) : markNumbers(content)
    if (marked !== content) {
      parts.push(text.slice(from, start), marked)
      from = end
    }
    opening.lastIndex = end
  }
  // An unclosed tag may continue in the next chunk.
  const open = text.lastIndexOf('<')
  const until = open >= from && text.indexOf('>', open) < 0 ? open : text.length
  parts.push(text.slice(from, until))
  return { done: parts.join(''), rest: text.slice(until) }
}

/** Marks positions separated by spaces, with commas between numbers. Other separators are left to GDAL. */
function markTuples(content: string, attributes: string): string {
  const isUsual = [...attributes.matchAll(/\b(decimal|cs|ts)\s*=\s*["']([^"']*)["']/g)].every(
    ([, name, value]) => value === { decimal: '.', cs: ',', ts: ' ' }[name ?? ''],
  )
  if (!isUsual) return content
  if (!content.includes(',')) return markNumbers(content)
  const tuples = content
    .trim()
    .replaceAll(/\s*,\s*/g, ',')
    .split(/\s+/)
  if (tuples.every((tuple) => tuplePattern.test(tuple))) return content
  return tuples.map((tuple) => (tuplePattern.test(tuple) ? tuple : `${noNumber},${noNumber}`)).join(' ')
}

/** Marks invalid numbers in a list separated by spaces or commas. */
function markNumbers(content: string): string {
  const numbers = content.split(/[\s,]+/).filter((one) => one !== '')
  if (numbers.every((one) => numberPattern.test(one))) return content
  return numbers.map((one) => (numberPattern.test(one) ? one : noNumber)).join(' ')
}

function markAttributes(tag: string, attributes: string): string {
  let marked = tag
  for (const name of ['lat', 'lon']) {
    const found = new RegExp(String.raw`\s${name}\s*=\s*["']([^"']*)["']`).exec(attributes)
    if (found === null) marked = marked.replace(/\s*\/?>$/, (end) => ` ${name}="${noNumber}"${end}`)
    else if (!numberPattern.test(found[1]?.trim() ?? '')) {
      marked = marked.replace(found[0], ` ${name}="${noNumber}"`)
    }
  }
  return marked
}
