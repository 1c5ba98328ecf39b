import { type GeometryFamily, planarGeometryTypes } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import type { Problem } from '../core/problem.ts'
import { checkPart, type Geometry, type Part, type Position } from './geometry.ts'

/** A geometry with the reference system its text named, if it did. */
export interface WktValue {
  readonly geometry: Geometry
  /** EPSG code of a leading `SRID=…;`. */
  readonly srs: number | undefined
}

/**
 * Reads Well-Known Text as it is found in the wild: any case and spacing, `POINTZ` and `POINT Z`, a third coordinate
 * without Z, `SRID=…;` before it, points of a MULTIPOINT with or without brackets, rings that are left open.
 *
 * @throws {Problem} feature/invalid with the column of the fault
 * @see OGC 06-103r4 clause 7
 */
export function parseWkt(text: string): WktValue {
  const reader = new Reader(text)
  const srid = reader.take(/\s*SRID\s*=\s*(\d{1,9})\s*;/iy)?.[1]
  const geometry = parseGeometry(reader)
  reader.end()
  return { geometry, srs: srid === undefined ? undefined : Number(srid) }
}

function parseGeometry(reader: Reader): Geometry {
  const { type, mark } = parseHead(reader)
  const isMulti = type.startsWith('MULTI')
  const family = (isMulti ? type.slice(5) : type) as GeometryFamily
  const parts = isMulti ? parseMulti(reader, family) : parsePart(reader, family)
  const lengths = new Set(parts.flatMap((part) => part.flat().map((position) => position.length)))
  if (lengths.size > 1) throw reader.fault('some positions have two coordinates, others three')
  const hasZ = lengths.size === 0 ? mark === 'Z' : lengths.has(3)
  if (mark === 'Z' && !hasZ) throw reader.fault('Z is announced, but positions have two coordinates')
  return { family, isMulti, hasZ, parts: parts.map((part) => checkPart(family, part)) }
}

function parseHead(reader: Reader): { type: string; mark: string } {
  const word = reader.take(/\s*([A-Za-z]+)/y)?.[1]?.toUpperCase()
  if (word === undefined) throw reader.fault('expected the type of a geometry')
  const [, stem = '', glued = ''] = /^(.*?(?:POINT|STRING|POLYGON))(ZM|Z|M)?$/.exec(word) ?? [word, word]
  const type = planarGeometryTypes.find((known) => known === stem)
  if (type === undefined) throw reader.fault(`${word} is not a type that layers have`)
  const mark = glued || (reader.take(/\s*(ZM|Z|M)\b/iy)?.[1]?.toUpperCase() ?? '')
  if (mark.includes('M')) throw reader.fault('measures (M) are not supported')
  return { type, mark }
}

function parseMulti(reader: Reader, family: GeometryFamily): Part[] {
  if (reader.word('EMPTY')) return []
  return parseList(reader, () => {
    if (family === 'POINT' && !reader.sees('(') && !reader.seesEmpty()) return [[[parsePosition(reader)]]]
    return parsePart(reader, family)
  }).flat()
}

/** Gives one part, or none where it is empty. */
function parsePart(reader: Reader, family: GeometryFamily): Part[] {
  if (reader.word('EMPTY')) return []
  if (family === 'POLYGON') return [parseList(reader, () => parseSequence(reader))]
  const sequence = parseSequence(reader)
  if (family === 'POINT' && sequence.length !== 1) throw reader.fault('a point has one position')
  return [[sequence]]
}

const parseSequence = (reader: Reader) => parseList(reader, () => parsePosition(reader))

function parsePosition(reader: Reader): Position {
  const position: number[] = []
  for (let text = reader.number(); text !== undefined; text = reader.number()) {
    const value = Number(text)
    if (!Number.isFinite(value)) throw reader.fault(`${text} is too large a number`)
    position.push(value)
  }
  if (position.length > 3) throw reader.fault('measures (M) are not supported: a position has four numbers')
  if (position.length < 2) throw reader.fault('expected two or three numbers')
  return position
}

function parseList<T>(reader: Reader, parseItem: () => T): T[] {
  reader.expect('(')
  const items = [parseItem()]
  while (reader.skip(',')) items.push(parseItem())
  reader.expect(')')
  return items
}

/** A place in a text that moves on. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Takes what a sticky pattern matches here. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return undefined
    this.#at = pattern.lastIndex
    return match
  }

  number(): string | undefined {
    return this.take(/\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/iy)?.[1]
  }

  word(word: 'EMPTY'): boolean {
    if (!this.seesEmpty()) return false
    this.take(/\s*/y)
    this.#at += word.length
    return true
  }

  seesEmpty(): boolean {
    this.take(/\s*/y)
    return /^empty\b/i.test(this.#text.slice(this.#at, this.#at + 6))
  }

  sees(character: string): boolean {
    this.take(/\s*/y)
    return this.#text[this.#at] === character
  }

  skip(character: string): boolean {
    if (!this.sees(character)) return false
    this.#at += 1
    return true
  }

  expect(character: string): void {
    if (!this.skip(character)) throw this.fault(`expected "${character}"`)
  }

  end(): void {
    this.take(/\s*;?\s*/y)
    if (this.#at < this.#text.length) throw this.fault('expected the end')
  }

  fault(reason: string): Problem {
    const around = this.#text.slice(Math.max(0, this.#at - 20), this.#at + 20)
    return problem('feature/invalid', `bad WKT: ${reason} at character ${this.#at + 1}, near "${around}"`)
  }
}
