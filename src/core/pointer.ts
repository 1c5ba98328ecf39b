/** A JSON pointer: `''` is the whole document, `/a/0` the first item of member `a`. @see RFC 6901 */
export type Pointer = string

/** Joins a pointer and further reference tokens, escaping `~` and `/`. @see RFC 6901 clause 3 */
export function joinPointer(base: Pointer, ...tokens: readonly (string | number)[]): Pointer {
  let pointer = base
  for (const token of tokens) pointer += `/${typeof token === 'string' ? escapeToken(token) : token}`
  return pointer
}

/** Escapes a token; fast for the most common case, tokens without special characters. */
function escapeToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token
}

/** Splits a pointer into its unescaped reference tokens. @see RFC 6901 clause 4 */
export function splitPointer(pointer: Pointer): string[] {
  if (pointer === '') return []
  const tokens = pointer.slice(1).split('/')
  if (!pointer.includes('~')) return tokens
  return tokens.map(readToken)
}

const readToken = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~')

/** Returns the pointer of the value that contains this one; the whole document contains itself. */
export function parentPointer(pointer: Pointer): Pointer {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}

/** Finds the value at a pointer. Most values that are looked up are absent: reads no more of the pointer than it needs. */
export function findAtPointer(root: unknown, pointer: Pointer): unknown {
  let value = root
  for (let at = 0; at < pointer.length; ) {
    if (value === null || typeof value !== 'object') return undefined
    const next = pointer.indexOf('/', at + 1)
    const end = next === -1 ? pointer.length : next
    const token = pointer.slice(at + 1, end)
    value = (value as Record<string, unknown>)[token.includes('~') ? readToken(token) : token]
    at = end
  }
  return value
}
