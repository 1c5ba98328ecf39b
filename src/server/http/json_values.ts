import { problem } from '../../contract/problems.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { isStorableText } from '../../core/storable.ts'
import { invalidAt } from './invalid_request.ts'

/** Lists and objects inside each other beyond this are refused. */
const deepest = 200

/**
 * Tells by its text that well-formed JSON holds nothing that `checkStorable` refuses; false where only the values can
 * tell. NUL and halves of surrogate pairs are always escaped, and numbers out of range have an exponent or hundreds of
 * digits.
 */
export function isPlainJson(text: string): boolean {
  return !suspicious.test(text) && isShallow(text)
}

const suspicious = /\\u(?:0000|d[89a-f])|e\+?\d{3}/i
const mostDigits = 300

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, zero, nine] = [code('"'), code('\\'), code('0'), code('9')]
const openers: readonly number[] = [code('{'), code('[')]
const closers: readonly number[] = [code('}'), code(']')]

/** Whether brackets nest less than is allowed, and no number has too many digits. */
function isShallow(text: string): boolean {
  let level = 0
  let digits = 0
  for (let at = 0; at < text.length; at += 1) {
    const here = text.charCodeAt(at)
    digits = here >= zero && here <= nine ? digits + 1 : 0
    if (here === quote) at = endOfString(text, at)
    else if (openers.includes(here)) level += 1
    else if (closers.includes(here)) level -= 1
    if (level >= deepest || digits > mostDigits) return false
  }
  return true
}

/** Gives the place of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

/**
 * Checks that a value that was read from JSON can be kept: the database takes no NUL, no half of a surrogate pair and
 * no number that is out of range, and what nests without end would exhaust the stack further on.
 *
 * @throws {Problem} request/invalid, naming the place, request/malformed
 */
export function checkStorable(value: unknown): void {
  check(value, { pointer: '', depth: 0 })
}

interface Place {
  readonly pointer: Pointer
  readonly depth: number
}

function check(value: unknown, place: Place): void {
  if (typeof value === 'string' && !isStorableText(value))
    throw invalidAt(place.pointer, 'the text holds a NUL, or half of a surrogate pair')
  if (typeof value === 'number' && !Number.isFinite(value))
    throw invalidAt(place.pointer, 'the number is out of range')
  if (typeof value === 'object' && value !== null) checkMembers(value, place)
}

function checkMembers(value: object, { pointer, depth }: Place): void {
  if (depth >= deepest)
    throw problem('request/malformed', `The body nests more than ${deepest} lists and objects.`)
  for (const [name, member] of Object.entries(value)) {
    // A pointer is only worth making where there is something to look into.
    if (typeof member === 'boolean' || member === null) continue
    const inner = { pointer: joinPointer(pointer, name), depth: depth + 1 }
    if (!isStorableText(name)) throw invalidAt(pointer, 'a name holds a NUL, or half of a surrogate pair')
    check(member, inner)
  }
}
