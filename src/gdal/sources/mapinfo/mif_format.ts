import { createReadStream, mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Datatype } from '../../../contract/geometry.ts'
import { writeText } from '../../runner/write_text.ts'
import { gatherCompanions } from '../companions.ts'
import { readStart } from '../file_start.ts'
import { openWithGdal, unreadable } from '../open_with_gdal.ts'
import type { SourceFile } from '../source.ts'
import { defineSource } from '../source_format.ts'
import { createUtf8Detector, isAscii } from '../text/encoding.ts'
import { recodeIfNeeded } from '../text/recode.ts'

/**
 * MapInfo Interchange Format. GDAL ignores what it does not understand, and reads invalid numbers as 0. It therefore
 * reads a copy with checked objects, coordinates and rows, in which all columns are strings.
 *
 * @see "MapInfo Data Interchange Format" of the MapInfo reference
 */
export const mapinfoInterchange = defineSource('MapInfoInterchange', {
  async open(given, { gdal, job: { folder, encoding } }) {
    const source = gatherCompanions(given, 'MapInfoInterchange')
    const head = readStart(source.path, headBytes).toString('latin1')
    const charset = charsetLine.exec(head)?.[1] ?? 'Neutral'
    const isNeutral = /^(neutral|utf-?8)$/i.test(charset)
    // GDAL decodes named character sets.
    const reading = { folder, encoding: isNeutral ? encoding : undefined }
    const mif = await recodeIfNeeded(source, reading)
    const mid = await recodeIfNeeded({ ...source, path: midOf(source.path) }, reading)
    const path = join(mkdtempSync(join(folder, 'mif-')), basename(source.path))
    const geometries = startGeometries(source, isNeutral)
    await write(path, geometries.copy(mif.file.path))
    const rows = startRows(source, {
      types: geometries.types,
      delimiter: delimiterLine.exec(head)?.[1] ?? '\t',
    })
    await write(midOf(path), rows.copy(mid.file.path))
    const [rowCount, objectCount] = [rows.count(), geometries.count()]
    if (geometries.types.length > 0 && rowCount !== objectCount)
      throw unreadable(
        source,
        `its .mid file has ${rowCount} rows, but its .mif file has ${objectCount} objects`,
      )
    if (!isNeutral && rows.isUtf8())
      throw unreadable(
        source,
        `its encoding is UTF-8, but its Charset is ${charset}`,
        'Set Charset to "Neutral".',
      )
    const declared = geometries.types.map((type): Datatype => datatypes[type] ?? 'STRING')
    const columns = { declared, ...(mid.strings === undefined ? {} : { strings: mid.strings }) }
    const layers = await openWithGdal(gdal, { ...source, path }, ['MapInfo File'])
    return layers.map((layer) => ({ ...layer, columns }))
  },
})

/** Size of the part of the file that contains the header settings. */
const headBytes = 4096
const charsetLine = /^\s*charset\s+"([^"]*)"/im
const delimiterLine = /^\s*delimiter\s+"([^"])"/im

const datatypes: Readonly<Record<string, Datatype>> = {
  ...{ integer: 'INTEGER', smallint: 'INTEGER', largeint: 'BIGINT', decimal: 'REAL', float: 'REAL' },
  ...{ date: 'DATE', time: 'TIME', datetime: 'DATETIME' },
}

const midOf = (path: string) => `${path.slice(0, -'.mif'.length)}.mid`

// Copies bytes unchanged, as ISO 8859-1.
const readLines = (path: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY })
const write = (path: string, lines: AsyncIterable<string>) =>
  writeText({ path, encoding: 'latin1', doing: 'a source is read' }, lines)

const objectWord = /^(point|line|pline|region|arc|text|rect|roundrect|ellipse|multipoint|collection|none)$/i
/** Objects with coordinates in the same line. */
const placedWord = /^(point|line|arc|rect|roundrect|ellipse)$/i
const isNumber = (text: string) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)

