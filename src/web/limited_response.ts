/** Maximum size of a response of another server, in bytes. */
const maxBytes = 20 * 2 ** 20

/**
 * Reads the response of another server as text, without credentials.
 *
 * @throws {Error} with a message for users
 */
export async function readLimited(url: string): Promise<string> {
  const response = await reach(url)
  if (!response.ok) throw new Error(`The service returned ${response.status}.`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const parts: string[] = []
  let size = 0
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    if (done) return parts.join('')
    parts.push(value)
    size += value.length
    if (size > maxBytes) {
      await reader?.cancel()
      throw new Error('The response is too large for a preview.')
    }
  }
}

async function reach(url: string): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'omit' })
  } catch {
    throw new Error('It is unreachable, or it does not allow scripts of other sites (CORS).')
  }
}
