import { problem } from '../contract/problems.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { isStorableText } from '../core/storable.ts'
import { invalidAt } from './invalid.ts'

/** Lists and objects inside each other beyond this are refused. */
const deepest = 200

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