/** Copies the header and the objects, and counts the objects, but not the parts of collections. */
function startGeometries(source: SourceFile, isNeutral: boolean) {
  const types: string[] = []
  let [count, parts] = [0, 0]
  const check = (line: string, number: number) => {
    const [, word = '', rest = ''] = /^\s*([^\s(,]*)(.*)$/.exec(line) ?? []
    const isContinued = /^[-+.\d]/.test(word)
    const coordinates = isContinued ? line : placedWord.test(word) ? rest : ''
    const numbers = coordinates.split(/[\s,]+/).filter((text) => text !== '')
    if (!numbers.every(isNumber)) {
      const text = `a coordinate is not a number in line ${number}: ${JSON.stringify(line.slice(0, 80))}`
      throw unreadable(source, text)
    }
    // GDAL ignores unknown objects, which the row count reveals.
    if (!objectWord.test(word)) return
    if (parts > 0) parts -= 1
    else count += 1
    if (/^collection$/i.test(word)) parts += Number(rest)
  }
  let columnsLeft = 0
  const copyHeader = (line: string): string => {
    if (columnsLeft > 0) {
      columnsLeft -= 1
      const [, name = '', type = ''] = /^\s*(\S+)\s+([A-Za-z]+)/.exec(line) ?? []
      types.push(type.toLowerCase())
      return `  ${name} Char(254)`
    }
    columnsLeft = Number(/^\s*columns\s+(\d+)/i.exec(line)?.[1] ?? 0)
    return isNeutral ? line.replace(charsetLine, 'Charset "Neutral"') : line
  }
  async function* copy(path: string): AsyncGenerator<string> {
    let [number, isData] = [0, false]
    for await (const line of readLines(path)) {
      number += 1
      if (isData) check(line, number)
      yield `${isData ? line : copyHeader(line)}\n`
      isData ||= /^\s*data\s*$/i.test(line)
    }
  }
  return { types, copy, count: () => count }
}

const timestampPatterns: Readonly<Record<string, readonly [pattern: RegExp, as: string]>> = {
  date: [/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'],
  time: [/^(\d\d)(\d\d)(\d\d)(\d{3})$/, '$1:$2:$3.$4'],
  datetime: [/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})$/, '$1-$2-$3T$4:$5:$6.$7'],
}

/** Copies and counts the rows. */
function startRows(
  source: SourceFile,
  { types, delimiter }: { readonly types: readonly string[]; readonly delimiter: string },
) {
  const detector = createUtf8Detector()
  let count = 0
  const copyRow = (row: string): string => {
    count += 1
    if (!isAscii(row)) detector.add(Buffer.from(row, 'latin1'))
    // Every second part is quoted.
    const pieces = row.split('"').map((piece, at) => (at % 2 ? piece : piece.replaceAll(delimiter, '\0')))
    const cells = pieces.join('"').split('\0')
    if (cells.length !== types.length) {
      const text = `row ${count} of its .mid file has ${cells.length} cells, not ${types.length}`
      throw unreadable(source, text)
    }
    const copied = cells.map((cell, at) => {
      const [pattern, as] = timestampPatterns[types[at] ?? ''] ?? []
      return pattern === undefined
        ? cell
        : cell
            .replaceAll('"', '')
            .trim()
            .replace(pattern, as ?? '')
    })
    return `${copied.join(delimiter)}\n`
  }
  async function* copy(path: string): AsyncGenerator<string> {
    let row = ''
    for await (const line of readLines(path)) {
      row += line
      // Quoted line ends belong to their cell.
      if (row.split('"').length % 2 === 0) row += '\n'
      else {
        if (row.trim() !== '') yield copyRow(row)
        row = ''
      }
    }
    if (row.trim() !== '') yield copyRow(row)
  }
  return { copy, count: () => count, isUtf8: detector.isUtf8 }
}
