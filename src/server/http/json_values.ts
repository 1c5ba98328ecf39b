import { maxMembers } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { endOfString } from '../../core/json_text.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { isStorableText } from '../../core/storable.ts'
import { invalidAt } from './invalid_request.ts'

/** Maximum nesting depth of lists and objects. */
const maxDepth = 200

/**
 * Quick check that JSON text contains nothing that `checkStorable` rejects; false if the values must be checked. NUL and
 * unpaired surrogates are always escaped in JSON, and numbers out of range have an exponent or hundreds of digits. The
 * text need not be well-formed: depth and number of values are checked before it is parsed, because parsing millions of
 * levels or empty objects takes seconds and gigabytes.
 *
 * @throws {Problem} request/malformed if lists and objects are nested too deeply, request/too-large
 */
export function isPlainJson(text: string, maxValues: number): boolean {
  const hasShortNumbers = checkStructure(text, maxValues)
  return hasShortNumbers && !suspicious.test(text)
}

const suspicious = /\\u(?:0000|d[89a-f])|e\+?\d{3}/i
const maxDigits = 300

const code = (character: string) => character.charCodeAt(0)
const [quote, comma, openBracket, zero, nine] = [code('"'), code(','), code('['), code('0'), code('9')]

/** Change of the nesting depth by ASCII character. */
const levelSteps = new Int8Array(128)
for (const character of '[{') levelSteps[code(character)] = 1
for (const character of ']}') levelSteps[code(character)] = -1

/** Checks the structure, and returns whether no number has too many digits. */
function checkStructure(text: string, maxValues: number): boolean {
  const structure = new Structure(maxValues)
  let digits = 0
  let hasShortNumbers = true
  for (let at = 0; at < text.length; at += 1) {
    const here = text.charCodeAt(at)
    if (here >= zero && here <= nine) {
      digits += 1
      if (digits > maxDigits) hasShortNumbers = false
      continue
    }
    digits = 0
    if (here === quote) at = endOfString(text, at)
    else if (here === comma) structure.separate()
    else if (here < levelSteps.length && levelSteps[here] !== 0) structure.nest(here)
  }
  return hasShortNumbers
}

/** Depth and numbers of values and of the members of objects, counted from the characters outside of strings. */
class Structure {
  readonly #maxValues: number
  #level = 0
  #values = 0
  /** Commas so far in the object of each level; without a limit in lists. */
  readonly #commas = new Float64Array(maxDepth + 1)

  constructor(maxValues: number) {
    this.#maxValues = maxValues
  }

  /** Reads a bracket or brace. */
  nest(character: number): void {
    const step = levelSteps[character] ?? 0
    this.#level += step
    if (step < 0) return
    if (this.#level > maxDepth) throw tooDeep()
    this.#commas[this.#level] = character === openBracket ? Number.NEGATIVE_INFINITY : 0
    this.#countValue()
  }

  /** Reads a comma: every value but the first of a list or object follows one. */
  separate(): void {
    this.#countValue()
    const commas = (this.#commas[this.#level] ?? 0) + 1
    if (commas >= maxMembers)
      throw problem('request/too-large', `An object has more than ${maxMembers} members.`)
    this.#commas[this.#level] = commas
  }

  #countValue(): void {
    this.#values += 1
    if (this.#values > this.#maxValues)
      throw problem(
        'request/too-large',
        `The body has more than ${this.#maxValues} values, with lists and objects.`,
      )
  }
}

const tooDeep = () =>
  problem('request/malformed', `The body nests lists and objects more than ${maxDepth} levels deep.`)

/**
 * Checks that the database can store a JSON value: no NUL, no unpaired surrogate, no number out of range. Limits the
 * nesting depth as well, because later steps are recursive.
 *
 * @throws {Problem} request/invalid with the location, request/malformed
 */
export function checkStorable(value: unknown): void {
  check(value, [])
}

/** Checks a value at a place, which is written as a pointer for a fault only: most bodies have none. */
function check(value: unknown, place: (string | number)[]): void {
  if (typeof value === 'string') {
    if (!isStorableText(value))
      throw invalidAt(pointerOf(place), 'the string contains a NUL character or an unpaired surrogate')
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidAt(pointerOf(place), 'the number is out of range')
  } else if (typeof value === 'object' && value !== null) checkParts(value, place)
}

function checkParts(value: object, place: (string | number)[]): void {
  if (place.length >= maxDepth) throw tooDeep()
  const depth = place.length
  // Entries of millions of members would take gigabytes.
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const name of names) {
    if (typeof name === 'string' && !isStorableText(name))
      throw invalidAt(
        pointerOf(place.slice(0, depth)),
        'a name contains a NUL character or an unpaired surrogate',
      )
    place[depth] = name
    check((value as Record<string | number, unknown>)[name], place)
  }
  place.length = depth
}

const pointerOf = (place: readonly (string | number)[]): Pointer => joinPointer('', ...place)
