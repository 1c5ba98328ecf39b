import { StringDecoder } from 'node:string_decoder'

const lineFeed = 0x0a

/** Splits a stream of UTF-8 text into lines without line feeds. The last line may end without one. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    // In UTF-8 a line feed is never part of another character, so that lines are split before decoding.
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const piece = bytes.subarray(start, end)
      const line = rest.length === 0 ? piece : Buffer.concat([...rest, piece])
      if (line.length > 0) yield line.toString('utf8')
      rest = []
      start = end + 1
    }
    if (start < bytes.length) rest.push(bytes.subarray(start))
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8')
}

/** Reads a stream to its end as UTF-8 text. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new StringDecoder('utf8')
  const texts: string[] = []
  for await (const chunk of chunks) texts.push(decoder.write(chunk as Buffer))
  return texts.join('') + decoder.end()
}
