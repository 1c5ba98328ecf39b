import type { JsonReader } from './json_reader.ts'

const plain: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
)
const backslash = 0x5c
const letterU = 0x75

/**
 * Resolves the escapes of a string in the window. Bytes that are not UTF-8 are kept; an unpaired surrogate becomes
 * U+FFFD.
 *
 * @throws {JsonFault} for U+0000, which databases cannot store
 */
export function unescapeJson(json: JsonReader, start: number, end: number): Buffer {
  const { bytes } = json
  const target = Buffer.allocUnsafe(end - start)
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    const next = bytes[at + 1] as number
    if (byte !== backslash) target[length++] = byte
    else if (next !== letterU) {
      const character = plain.get(next)
      if (character === undefined) throw json.fault('syntax', at)
      target[length++] = character
      at += 1
    } else {
      const { character, size } = readCharacter(json, at, end)
      length += target.write(character, length)
      at += size - 1
    }
  }
  return target.subarray(0, length)
}

/** Reads the escape of a code unit, and of the next one if they are a surrogate pair. */
function readCharacter(json: JsonReader, at: number, end: number): { character: string; size: number } {
  const { bytes } = json
  const unit = unitAt(json, at, end)
  if (unit === 0) throw json.fault('nul', at)
  const hasSecond = isHigh(unit) && bytes[at + 6] === backslash && bytes[at + 7] === letterU
  const second = hasSecond ? unitAt(json, at + 6, end) : 0
  if (isBetween(second, 0xdc00, 0xdfff)) return { character: String.fromCharCode(unit, second), size: 12 }
  return { character: isBetween(unit, 0xd800, 0xdfff) ? '\uFFFD' : String.fromCharCode(unit), size: 6 }
}

function isHigh(unit: number): boolean {
  return isBetween(unit, 0xd800, 0xdbff)
}

function isBetween(value: number, from: number, to: number): boolean {
  return value >= from && value <= to
}

/** Reads the four hexadecimal digits of an escape. */
function unitAt(json: JsonReader, at: number, end: number): number {
  const digits = json.bytes.toString('latin1', at + 2, Math.min(at + 6, end))
  if (!/^[\da-fA-F]{4}$/.test(digits)) throw json.fault('syntax', at)
  return Number.parseInt(digits, 16)
}
