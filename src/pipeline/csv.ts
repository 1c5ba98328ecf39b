/** Writes one row of CSV, its line end included. @see RFC 4180 clause 2 */
export function formatCsvRow(values: readonly string[]): string {
  return `${values.map(formatCell).join(',')}\r\n`
}

function formatCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Gathers text into chunks of about this many characters, so that a row does not cost a write. */
const chunkLength = 256 * 1024

/** Gathers pieces of text into large UTF-8 chunks. */
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
