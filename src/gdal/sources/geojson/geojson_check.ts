import { closeSync, createReadStream, openSync } from 'node:fs'
import { notNumber } from '../../import/fit_geometry.ts'
import type { BadFeature } from '../../runner/vector_job.ts'
import { writeText } from '../../runner/write_text.ts'
import { codes, JsonScan, NoJson } from './json_scan.ts'

/** What GDAL passes over in GeoJSON without a word. */
export interface GeoJsonFaults {
  /** Geometries of which a position, a ring or a part would be lost, in order. */
  readonly broken: readonly BrokenGeometry[]
  /** Which member of a collection is no feature, and why; undefined where all of them are. */
  readonly stranger: BadFeature | undefined
  /** Whether positions have more than three numbers. */
  readonly hasLongPositions: boolean
}

/** A geometry that is broken: its feature, and where in the file it stands. */
export interface BrokenGeometry extends BadFeature {
  /** Bytes before its first, and before what follows it. */
  readonly start: number
  readonly end: number
}

/**
 * Looks for what GDAL passes over: a hole that is no ring, a part that is `null`, a member that is no feature. What is
 * no JSON at all is left to GDAL.
 *
 * @param windowBytes held in memory at a time, a hundred at least
 * @see RFC 7946 clause 3
 */
export function checkGeoJson(path: string, windowBytes?: number): GeoJsonFaults {
  const file = openSync(path, 'r')
  try {
    return new Check(new JsonScan(file, windowBytes)).run()
  } finally {
    closeSync(file)
  }
}

const byteOrderMark = 0xef
const recordSeparator = 0x1e
/** Collections in collections: deeper ones are nobody's data. */
const mostNested = 32

class Check {
  readonly #scan: JsonScan
  readonly #broken: BrokenGeometry[] = []
  /** What is wrong with the geometry that is read. */
  #fault: string | undefined
  #stranger: BadFeature | undefined
  #hasLongPositions = false
  /** Number of the feature that is read. */
  #number = 0

  constructor(scan: JsonScan) {
    this.#scan = scan
  }

