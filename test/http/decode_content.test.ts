import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ContentFault, decodeContent } from '../../src/http/decode_content.ts'
import { TooLargeError } from '../../src/http/limit_size.ts'
import { encoders } from '../support/misbehaving.ts'

const text = 'a feature '.repeat(500)
const compressed: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(text),
  deflate: deflateSync(text),
  br: brotliCompressSync(text),
  zstd: zstdCompressSync(text),
}
const names = Object.keys(compressed)

async function decode(bytes: Uint8Array, encoding: string, limitBytes = 10_000): Promise<string> {
  const decoded = decodeContent(
    Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]),
    encoding,
    limitBytes,
  )
  return (await buffer(decoded)).toString()
}

describe('decodeContent', () => {
  it.each(names)('decodes %s', async (name) => {
    expect(await decode(compressed[name] ?? Buffer.of(), name)).toBe(text)
  })

  it('decodes several encodings in reverse order, whatever the case', async () => {
    expect(await decode(brotliCompressSync(gzipSync(text)), 'GZIP , br')).toBe(text)
  })

  it.each(['', 'identity', 'utf-8'])('leaves the encoding "%s" as it is', async (name) => {
    expect(await decode(Buffer.from(text), name)).toBe(text)
  })

  it.each(names)('refuses a body that is not %s', async (name) => {
    const decoded = decode(Buffer.from('<html>a body in plain text</html>'), name)
    await expect(decoded).rejects.toBeInstanceOf(ContentFault)
  })

  it.each(names)('refuses a truncated body in %s', async (name) => {
    const decoded = decode((compressed[name] ?? Buffer.of()).subarray(0, -5), name)
    await expect(decoded).rejects.toThrow(`it is not valid ${name}`)
  })

  it('refuses a long chain of encodings', async () => {
    await expect(decode(Buffer.of(), 'gzip,gzip,gzip,gzip')).rejects.toThrow('it has 4 encodings')
  })

  it.each(names)('stops a bomb in %s at the limit', async (name) => {
    let readBytes = 0
    const zeros = function* () {
      for (; readBytes < 10e9; readBytes += 65_536) yield Buffer.alloc(65_536)
    }
    const encoder = encoders[name]?.()
    if (encoder === undefined) throw new Error(name)
    const bomb = Readable.from(zeros(), { objectMode: false }).pipe(encoder)
    const closed = new Promise((resolve) => bomb.once('close', resolve))
    const decoded = buffer(decodeContent(bomb, name, 1_000_000))
    await expect(decoded).rejects.toBeInstanceOf(TooLargeError)
    // Compression and buffers are ahead of the reader, but not by far.
    expect(readBytes).toBeLessThan(2e9)
    await closed
  })

  it('closes the body when the reader stops', async () => {
    const body = Readable.from([compressed.gzip ?? Buffer.of(), Buffer.alloc(10)])
    for await (const _ of decodeContent(body, 'gzip', 10_000)) break
    expect(body.destroyed).toBe(true)
  })
})
