/** Formats a row of CSV, including the line break. @see RFC 4180 clause 2 */
export function formatCsvRow(values: readonly string[]): string {
  return `${values.map(formatCell).join(',')}\r\n`
}

function formatCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Approximate chunk size in characters, so that a write covers many rows. */
const chunkLength = 256 * 1024

/** Joins strings into large UTF-8 chunks. */
export async function* gatherText(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length < chunkLength) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
