import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Sends chunks through a transformation; who stops reading stops it all, and what fails before it fails here. */
export async function* through(
  chunks: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array> {
  const sending = pipeline(chunks, transform)
  sending.catch(() => undefined)
  for await (const chunk of transform as AsyncIterable<Buffer>) yield chunk
  await sending
}