  run(): GeoJsonFaults {
    try {
      if (this.#scan.peek() === byteOrderMark) for (let index = 0; index < 3; index++) this.#scan.take()
      while (this.#nextDocument()) this.#readDocument()
    } catch (error) {
      if (!(error instanceof NoJson)) throw error
    }
    return {
      broken: this.#broken,
      stranger: this.#stranger,
      hasLongPositions: this.#hasLongPositions,
    }
  }

  /** There are several where each feature is a line of its own. @see RFC 8142 */
  #nextDocument(): boolean {
    while (this.#scan.next() === recordSeparator) this.#scan.take()
    return this.#scan.next() >= 0
  }

  #readDocument(): void {
    if (this.#scan.next() !== codes.openObject) {
      this.#scan.pass()
      return
    }
    this.#number += 1
    this.#readObject((key) => {
      if (key === 'features' && this.#scan.next() === codes.openList) {
        // What was taken for a feature is a collection.
        this.#number -= 1
        this.#readList(() => this.#readFeature())
      } else this.#readMember(key)
    })
  }

  #readFeature(): void {
    this.#number += 1
    const what = this.#scan.next() === codes.openObject ? this.#readTyped() : describe(this.#scan)
    if (what !== undefined) this.#stranger ??= { number: this.#number, reason: what }
  }

  /** Gives what it is, where it is no feature. */
  #readTyped(): string | undefined {
    let type: string | undefined
    let properties = 'null'
    this.#readObject((key) => {
      const next = this.#scan.next()
      if (key === 'type' && next === codes.quote) type = this.#scan.text()
      else if (key === 'properties' && next !== codes.openObject) properties = describe(this.#scan)
      else this.#readMember(key)
    })
    if (type?.toLowerCase() === 'feature')
      return properties === 'null' ? undefined : `one whose properties are ${properties}`
    return type === undefined ? 'an object without a type' : `of the type ${JSON.stringify(type)}`
  }

  #readMember(key: string): void {
    if (key !== 'geometry') {
      this.#scan.pass()
      return
    }
    this.#fault = undefined
    this.#scan.next()
    const start = this.#scan.offset
    this.#readGeometry(0)
    if (this.#fault === undefined) return
    this.#broken.push({ number: this.#number, reason: this.#fault, start, end: this.#scan.offset })
  }

  #readGeometry(depth: number): void {
    if (this.#scan.next() !== codes.openObject) {
      const what = describe(this.#scan)
      if (depth > 0) this.#fault ??= `a geometry of its collection is ${what}`
    } else if (depth > mostNested) this.#scan.pass()
    else this.#readObject((key) => this.#readGeometryMember(key, depth))
  }

  #readGeometryMember(key: string, depth: number): void {
    if (this.#scan.next() !== codes.openList) this.#scan.pass()
    else if (key === 'coordinates') this.#readCoordinates()
    else if (key === 'geometries') this.#readList(() => this.#readGeometry(depth + 1))
    else this.#scan.pass()
  }

  #readCoordinates(): void {
    const found = readCoordinates(this.#scan)
    this.#hasLongPositions ||= found.longest > 3
    this.#fault ??= found.fault
  }

  #readObject(readValue: (key: string) => void): void {
    this.#scan.expect(codes.openObject)
    if (this.#scan.takes(codes.closeObject)) return
    do {
      const key = this.#scan.text()
      this.#scan.expect(codes.colon)
      readValue(key)
    } while (this.#scan.takes(codes.comma))
    this.#scan.expect(codes.closeObject)
  }

  #readList(readValue: () => void): void {
    this.#scan.expect(codes.openList)
    if (this.#scan.takes(codes.closeList)) return
    do readValue()
    while (this.#scan.takes(codes.comma))
    this.#scan.expect(codes.closeList)
  }
}

interface Coordinates {
  readonly fault: string | undefined
  /** Most numbers of a position. */
  readonly longest: number
}

/** Reads lists of lists of positions. An empty list is no fault: it is a part that is not there. */
function readCoordinates(scan: JsonScan): Coordinates {
  let depth = 0
  let positionDepth = 0
  let longest = 0
  for (;;) {
    const byte = scan.next()
    let fault: string | undefined
    if (byte === codes.openList) {
      scan.take()
      depth += 1
    } else if (byte === codes.comma) scan.take()
    else if (beginsNumber(byte)) {
      const numbers = passNumbers(scan)
      longest = Math.max(longest, numbers)
      fault =
        positionFault(scan, numbers) ?? (positionDepth === 0 || positionDepth === depth ? undefined : uneven)
      positionDepth = depth
    } else if (byte === codes.closeList) {
      scan.take()
      depth -= 1
      if (depth === 0) return { fault: undefined, longest }
    } else fault = `${notNumber}: ${describe(scan)}`
    if (fault === undefined) continue
    scan.passRest(depth)
    return { fault, longest }
  }
}

const uneven = 'its positions are nested unevenly'

/** What is wrong with a position, of which the numbers were read. */
function positionFault(scan: JsonScan, numbers: number): string | undefined {
  const byte = scan.next()
  if (byte === codes.openList) return uneven
  if (byte !== codes.closeList) return `${notNumber}: ${describe(scan)}`
  return numbers < 2 ? 'a position of it has one number only' : undefined
}

/** Passes over numbers that follow each other; gives how many there are. */
function passNumbers(scan: JsonScan): number {
  let count = 0
  while (beginsNumber(scan.next())) {
    scan.passNumber()
    count += 1
    scan.takes(codes.comma)
  }
  return count
}

/** Tells whether a number begins. Whether it is one, GDAL sees: it refuses the file. */
function beginsNumber(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d
}

/** Passes over a value, and says what it is. */
function describe(scan: JsonScan): string {
  const first = scan.next()
  if (first === codes.quote) return JSON.stringify(scan.text())
  if (first === codes.openList || first === codes.openObject) {
    scan.pass()
    return first === codes.openList ? 'a list' : 'an object'
  }
  const word = scan.word()
  if (word === '') throw new NoJson()
  return word
}

/**
 * Writes a copy in which broken geometries are none at all: GDAL sees that those features have no geometry.
 *
 * @throws {Problem} files/full
 */
export async function writeWithout(
  path: string,
  broken: readonly BrokenGeometry[],
  target: string,
): Promise<void> {
  await writeText({ path: target, encoding: 'latin1', doing: 'a source is read' }, cutOut(path, broken))
}

async function* cutOut(path: string, broken: readonly BrokenGeometry[]): AsyncGenerator<string> {
  let [at, from, next] = [0, 0, 0]
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = at + chunk.length
    while (from < end) {
      const { start, end: behind } = broken[next] ?? { start: Number.POSITIVE_INFINITY, end: 0 }
      yield chunk.toString('latin1', from - at, Math.min(start, end) - at)
      from = end
      if (start >= end) break
      yield 'null'
      from = behind
      next += 1
    }
    at = end
  }
}
