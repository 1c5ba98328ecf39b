import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { TextDecoder } from 'node:util'
import { readText } from '../../flatgeobuf/value.ts'
import { readStart } from '../file_start.ts'
import type { SourceFile, TextReader } from '../source.ts'
import { nameSource } from '../source_name.ts'
import {
  findDecoder,
  isAscii,
  isUtf8Name,
  lyingEncoding,
  openDecoder,
  openWitness,
} from '../text/encoding.ts'

/** How the texts of a Shapefile are read. */
export interface ShapeTexts {
  /** What GDAL is to take them for: an empty text leaves them as they are, null lets it find out. */
  readonly gdalEncoding: string | null
  /**
   * Reads them further; absent where GDAL gives UTF-8. GDAL is told to take them for ISO 8859-1, of which each byte is
   * a letter: nothing is lost before it is known what they are, where GDAL would drop what is not of an encoding.
   */
  readonly texts?: TextReader
}

/**
 * Finds out what the texts of a Shapefile are in: what the request says counts. Only that they are UTF-8 is also said
 * by clients that know nothing of them: then it is taken from the `.cpg` file or the table, unless the bytes agree.
 *
 * @throws {Problem} request/invalid for an encoding that nobody knows
 */
export function findShapeTexts(file: SourceFile, asked: string | undefined): ShapeTexts {
  const name = nameSource(file.name)
  const other = asked === undefined || isUtf8Name(asked) ? undefined : openDecoder(asked)
  if (other !== undefined)
    return { gdalEncoding: 'ISO-8859-1', texts: openReader(other, { name, asked, isVague: false }) }
  const stated = readStated(file.path.slice(0, -'.shp'.length))
  const decoder = stated === undefined ? undefined : findDecoder(stated)
  if (decoder === undefined) return { gdalEncoding: stated === undefined ? '' : null }
  if (decoder.encoding === 'utf-8') return { gdalEncoding: '' }
  return {
    gdalEncoding: 'ISO-8859-1',
    texts: openReader(decoder, { name, asked, isVague: stated === anyWindows }),
  }
}

interface Said {
  /** Names the source in a sentence. */
  readonly name: string
  /** Encoding that the request names. */
  readonly asked: string | undefined
  /** Whether nothing is said but that they are of some Windows. */
  readonly isVague: boolean
}

function openReader(first: TextDecoder, { name, asked, isVague }: Said): TextReader {
  let decoder = first
  let hasLetters = false
  const witness = openWitness()
  const decode = (text: string): string | undefined => {
    if (isAscii(text)) return text
    hasLetters = true
    const bytes = Buffer.from(text, 'latin1')
    witness.see(bytes)
    try {
      return decoder.decode(bytes)
    } catch {
      return undefined
    }
  }
  return {
    encoding: first.encoding,
    read: (value) => decode(readText(value)),
    readName: (text) => readName(text, first),
    findNote: () => (isVague && hasLetters ? vagueNote(first.encoding) : undefined),
    settle() {
      if (!witness.isUtf8()) return
      if (asked === undefined || !isUtf8Name(asked)) throw lyingEncoding(name, asked ?? first.encoding)
      decoder = openDecoder('utf-8')
    },
  }
}

/** Names are few and short: what is UTF-8 in them is so whatever is said. */
function readName(name: string, decoder: TextDecoder): string {
  const bytes = Buffer.from(name, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : new TextDecoder(decoder.encoding).decode(bytes)
}

function vagueNote(encoding: string): string {
  return `The texts were taken for ${encoding}: the table says only that they are of Windows. Name another in source.encoding.`
}

/** Gives what the `.cpg` file names, or the table where there is none. */
function readStated(stem: string): string | undefined {
  const page = `${stem}.cpg`
  const text = existsSync(page) ? readFileSync(page, 'latin1').trim() : ''
  return text === '' ? tableEncodings.get(readLanguage(`${stem}.dbf`)) : fullName(text)
}

/** Some write the numbers of code pages and parts of standards only. */
function fullName(text: string): string {
  const part = /^(?:iso)?[-_ ]?8859[-_]?(\d{1,2})$/i.exec(text)?.[1]
  if (part !== undefined) return `iso-8859-${part}`
  return (
    { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' }[text.replace(/^(cp|ansi)[ -]?/i, '')] ?? text
  )
}

/** The byte of a table that says what its texts are in. @see https://en.wikipedia.org/wiki/.dbf "Language driver ID" */
function readLanguage(path: string): number {
  return readStart(path, 30)[29] ?? 0
}

/** The page of the machine that wrote the table, whatever that was: GDAL takes it for that of the west as well. */
const anyWindows = 'iso-8859-1'

const pages: Readonly<Record<string, readonly number[]>> = {
  'windows-1252': [3, 88, 89],
  [anyWindows]: [87],
  macintosh: [4],
  shift_jis: [19, 123],
  ibm866: [38, 101],
  gbk: [77, 122],
  'euc-kr': [78, 121],
  big5: [79, 120],
  'windows-874': [80, 124],
  'windows-1255': [125],
  'windows-1256': [126],
  'x-mac-cyrillic': [150],
  'windows-1250': [200],
  'windows-1251': [201],
  'windows-1254': [202],
  'windows-1253': [203],
  'windows-1257': [204],
}

/** What the bytes of tables mean; of those that are not here GDAL knows what to do. */
const tableEncodings: ReadonlyMap<number, string> = new Map([
  ...Array.from({ length: 255 }, (_, index): [number, string] => [index + 1, `language ${index + 1}`]),
  ...Object.entries(pages).flatMap(([name, bytes]) => bytes.map((byte): [number, string] => [byte, name])),
])
