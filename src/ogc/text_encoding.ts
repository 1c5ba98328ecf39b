type Decoder = InstanceType<typeof TextDecoder>

/** Bytes that the encoding is read from: a byte order mark and the XML declaration. */
const startBytes = 200

/** Decodes text by its byte order mark, the Content-Type header or the XML declaration, piece by piece; else as UTF-8. */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<string> {
  let start = Buffer.of()
  let decoder: Decoder | undefined
  for await (const chunk of chunks) {
    if (decoder === undefined) start = Buffer.concat([start, chunk])
    if (decoder === undefined && start.length < startBytes) continue
    const bytes = decoder === undefined ? start : chunk
    decoder ??= createDecoder(start, contentType)
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder === undefined ? createDecoder(start, contentType).decode(start) : decoder.decode()
}

function createDecoder(body: Uint8Array, contentType: string): Decoder {
  const start = Buffer.from(body.subarray(0, startBytes)).toString('latin1')
  const mark = [
    ['\xfe\xff', 'utf-16be'],
    ['\xff\xfe', 'utf-16le'],
    ['\xef\xbb\xbf', 'utf-8'],
  ].find(([bytes = '']) => start.startsWith(bytes))?.[1]
  const header = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1]
  for (const name of [mark, header, declared]) {
    const decoder = name === undefined ? undefined : findDecoder(name)
    if (decoder !== undefined) return decoder
  }
  return new TextDecoder()
}

function findDecoder(name: string): Decoder | undefined {
  try {
    return new TextDecoder(name)
  } catch {
    return undefined
  }
}
