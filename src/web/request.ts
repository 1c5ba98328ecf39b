/** A request that the server did not answer as hoped. */
export class RequestFault extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/**
 * Asks the server, which is the one the page came from.
 *
 * @throws {RequestFault} with the server's own words where it has some; status 0 where it cannot be reached
 */
export async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await reach(path, options)
  if (response.ok) return response
  throw new RequestFault(await messageOf(response), response.status)
}

/** Asks for JSON. The caller says what it is; the server's contract holds it. */
export async function askJson<T>(path: string, options: RequestInit = {}): Promise<T> {
  const response = await ask(path, {
    ...options,
    headers: { accept: 'application/json', ...options.headers },
  })
  return (await response.json()) as T
}

async function reach(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new RequestFault('The server cannot be reached.', 0)
  }
}

async function messageOf(response: Response): Promise<string> {
  try {
    const { message } = (await response.json()) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // No JSON: a proxy's page, most likely.
  }
  return `The server answered ${response.status} ${response.statusText}`.trim()
}
