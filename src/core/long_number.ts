import { endOfString } from './json_text.ts'

/** Digits of an integer in JSON that a JavaScript number would round. */
export class LongNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }

  toJSON(): string {
    return this.digits
  }
}

/** Matches text that may contain such a number as a value. */
const candidate = /[[:,\s]-?\d{16,}[\s,\]}]|^\s*-?\d{16,}\s*$/

/**
 * Parses JSON like `JSON.parse`, but returns integers beyond 2^53 as `LongNumber`. Slower than `JSON.parse` only for text
 * that may contain one.
 *
 * @throws {SyntaxError}
 */
export function parseExactJson(text: string): unknown {
  if (!candidate.test(text)) return JSON.parse(text)
  const root = { value: parseMarked(text) }
  restoreNumbers(root)
  return root.value
}

/** Start of strings that stand for long integers: no other string has it. */
const mark = `\uE000${crypto.randomUUID()}`

/** Strings, and integers of 16 digits or more. */
const stringOrInteger = /"|-?[1-9]\d{15,}/g
const beforeValue = /^$|[[:,\s]/
/** What follows a value, and no name of a member. */
const afterValue = /\s*(?:[,\]}]|$)/y

/**
 * Parses JSON in which strings stand for long integers. `JSON.parse` can tell a function the text of each number, but needs a
 * microsecond for each value then.
 */
function parseMarked(text: string): unknown {
  try {
    return JSON.parse(markIntegers(text))
  } catch {
    // The error shall have the text and the position that the caller knows.
    return JSON.parse(text)
  }
}

function markIntegers(text: string): string {
  const parts: string[] = []
  let from = 0
  const isValue = (start: number, end: number) => {
    afterValue.lastIndex = end
    return beforeValue.test(text[start - 1] ?? '') && afterValue.test(text)
  }
  stringOrInteger.lastIndex = 0
  for (let found = stringOrInteger.exec(text); found !== null; found = stringOrInteger.exec(text)) {
    const [token] = found
    const end = found.index + token.length
    if (token === '"') stringOrInteger.lastIndex = endOfString(text, found.index) + 1
    else if (isValue(found.index, end)) {
      parts.push(text.slice(from, found.index), `"${mark}${token}"`)
      from = end
    }
  }
  return parts.join('') + text.slice(from)
}

/** Replaces the strings that stand for integers, in all lists and objects below one. */
function restoreNumbers(root: object): void {
  const rest = [root as Record<string | number, unknown>]
  for (let holder = rest.pop(); holder !== undefined; holder = rest.pop())
    for (const name of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      const part = holder[name]
      if (typeof part === 'string' && part.startsWith(mark)) holder[name] = toNumber(part.slice(mark.length))
      else if (typeof part === 'object' && part !== null) rest.push(part as Record<string, unknown>)
    }
}

function toNumber(digits: string): number | LongNumber {
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : new LongNumber(digits)
}
