/** A request that the server did not answer as hoped. */
export class RequestFault extends Error {
  /** 0 where the server cannot be reached. */
  readonly status: number
  /** Code of the problem, as the server's contract has it; undefined where the answer is not the server's own. */
  readonly code: string | undefined

  constructor(message: string, { status, code }: { readonly status: number; readonly code?: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Dispatches `ended` once the session that the page was opened with has ended. */
export const session = new EventTarget()
let hasEnded = false

/**
 * Asks the server, which is the one the page came from. A session that has ended is reported once; the request is
 * repeated as a guest, whom the server takes the browser for from then on.
 *
 * @throws {RequestFault} with the server's own message where it has one; code `auth/session-ended` where a guest may
 *   not have what the page was opened with
 */
export async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await reach(path, options)
  if (response.ok) return response
  const fault = await faultOf(response)
  const isEnd = fault.code === sessionEnded
  if (isEnd && !hasEnded) {
    hasEnded = true
    session.dispatchEvent(new Event('ended'))
  }
  if (isEnd) return ask(path, options)
  if (!hasEnded || (fault.status !== 401 && fault.status !== 403)) throw fault
  throw new RequestFault(fault.message, { status: fault.status, code: sessionEnded })
}

const sessionEnded = 'auth/session-ended'

/** Asks for JSON. The caller says what it is; the server's contract holds it. */
export async function askJson<T>(path: string, options: RequestInit = {}): Promise<T> {
  const response = await ask(path, {
    ...options,
    headers: { accept: 'application/json', ...options.headers },
  })
  return (await response.json()) as T
}

/** Gives the message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Tells whether a request was refused for what a guest may not do, and a login that has ended might. */
export function isLoginLost(error: unknown): boolean {
  return error instanceof RequestFault && error.code === sessionEnded
}

async function reach(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new RequestFault('The server cannot be reached.', { status: 0 })
  }
}

async function faultOf(response: Response): Promise<RequestFault> {
  const { status, statusText } = response
  try {
    const { message, code } = (await response.json()) as { message?: unknown; code?: unknown }
    if (typeof message === 'string')
      return new RequestFault(message, { status, ...(typeof code === 'string' ? { code } : {}) })
  } catch {
    // No JSON: a proxy's page, most likely.
  }
  return new RequestFault(`The server answered ${status} ${statusText}`.trim(), { status })
}
