import {
  findCodeOfException,
  findCodeOfStatus,
  findProblemKind,
  type ProblemCode,
  problem,
} from '../contract/problems.ts'
import { isObject } from '../core/is_object.ts'
import { type Problem, withData } from '../core/problem.ts'

/** An error response, with the parts that could be read. */
export interface ErrorAnswer {
  readonly status: number
  /** Scheme, host and port of the server. */
  readonly origin: string
  /** Method and path, without the query. */
  readonly what: string
  readonly text: string
  /** Number of retries of the request. */
  readonly repeated?: number
  /** Target of a redirect. */
  readonly location?: string | undefined
}

/** Error body of landform and NextGIS Web. @see reference: errors, body */
interface ErrorBody {
  readonly code?: unknown
  readonly title?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly hint?: unknown
  readonly exception?: unknown
  readonly data?: unknown
  readonly request_id?: unknown
}

/** Converts an error response to a Problem with the code, status, detail and data of the server. */
export function problemOfAnswer(answer: ErrorAnswer): Problem {
  const problemOfBody = problemOfError(answer)
  const { repeated = 0 } = answer
  return repeated === 0 ? problemOfBody : withData(problemOfBody, { repeated })
}

function problemOfError(answer: ErrorAnswer): Problem {
  const { status, origin, what } = answer
  const body = parseBody(answer.text)
  if (body === undefined) return problemOfPage(answer)
  const code = codeOf(body, status)
  const message = textOf(body.message) ?? textOf(body.title) ?? `${origin} answered ${what} with ${status}.`
  const requestId = textOf(body.request_id)
  const hint = textOf(body.hint)
  const data = typeof body.data === 'object' && body.data !== null ? body.data : {}
  return problem(code, fieldFirst(withoutAdvice(message, code)), {
    status,
    detail: textOf(body.detail),
    ...(hint === undefined ? {} : { hint }),
    data: { ...data, ...(requestId === undefined ? {} : { request_id: requestId }) },
  })
}

/** Removes the advice at the end of a message, because it is shown as the hint. */
function withoutAdvice(message: string, code: ProblemCode): string {
  const advice = findProblemKind(code)?.advice ?? ''
  return message.endsWith(` ${advice}`) ? message.slice(0, -advice.length - 1) : message
}

/** Moves the JSON path at the end of a message to its start: `fields[0].keyname: must not be empty`. */
function fieldFirst(message: string): string {
  const [, fault, path = '', rest = ''] = /^(.*) - at \$((?:\.[^\s,]+)?)($|,.*| \(.*)$/s.exec(message) ?? []
  if (fault === undefined) return message
  const field = path.slice(1).replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
  return `${field === '' ? '' : `${field}: `}${fault}${rest}`
}

function parseBody(text: string): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the problem of a response without an error body of the API, such as the page of a proxy. */
function problemOfPage({ status, origin, what, location }: ErrorAnswer): Problem {
  if (location !== undefined) {
    return problem('http/unexpected', `${origin} redirects ${what} to ${location}.`, {
      status,
      hint: 'Use the URL of the redirect target.',
    })
  }
  const code = findCodeOfStatus(status) ?? 'http/unexpected'
  return problem(code, `${origin} returned status ${status} for ${what}.`, { status })
}

function codeOf({ code, exception }: ErrorBody, status: number): ProblemCode {
  if (typeof code === 'string' && findProblemKind(code) !== undefined) return code as ProblemCode
  const named = typeof exception === 'string' ? findCodeOfException(exception) : undefined
  return named ?? findCodeOfStatus(status) ?? 'http/unexpected'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
