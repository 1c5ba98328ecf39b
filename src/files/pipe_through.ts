import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Pipes chunks through a transform. Ending the iteration stops the source; an error of the source is thrown here. */
export async function* pipeThrough(
  chunks: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array> {
  const piping = pipeline(chunks, transform)
  piping.catch(() => undefined)
  for await (const chunk of transform as AsyncIterable<Buffer>) yield chunk
  await piping
}
