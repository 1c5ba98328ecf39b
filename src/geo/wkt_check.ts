import type { Bytes } from '../core/bytes.ts'
import { WktScan, type WktToken } from './wkt_scan.ts'

/** A string in place in a byte buffer. */
export interface TextPlace extends Bytes {
  readonly at: number
  readonly size: number
}

/** Checks strings that GDAL has parsed as geometries. */
export interface WktCheck {
  /** Returns whether the complete string is a geometry: GDAL ignores trailing text. */
  isWhole(text: TextPlace): boolean
  /** Whether any string had measures (M). */
  readonly hasMeasures: boolean
}

/** Creates a check of WKT of any geometry type, and of well-known binary in hexadecimal. */
export function startWktCheck(): WktCheck {
  const check = {
    hasMeasures: false,
    isWhole: (place: TextPlace) => {
      if (isHex(place)) return true
      const found = readWkt(place)
      check.hasMeasures ||= found.hasMeasures
      return found.isWhole
    },
  }
  return check
}

interface Reading {
  /** Number of open parentheses. */
  depth: number
  /** Numbers of the current position so far. */
  numbers: number
  /** Whether the outermost parenthesis is closed. */
  isClosed: boolean
  hasMeasures: boolean
}

/** Reads words, numbers and balanced parentheses, with nothing after the last one. */
function readWkt({ bytes, at, size }: TextPlace): { isWhole: boolean; hasMeasures: boolean } {
  const scan = new WktScan(bytes, at, at + size)
  const reading: Reading = { depth: 0, numbers: 0, isClosed: false, hasMeasures: false }
  for (let token = scan.next(); token !== 'end'; token = scan.next())
    if (reading.isClosed || !takeToken(reading, token, scan)) return { isWhole: false, hasMeasures: false }
  return { isWhole: reading.isClosed, hasMeasures: reading.hasMeasures }
}

function takeToken(reading: Reading, token: WktToken, scan: WktScan): boolean {
  if (token === 'word') {
    // `POINT M`, `POINT ZM`, `POINTM`: no geometry type ends in this letter.
    reading.hasMeasures ||= scan.endsIn('m')
    reading.isClosed = reading.depth === 0 && isEmpty(scan)
    return true
  }
  if (token === 'number') {
    reading.numbers += 1
    reading.hasMeasures ||= reading.numbers > 3
    return reading.depth > 0
  }
  if (token !== 'open' && (token === 'other' || reading.depth === 0)) return false
  reading.numbers = 0
  reading.depth += token === 'open' ? 1 : token === 'close' ? -1 : 0
  reading.isClosed = reading.depth === 0
  return true
}

function isEmpty(scan: WktScan): boolean {
  return scan.at - scan.start === 5 && scan.text().toUpperCase() === 'EMPTY'
}

/** Well-known binary starts with its byte order. */
function isHex({ bytes, at, size }: TextPlace): boolean {
  if (size < 10 || size % 2 > 0 || bytes[at] !== 0x30) return false
  for (let index = at; index < at + size; index++) {
    const byte = bytes[index] as number
    const isDigit = byte >= 0x30 && byte <= 0x39
    if (!isDigit && !((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)) return false
  }
  return true
}
