import { patienceOf } from './patience.ts'

/** Failed request. */
export class RequestFault extends Error {
  /** HTTP status; 0 if the server is unreachable. */
  readonly status: number
  /** Problem code; undefined if the response is not from landform. */
  readonly code: string | undefined

  constructor(message: string, { status, code }: { readonly status: number; readonly code?: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Dispatches `ended` when the session of the page has ended. */
export const session = new EventTarget()
let hasEnded = false

/**
 * Sends a request to the server of the page. Reports an ended session once and repeats the request as a guest, which the
 * browser is from then on.
 *
 * @throws {RequestFault} with the message and the hint of the server, if any; with code `auth/session-ended` if guests have no
 *   permission
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

/** Requests JSON. The caller declares its type by the server's contract. */
export async function askJson<T>(path: string, options: RequestInit = {}): Promise<T> {
  const response = await ask(path, {
    ...options,
    headers: { accept: 'application/json', ...options.headers },
  })
  return (await response.json()) as T
}

/** Returns the message of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Tells whether a request failed because the session has ended. */
export function isLoginLost(error: unknown): boolean {
  return error instanceof RequestFault && error.code === sessionEnded
}

async function reach(path: string, options: RequestInit): Promise<Response> {
  const overdue = new AbortController()
  const fault = new RequestFault('The server does not answer.', { status: 0 })
  setTimeout(() => overdue.abort(fault), patienceOf(document.body.dataset))
  const signals = [overdue.signal, ...(options.signal ? [options.signal] : [])]
  try {
    return await fetch(path, { ...options, signal: AbortSignal.any(signals) })
  } catch (error) {
    if (options.signal?.aborted || error === fault) throw error
    throw new RequestFault('The server is unreachable.', { status: 0 })
  }
}

async function faultOf(response: Response): Promise<RequestFault> {
  const { status, statusText } = response
  try {
    const { message, hint, code } = (await response.json()) as Readonly<Record<string, unknown>>
    const text = [message, hint].filter((part) => typeof part === 'string').join(' ')
    if (typeof message === 'string')
      return new RequestFault(text, { status, ...(typeof code === 'string' ? { code } : {}) })
  } catch {
    // Not JSON, probably the page of a proxy.
  }
  return new RequestFault(`The server returned ${status} ${statusText}`.trim(), { status })
}
