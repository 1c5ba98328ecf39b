const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const skipped = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, openBracket])

/**
 * Splits a streamed JSON array of objects into the JSON text of each item, without holding the full array in memory.
 *
 * @throws {SyntaxError} if the text is truncated or contains items other than objects
 */
export async function* splitArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let pending: Buffer = Buffer.alloc(0)
  let isClosed = false
  for await (const chunk of chunks) {
    const bytes: Buffer = pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([pending, chunk])
    let at = 0
    for (;;) {
      at = skipBetween(bytes, at)
      if (bytes[at] === closeBracket) isClosed = true
      if (at >= bytes.length || isClosed) break
      const end = findObjectEnd(bytes, at)
      if (end < 0) break
      yield bytes.toString('utf8', at, end)
      at = end
    }
    pending = bytes.subarray(at)
  }
  if (!isClosed) throw new SyntaxError('The list is truncated: its closing bracket is missing.')
}

/** Skips the opening bracket, commas and white space. */
function skipBetween(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && skipped.has(bytes[at] ?? 0)) at += 1
  const byte = bytes[at]
  if (byte !== undefined && byte !== openBrace && byte !== closeBracket) {
    throw new SyntaxError(`Expected an object in the list, got "${String.fromCharCode(byte)}".`)
  }
  return at
}

/** Returns the offset after the closing brace of an object, or -1 if it has not arrived yet. */
function findObjectEnd(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      at = findTextEnd(bytes, at)
      if (at < 0) return -1
    } else if (byte === openBrace) depth += 1
    else if (byte === closeBrace) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

/** Returns the offset of the closing quote of a string, or -1 if it has not arrived yet. */
function findTextEnd(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(quote, start + 1)
  while (at >= 0 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1)
  return at
}

/** Tells whether a quote is escaped, which it is after an odd number of backslashes. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1
  while (bytes[before] === backslash) before -= 1
  return (at - 1 - before) % 2 === 1
}
