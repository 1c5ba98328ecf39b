import { type GeometryFamily, planarGeometryTypes } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import type { Problem } from '../core/problem.ts'
import { checkPart, type Geometry, type Part, type Sequence } from './geometry.ts'
import { WktScan, type WktToken } from './wkt_scan.ts'

/** A geometry and the reference system of its WKT, if given. */
export interface WktValue {
  readonly geometry: Geometry
  /** EPSG code of a leading `SRID=…;`. */
  readonly srs: number | undefined
}

/**
 * Parses Well-Known Text in common variants: any case and spacing, `POINTZ` and `POINT Z`, a third coordinate without Z,
 * a leading `SRID=…;`, points of a MULTIPOINT with or without parentheses, and open rings.
 *
 * @throws {Problem} feature/invalid with the position of the error, also as `character`, 1-based
 * @see OGC 06-103r4 clause 7
 */
export function parseWkt(text: string): WktValue {
  const { reader, srs } = open(text)
  const geometry = parseGeometry(reader)
  reader.end()
  return { geometry, srs }
}

/** Geometries and the reference system of their WKT, if given. */
interface WktMembers {
  readonly geometries: readonly Geometry[]
  readonly srs: number | undefined
}

/**
 * Parses Well-Known Text like `parseWkt`, and also geometry collections, nested ones too, as a list of their members.
 *
 * @throws {Problem} feature/invalid with the position of the error, also as `character`, 1-based
 */
export function parseWktMembers(text: string): WktMembers {
  const { reader, srs } = open(text)
  const geometries = parseMembers(reader, 0)
  reader.end()
  return { geometries, srs }
}

function open(text: string) {
  const [prefix = '', srid] = /^[ \t-\r]*SRID[ \t-\r]*=[ \t-\r]*(\d{1,9})[ \t-\r]*;/i.exec(text) ?? []
  return { reader: new Reader(text, prefix.length), srs: srid === undefined ? undefined : Number(srid) }
}

const maxDepth = 16

function parseMembers(reader: Reader, depth: number): Geometry[] {
  const mark = reader.takeWord(/^GEOMETRYCOLLECTION(ZM|Z|M)?$/i)
  if (mark === undefined) return [parseGeometry(reader)]
  if (depth === maxDepth) throw reader.error(`geometry collections are nested more than ${maxDepth} times`)
  reader.takeWord(/^(ZM|Z|M)$/i)
  if (reader.takeWord(empty) !== undefined) return []
  return parseList(reader, () => parseMembers(reader, depth + 1)).flat()
}

function parseGeometry(reader: Reader): Geometry {
  const { type, mark } = parseHead(reader)
  const isMulti = type.startsWith('MULTI')
  const family = (isMulti ? type.slice(5) : type) as GeometryFamily
  const parts = isMulti ? parseMulti(reader, family) : parsePart(reader, family)
  const { size } = reader
  const hasZ = size === 0 ? mark === 'Z' : size === 3
  if (mark === 'Z' && !hasZ) throw reader.error('the type has Z, but positions have two coordinates')
  return { family, isMulti, hasZ, parts: parts.map((part) => checkPart({ family, part, size })) }
}

function parseHead(reader: Reader): { type: string; mark: string } {
  const word = reader.take('word')?.toUpperCase()
  if (word === undefined) throw reader.error('expected a geometry type')
  const [, stem = '', glued = ''] = /^(.*?(?:POINT|STRING|POLYGON))(ZM|Z|M)?$/.exec(word) ?? [word, word]
  const type = planarGeometryTypes.find((known) => known === stem)
  if (type === undefined) throw reader.error(`${word} is not a supported geometry type`)
  const mark = glued || (reader.takeWord(/^(ZM|Z|M)$/i)?.toUpperCase() ?? '')
  if (mark.includes('M')) throw reader.error('measures (M) are not supported')
  return { type, mark }
}

function parseMulti(reader: Reader, family: GeometryFamily): Part[] {
  if (reader.takeWord(empty) !== undefined) return []
  return parseList(reader, () =>
    family === 'POINT' && reader.sees('number') ? [[parsePosition(reader)]] : parsePart(reader, family),
  ).flat()
}

const empty = /^EMPTY$/i

/** Returns one part; an empty list for EMPTY. */
function parsePart(reader: Reader, family: GeometryFamily): Part[] {
  if (reader.takeWord(empty) !== undefined) return []
  if (family === 'POLYGON') return [parseList(reader, () => parseSequence(reader).flat())]
  const positions = parseSequence(reader)
  if (family === 'POINT' && positions.length !== 1) throw reader.error('a point must have one position')
  return [[positions.flat()]]
}

const parseSequence = (reader: Reader) => parseList(reader, () => parsePosition(reader))

function parsePosition(reader: Reader): Sequence {
  const position: number[] = []
  for (let text = reader.take('number'); text !== undefined; text = reader.take('number')) {
    const value = Number(text)
    if (!Number.isFinite(value)) throw reader.error(`the number ${text} is too large`)
    position.push(value)
  }
  if (position.length > 3)
    throw reader.error('measures (M) are not supported, but a position has four numbers')
  if (position.length < 2) throw reader.error('expected two or three numbers')
  reader.expectSize(position.length)
  return position
}

function parseList<T>(reader: Reader, parseItem: () => T): T[] {
  reader.expect('open')
  const items = [parseItem()]
  while (reader.take('comma') !== undefined) items.push(parseItem())
  reader.expect('close')
  return items
}

const signs = { open: '(', close: ')' } as const

/** Reader of tokens with one token lookahead. */
class Reader {
  readonly #bytes: Buffer
  readonly #scan: WktScan
  #next: WktToken
  /** Offset after the last taken token. */
  #taken: number
  /** Numbers per position; 0 before the first position. */
  size = 0

  constructor(text: string, prefixLength: number) {
    this.#bytes = Buffer.from(text)
    this.#scan = new WktScan(this.#bytes, prefixLength)
    this.#taken = prefixLength
    this.#next = this.#scan.next()
  }

  sees(token: WktToken): boolean {
    return this.#next === token
  }

  /** Takes the next token if it is of a kind, and returns its text. */
  take(token: WktToken): string | undefined {
    if (this.#next !== token) return undefined
    const text = this.#scan.text()
    this.#taken = this.#scan.at
    this.#next = this.#scan.next()
    return text
  }

  takeWord(pattern: RegExp): string | undefined {
    return this.#next === 'word' && pattern.test(this.#scan.text()) ? this.take('word') : undefined
  }

  expect(token: keyof typeof signs): void {
    if (this.take(token) === undefined) throw this.error(`expected "${signs[token]}"`)
  }

  expectSize(size: number): void {
    if (this.size !== 0 && this.size !== size)
      throw this.error('some positions have two coordinates, others three')
    this.size = size
  }

  end(): void {
    if (this.#next === 'other' && this.#scan.text() === ';') this.take('other')
    if (this.#next !== 'end') throw this.error('expected the end of the text')
  }

  error(reason: string): Problem {
    const before = this.#bytes.toString('utf8', 0, this.#taken)
    const around = before.slice(-20) + this.#bytes.toString('utf8', this.#taken).slice(0, 20)
    const character = before.length + 1
    return problem('feature/invalid', `invalid WKT: ${reason} at character ${character}, near "${around}"`, {
      data: { character },
    })
  }
}
