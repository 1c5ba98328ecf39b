import { createReadStream } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Datatype } from '../../../contract/geometry.ts'
import { problem } from '../../../contract/problems.ts'
import { writeText } from '../../runner/write_text.ts'
import { readStart } from '../file_start.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'
import { isAscii, isUtf8Name, lyingEncoding, openDecoder, openWitness } from '../text/encoding.ts'
import { markNumbers } from '../xml/positions.ts'

/** A MIF file as GDAL is to read it. */
export interface MifSource {
  readonly file: SourceFile
  /** What the texts of the columns are, in order: GDAL takes a number that is none for 0. */
  readonly declared: readonly Datatype[]
}

/** What a file is read and written with. */
export interface MifJob {
  /** Where the copy goes. */
  readonly folder: string
  /** Encoding that the request names. */
  readonly encoding: string | undefined
}

/**
 * Copies a MIF file and the MID file beside it, so that all their values are texts, and coordinates that are no numbers
 * are marked.
 *
 * @throws {Problem} source/unreadable where the two do not belong together, or hold what nobody knows; request/invalid;
 *   files/full
 * @see MapInfo Interchange Format, "MapInfo Data Interchange Format" of the MapInfo reference
 */
export async function prepareMif(source: SourceFile, { folder, encoding }: MifJob): Promise<MifSource> {
  const target = join(folder, basename(source.path))
  const columns: string[] = []
  const head = readStart(source.path, headBytes).toString('latin1')
  const task: Task = { source, target, columns, head, read: openText(source, head, encoding) }
  const objects = await copyMif(task)
  const rows = columns.length === 0 ? objects : await copyMid(task)
  if (rows !== objects) throw bad(source, `its .mid file has ${rows} rows, for ${objects} objects`)
  return { file: { ...source, path: target }, declared: columns.map((type) => datatypes[type] ?? 'STRING') }
}

/** What says how the rest is read stands in these. */
const headBytes = 4096

const datatypes: Readonly<Record<string, Datatype>> = {
  integer: 'INTEGER',
  smallint: 'INTEGER',
  largeint: 'BIGINT',
  decimal: 'REAL',
  float: 'REAL',
  date: 'DATE',
  time: 'TIME',
  datetime: 'DATETIME',
}

interface Task {
  readonly source: SourceFile
  readonly target: string
  /** Types of the columns, in lower case. */
  readonly columns: string[]
  /** What the MIF file begins with. */
  readonly head: string
  readonly read: TextTask
}

function bad({ name }: SourceFile, reason: string, hint?: string): Error {
  const text = `${nameSource(name)} cannot be read: ${reason}`
  return problem('source/unreadable', text, hint === undefined ? {} : { hint })
}

/** How its texts are read: what the header says, or the request where it says nothing. */
interface TextTask {
  /** Whether the copy says that they are to be left as they are. */
  readonly isNeutral: boolean
  text(bytes: string): string
  /** @throws {Problem} source/unreadable where they are UTF-8, and something else is said */
  settle(): void
}

function openText(source: SourceFile, head: string, encoding: string | undefined): TextTask {
  const charset = charsetLine.exec(head)?.[1] ?? 'Neutral'
  const witness = openWitness()
  if (!/^(neutral|utf-?8)$/i.test(charset)) {
    return {
      isNeutral: false,
      text(bytes) {
        if (!isAscii(bytes)) witness.see(Buffer.from(bytes, 'latin1'))
        return bytes
      },
      settle() {
        if (!witness.isUtf8()) return
        throw bad(
          source,
          `its texts are UTF-8, and its Charset is ${charset}`,
          'Write Charset "Neutral" there.',
        )
      },
    }
  }
  const asked = encoding === undefined || isUtf8Name(encoding) ? undefined : openDecoder(encoding)
  const decoder = asked && new TextDecoder(asked.encoding)
  return {
    isNeutral: true,
    text(line) {
      if (decoder === undefined || isAscii(line)) return line
      const bytes = Buffer.from(line, 'latin1')
      witness.see(bytes)
      return Buffer.from(decoder.decode(bytes)).toString('latin1')
    },
    settle() {
      if (witness.isUtf8()) throw lyingEncoding(nameSource(source.name), encoding ?? '')
    },
  }
}

const charsetLine = /^\s*charset\s+"([^"]*)"/im

function readLines(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY })
}

function write(path: string, lines: AsyncIterable<string>): Promise<void> {
  return writeText({ path, encoding: 'latin1', doing: 'a source is read' }, lines)
}

