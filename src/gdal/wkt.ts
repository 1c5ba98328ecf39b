import type { Bytes } from '../core/bytes.ts'

/** Where a text stands. */
export interface TextPlace extends Bytes {
  readonly at: number
  readonly size: number
}

/** Reads the texts that geometries were made of. */
export interface WktCheck {
  /** Tells whether all of a text says what the geometry is: GDAL stops where it has enough. */
  isWhole(text: TextPlace): boolean
  /** Whether a text has had measures (M). */
  readonly hasMeasures: boolean
}

/** Starts to look at texts. @see OGC 06-103r4 clause 7.2 */
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

/** How far a text was gone through. */
interface Reading {
  at: number
  /** Parentheses that are open. */
  depth: number
  /** Numbers of the position that is read. */
  numbers: number
  /** Whether the last parenthesis is closed. */
  isClosed: boolean
  hasMeasures: boolean
}

const [open, close, comma] = [0x28, 0x29, 0x2c]

/** Goes through a text: words, numbers and parentheses that close each other, and nothing behind the last. */
function readWkt({ bytes, at, size }: TextPlace): { isWhole: boolean; hasMeasures: boolean } {
  const end = at + size
  const reading: Reading = { at, depth: 0, numbers: 0, isClosed: false, hasMeasures: false }
  while (reading.at < end) {
    const byte = bytes[reading.at] as number
    if (byte <= 0x20) reading.at += 1
    else if (reading.isClosed || !readToken(reading, bytes, end))
      return { isWhole: false, hasMeasures: false }
  }
  return { isWhole: reading.isClosed, hasMeasures: reading.hasMeasures }
}

function readToken(reading: Reading, bytes: Buffer, end: number): boolean {
  const { at, depth } = reading
  const byte = bytes[at] as number
  if (isLetter(byte)) {
    reading.at = passWord(bytes, at, end)
    reading.hasMeasures ||= saysMeasures(bytes, reading.at)
    reading.isClosed = depth === 0 && isEmpty(bytes, at, reading.at)
    return true
  }
  if (byte === open || (depth > 0 && (byte === close || byte === comma))) {
    reading.at += 1
    reading.numbers = 0
    reading.depth += byte === open ? 1 : byte === close ? -1 : 0
    reading.isClosed = reading.depth === 0
    return true
  }
  reading.at = depth === 0 ? at : passNumber(bytes, at, end)
  reading.numbers += 1
  reading.hasMeasures ||= reading.numbers > 3
  return reading.at > at
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

function passWord(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isLetter(bytes[at] as number)) at += 1
  return at
}

const letterM = 0x6d

/** `POINT M`, `POINT ZM`, `POINTM`: no name of a geometry ends in this letter. */
function saysMeasures(bytes: Buffer, end: number): boolean {
  return ((bytes[end - 1] as number) | 0x20) === letterM
}

function isEmpty(bytes: Buffer, from: number, end: number): boolean {
  return end - from === 5 && bytes.toString('latin1', from, end).toUpperCase() === 'EMPTY'
}

/** Gives where a number ends, which has to be followed by something else; its beginning where there is none. */
function passNumber(bytes: Buffer, from: number, end: number): number {
  let at = from
  if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1
  const whole = passDigits(bytes, at, end)
  let digits = whole - at
  at = whole
  if (bytes[at] === 0x2e && at < end) {
    const fraction = passDigits(bytes, at + 1, end)
    digits += fraction - at - 1
    at = fraction
  }
  if (digits === 0) return from
  if (at < end && ((bytes[at] as number) | 0x20) === 0x65) {
    const sign = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d ? 1 : 0
    const exponent = passDigits(bytes, at + 1 + sign, end)
    if (exponent === at + 1 + sign) return from
    at = exponent
  }
  const after = at < end ? (bytes[at] as number) : close
  return after <= 0x20 || after === comma || after === close ? at : from
}

function passDigits(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isDigit(bytes[at])) at += 1
  return at
}

/** Well-known binary in letters, which begins with its byte order. */
function isHex({ bytes, at, size }: TextPlace): boolean {
  if (size < 10 || size % 2 > 0 || bytes[at] !== 0x30) return false
  for (let index = at; index < at + size; index++) {
    const byte = bytes[index] as number
    if (!isDigit(byte) && !((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)) return false
  }
  return true
}
