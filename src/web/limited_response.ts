/** Maximum size of a response of another server, in bytes. */
const maxBytes = 20 * 2 ** 20

/**
 * Reads the response of another server, without credentials.
 *
 * @throws {Error} with a message for users
 */
export async function readLimited(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await reach(url)
  if (!response.ok) throw new Error(`The service returned ${response.status}.`)
  return response.body === null ? new Uint8Array() : readBytes(response.body)
}

/**
 * Reads a stream.
 *
 * @throws {Error} with a message for users, if it is too long
 */
export async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joinBytes(parts, size)
    parts.push(value)
    size += value.length
    if (size <= maxBytes) continue
    await reader.cancel()
    throw new Error('The response is too large for a preview.')
  }
}

function joinBytes(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

async function reach(url: string): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'omit' })
  } catch {
    throw new Error('It is unreachable, or it does not allow scripts of other sites (CORS).')
  }
}