const objectWords = /^(point|line|pline|region|arc|text|rect|roundrect|ellipse|multipoint|collection|none)$/i
/** Those that have their coordinates in the same line. */
const placedWords = /^(point|line|arc|rect|roundrect|ellipse)$/i
const styleWords = /^(symbol|pen|brush|smooth|center|font|spacing|justify|angle|label)$/i

/** Copies the geometries; gives how many there are. */
async function copyMif({ source, target, columns, read }: Task): Promise<number> {
  const objects = openObjects(source)
  let left = 0
  let isData = false
  const copyHeader = (line: string): string => {
    if (left > 0) {
      left -= 1
      // Columns are told by a name and a type each.
      const [, name = '', type = ''] = /^\s*(\S+)\s+([A-Za-z]+)/.exec(line) ?? []
      columns.push(type.toLowerCase())
      return `  ${read.text(name)} Char(254)`
    }
    left = Number(/^\s*columns\s+(\d+)/i.exec(line)?.[1] ?? 0)
    isData = /^\s*data\s*$/i.test(line)
    return read.isNeutral ? line.replace(charsetLine, 'Charset "Neutral"') : line
  }
  const copyLines = async function* () {
    let number = 0
    for await (const line of readLines(source.path)) {
      number += 1
      yield `${isData ? objects.copy(line, number) : copyHeader(line)}\n`
    }
  }
  await write(target, copyLines())
  return objects.count()
}

interface Objects {
  copy(line: string, number: number): string
  count(): number
}

function openObjects(source: SourceFile): Objects {
  let count = 0
  /** Parts of a collection are not counted for themselves. */
  let parts = 0
  return {
    copy(line, number) {
      const [, space = '', word = '', rest = ''] = /^(\s*)([^\s(,]*)(.*)$/.exec(line) ?? []
      if (word === '' || word.startsWith('"') || styleWords.test(word)) return line
      if (/^[-+.\d]/.test(word)) return markNumbers(line)
      if (!objectWords.test(word))
        throw bad(source, `line ${number} is no object: ${JSON.stringify(line.slice(0, 80))}`)
      if (parts > 0) parts -= 1
      else count += 1
      if (/^collection$/i.test(word)) parts += Number(rest)
      return placedWords.test(word) ? `${space}${word} ${markNumbers(rest)}` : line
    },
    count: () => count,
  }
}

/** Copies the rows; gives how many there are. */
async function copyMid({ source, target, columns, head, read }: Task): Promise<number> {
  const stem = (path: string) => path.slice(0, -'.mif'.length)
  const delimiter = delimiterLine.exec(head)?.[1] ?? '\t'
  const moments = columns.flatMap((type, index) => (momentForms[type] === undefined ? [] : [index]))
  let count = 0
  const copyRows = async function* () {
    for await (const row of joinQuoted(readLines(`${stem(source.path)}.mid`))) {
      if (row.trim() === '') continue
      count += 1
      const cells = splitRow(row, delimiter)
      if (cells.length !== columns.length) {
        throw bad(source, `row ${count} of its .mid file has ${cells.length} cells, not ${columns.length}`)
      }
      for (const index of moments) cells[index] = writeMoment(cells[index] ?? '', columns[index] ?? '')
      yield `${read.text(cells.join(delimiter))}\n`
    }
  }
  await write(`${stem(target)}.mid`, copyRows())
  read.settle()
  return count
}

const delimiterLine = /^\s*delimiter\s+"([^"])"/im

/** Line ends in quotes belong to their cell. */
async function* joinQuoted(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let open: string | undefined
  for await (const line of lines) {
    const row: string = open === undefined ? line : `${open}\n${line}`
    open = (row.split('"').length - 1) % 2 === 0 ? undefined : row
    if (open === undefined) yield row
  }
  if (open !== undefined) yield open
}

function splitRow(row: string, delimiter: string): string[] {
  const cells: string[] = []
  let from = 0
  let isQuoted = false
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '"') isQuoted = !isQuoted
    else if (row[at] === delimiter && !isQuoted) {
      cells.push(row.slice(from, at))
      from = at + 1
    }
  }
  cells.push(row.slice(from))
  return cells
}

const momentForms: Readonly<Record<string, readonly [pattern: RegExp, as: string]>> = {
  date: [/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'],
  time: [/^(\d\d)(\d\d)(\d\d)(\d{3})$/, '$1:$2:$3.$4'],
  datetime: [/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})$/, '$1-$2-$3T$4:$5:$6.$7'],
}

function writeMoment(cell: string, type: string): string {
  const [pattern, as] = momentForms[type] ?? [/$^/, '']
  return cell.replaceAll('"', '').trim().replace(pattern, as)
}
