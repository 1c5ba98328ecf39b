import { StringDecoder } from 'node:string_decoder'

/** Splits a stream of UTF-8 text into lines, without their line feeds; a last line need not end with one. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
  }
  rest += decoder.end()
  if (rest !== '') yield rest
}

/** Reads a stream to its end as UTF-8 text. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new StringDecoder('utf8')
  const texts: string[] = []
  for await (const chunk of chunks) texts.push(decoder.write(chunk as Buffer))
  return texts.join('') + decoder.end()
}
