import { problem } from '../../contract/problems.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { isStorableText } from '../../core/storable.ts'
import { invalidAt } from './invalid_request.ts'

/** Maximum nesting depth of lists and objects. */
const maxDepth = 200

/**
 * Quick check that JSON text contains nothing that `checkStorable` rejects; false if the values must be checked. NUL and
 * unpaired surrogates are always escaped in JSON, and numbers out of range have an exponent or hundreds of digits. The
 * text need not be well-formed: the depth is checked before it is parsed, because parsing millions of levels takes
 * seconds.
 *
 * @throws {Problem} request/malformed if lists and objects are nested too deeply
 */
export function isPlainJson(text: string): boolean {
  const hasShortNumbers = checkDepth(text)
  return hasShortNumbers && !suspicious.test(text)
}

const suspicious = /\\u(?:0000|d[89a-f])|e\+?\d{3}/i
const maxDigits = 300

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, zero, nine] = [code('"'), code('\\'), code('0'), code('9')]
const openers: readonly number[] = [code('{'), code('[')]
const closers: readonly number[] = [code('}'), code(']')]

/** Checks the nesting depth, and returns whether no number has too many digits. */
function checkDepth(text: string): boolean {
  let level = 0
  let digits = 0
  let hasShortNumbers = true
  for (let at = 0; at < text.length; at += 1) {
    const here = text.charCodeAt(at)
    digits = here >= zero && here <= nine ? digits + 1 : 0
    if (here === quote) at = endOfString(text, at)
    else if (openers.includes(here)) level += 1
    else if (closers.includes(here)) level -= 1
    if (level > maxDepth) throw tooDeep()
    if (digits > maxDigits) hasShortNumbers = false
  }
  return hasShortNumbers
}

const tooDeep = () =>
  problem('request/malformed', `The body nests lists and objects more than ${maxDepth} levels deep.`)

/** Returns the index of the closing quote of a string; the length of the text if it is missing. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    if (end === -1) return text.length
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
  if (depth >= maxDepth) throw tooDeep()
  for (const [name, member] of Object.entries(value)) {
    // Saves building a pointer for values that are always valid.
    if (typeof member === 'boolean' || member === null) continue
    const inner = { pointer: joinPointer(pointer, name), depth: depth + 1 }
    if (!isStorableText(name))
      throw invalidAt(pointer, 'a name contains a NUL character or an unpaired surrogate')
    check(member, inner)
  }
}
