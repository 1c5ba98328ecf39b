/** A whole number that JSON writes without quotes and that numbers of JavaScript would round: its digits. */
export class LongNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }

  toJSON(): string {
    return this.digits
  }
}

/** A run of digits that may be such a number, where a value stands. */
const candidate = /[[:,\s]-?\d{16,}[\s,\]}]|^\s*-?\d{16,}\s*$/

/**
 * Parses JSON as `JSON.parse` does, but keeps whole numbers beyond 2^53 as they are written. Only texts that may hold one
 * cost more than that.
 *
 * @throws {SyntaxError}
 * @see ECMA-262, JSON.parse: the text that a value came from
 */
export function parseExactJson(text: string): unknown {
  return candidate.test(text)
    ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
    : JSON.parse(text)
}

function keepDigits(_key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return /^-?\d+$/.test(source) ? new LongNumber(source) : value
}
