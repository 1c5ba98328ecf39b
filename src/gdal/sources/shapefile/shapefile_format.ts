import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { TextDecoder } from 'node:util'
import { readString } from '../../flatgeobuf/value.ts'
import { gatherCompanions } from '../companions.ts'
import { readStart } from '../file_start.ts'
import { openWithGdal } from '../open_with_gdal.ts'
import type { SourceFile, StringReader } from '../source.ts'
import { defineSource } from '../source_format.ts'
import { nameSource } from '../source_name.ts'
import {
  createUtf8Detector,
  findDecoder,
  isAscii,
  isUtf8Name,
  openDecoder,
  wrongEncoding,
} from '../text/encoding.ts'

/** Shapefile. @see ESRI Shapefile Technical Description, July 1998 */
export const shapefile = defineSource('Shapefile', {
  async open(given, { gdal, job: { encoding } }) {
    const file = gatherCompanions(given, 'Shapefile')
    const { gdalEncoding, strings } = findShapefileStrings(file, encoding)
    gdal.config.set('SHAPE_ENCODING', gdalEncoding)
    const layers = await openWithGdal(gdal, file, ['ESRI Shapefile'])
    return layers.map((layer) => (strings === undefined ? layer : { ...layer, columns: { strings } }))
  },
})

/** How the strings of a Shapefile are decoded. */
interface ShapefileStrings {
  /** Encoding for GDAL: empty for no conversion, null to detect it. */
  readonly gdalEncoding: string | null
  /**
   * Decodes them; absent if GDAL returns UTF-8. GDAL reads them as ISO 8859-1, which preserves all bytes, since it drops
   * bytes that are invalid in an encoding.
   */
  readonly strings?: StringReader
}

interface DeclaredEncoding {
  /** Name of the source for messages. */
  readonly name: string
  /** Encoding in the request. */
  readonly requested: string | undefined
  /** Encoding as it was declared. */
  readonly declared: string
  /** Whether it is only the table that declares an unspecified Windows code page. */
  readonly isVague?: boolean
}

/** Unspecified code page of the machine that wrote the table; GDAL also assumes Western European. */
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

/** Encodings by language driver id; GDAL handles the ids that are not listed. */
const tableEncodings: ReadonlyMap<number, string> = new Map([
  ...Array.from({ length: 255 }, (_, index): [number, string] => [index + 1, `language ${index + 1}`]),
  ...Object.entries(pages).flatMap(([name, bytes]) => bytes.map((byte): [number, string] => [byte, name])),
])

/**
 * Finds the encoding of a Shapefile. The encoding in the request takes precedence, except UTF-8, which clients also send
 * by default: then the `.cpg` file or the table decides, unless the bytes are UTF-8.
 *
 * @throws {Problem} request/invalid for an unknown encoding
 */
function findShapefileStrings(file: SourceFile, requested: string | undefined): ShapefileStrings {
  const name = nameSource(file.name)
  const other = requested === undefined || isUtf8Name(requested) ? undefined : openDecoder(requested)
  if (other !== undefined)
    return {
      gdalEncoding: 'ISO-8859-1',
      strings: openReader(other, { name, requested, declared: fullName(requested ?? '') }),
    }
  const page = readPage(file)
  const stated = page ?? tableEncodings.get(readLanguage(file))
  const decoder = stated === undefined ? undefined : findDecoder(stated)
  if (stated === undefined || decoder === undefined) return { gdalEncoding: stated === undefined ? '' : null }
  if (decoder.encoding === 'utf-8') return { gdalEncoding: '' }
  return {
    gdalEncoding: 'ISO-8859-1',
    strings: openReader(decoder, {
      ...{ name, requested, declared: stated },
      isVague: page === undefined && stated === anyWindows,
    }),
  }
}

function openReader(
  first: TextDecoder,
  { name, requested, declared, isVague }: DeclaredEncoding,
): StringReader {
  let decoder = first
  let hasLetters = false
  let hasAdded = false
  const isWider = widened.has(declared.toLowerCase())
  const detector = createUtf8Detector()
  const decode = (text: string): string | undefined => {
    if (isAscii(text)) return text
    hasLetters = true
    hasAdded ||= isWider && controls.test(text)
    const bytes = Buffer.from(text, 'latin1')
    detector.add(bytes)
    try {
      return decoder.decode(bytes)
    } catch {
      return undefined
    }
  }
  return {
    encoding: first.encoding,
    read: (value) => decode(readString(value)),
    readName: (text) => readName(text, first),
    findNote() {
      if (isVague) return hasLetters ? vagueNote(first.encoding) : undefined
      return hasAdded ? widenedNote(declared, first.encoding) : undefined
    },
    settle() {
      if (!detector.isUtf8()) return
      if (requested === undefined || !isUtf8Name(requested))
        throw wrongEncoding(name, requested ?? first.encoding)
      decoder = openDecoder('utf-8')
    },
  }
}

/** Decodes a field name: as UTF-8 if valid, since names are too short to detect the encoding. */
function readName(name: string, decoder: TextDecoder): string {
  const bytes = Buffer.from(name, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : new TextDecoder(decoder.encoding).decode(bytes)
}

function vagueNote(encoding: string): string {
  return `Strings were read as ${encoding}, since the table declares an unspecified Windows code page. Set source.encoding for another encoding.`
}

/** Encodings that are read as those of Windows, which have letters in place of control characters. @see https://encoding.spec.whatwg.org/#names-and-labels */
const widened = new Set(['iso-8859-1', 'iso-8859-9', 'iso-8859-11'])

/** Bytes that are control characters in the encodings of ISO 8859. */
const controls = /[\u0080-\u009f]/

function widenedNote(declared: string, encoding: string): string {
  return `Strings were read as ${encoding}, since they have characters that the declared encoding ${declared} lacks.`
}

const stemOf = ({ path }: SourceFile) => path.slice(0, -'.shp'.length)

/** Returns the encoding in the `.cpg` file. */
function readPage(file: SourceFile): string | undefined {
  const page = `${stemOf(file)}.cpg`
  const text = existsSync(page) ? readFileSync(page, 'latin1').trim() : ''
  return text === '' ? undefined : fullName(text)
}

/** Completes encodings that are given as numbers of code pages or parts of ISO 8859. */
function fullName(text: string): string {
  const part = /^(?:iso)?[-_ ]?8859[-_]?(\d{1,2})$/i.exec(text)?.[1]
  if (part !== undefined) return `iso-8859-${part}`
  return (
    { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' }[text.replace(/^(cp|ansi)[ -]?/i, '')] ?? text
  )
}

/** Reads the language driver id of a table. @see https://en.wikipedia.org/wiki/.dbf "Language driver ID" */
function readLanguage(file: SourceFile): number {
  return readStart(`${stemOf(file)}.dbf`, 30)[29] ?? 0
}
