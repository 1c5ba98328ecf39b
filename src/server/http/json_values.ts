import { problem } from '../../contract/problems.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { isStorableText } from '../../core/storable.ts'
import { invalidAt } from './invalid_request.ts'

/** Maximum nesting depth of lists and objects. */
const maxDepth = 200

/**
 * Quick check that well-formed JSON text contains nothing that `checkStorable` rejects; false if the values must be
 * checked. NUL and unpaired surrogates are always escaped in JSON, and numbers out of range have an exponent or hundreds
 * of digits.
 */
export function isPlainJson(text: string): boolean {
  return !suspicious.test(text) && isShallow(text)
}

const suspicious = /\\u(?:0000|d[89a-f])|e\+?\d{3}/i
const maxDigits = 300

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, zero, nine] = [code('"'), code('\\'), code('0'), code('9')]
const openers: readonly number[] = [code('{'), code('[')]
const closers: readonly number[] = [code('}'), code(']')]

/** Tells whether nesting and number of digits stay below their limits. */
function isShallow(text: string): boolean {
  let level = 0
  let digits = 0
  for (let at = 0; at < text.length; at += 1) {
    const here = text.charCodeAt(at)
    digits = here >= zero && here <= nine ? digits + 1 : 0
    if (here === quote) at = endOfString(text, at)
    else if (openers.includes(here)) level += 1
    else if (closers.includes(here)) level -= 1
    if (level >= maxDepth || digits > maxDigits) return false
  }
  return true
}

/** Returns the index of the closing quote of a string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

/**
 * Checks that the database can store a JSON value: no NUL, no unpaired surrogate, no number out of range. Limits the
 * nesting depth as well, because later steps are recursive.
 *
 * @throws {Problem} request/invalid with the location, request/malformed
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
    throw invalidAt(place.pointer, 'the string contains a NUL character or an unpaired surrogate')
  if (typeof value === 'number' && !Number.isFinite(value))
    throw invalidAt(place.pointer, 'the number is out of range')
  if (typeof value === 'object' && value !== null) checkMembers(value, place)
}

function checkMembers(value: object, { pointer, depth }: Place): void {
  if (depth >= maxDepth)
    throw problem('request/malformed', `The body nests lists and objects more than ${maxDepth} levels deep.`)
  for (const [name, member] of Object.entries(value)) {
    // Saves building a pointer for values that are always valid.
    if (typeof member === 'boolean' || member === null) continue
    const inner = { pointer: joinPointer(pointer, name), depth: depth + 1 }
    if (!isStorableText(name))
      throw invalidAt(pointer, 'a name contains a NUL character or an unpaired surrogate')
    check(member, inner)
  }
}
