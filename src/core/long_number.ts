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
