import type { Issue } from './issue.ts'

/** Details of a Problem besides code and message. */
export interface ProblemDetails {
  /** Remedy, one sentence in the imperative. */
  readonly hint?: string | undefined
  /** HTTP status of the response that the Problem is sent in or was created from. */
  readonly status?: number | undefined
  /** Exit code of the command line. */
  readonly exit?: number | undefined
  /** Faults of an input. */
  readonly issues?: readonly Issue[] | undefined
  /** The affected resource: id on a server, or key in a manifest. */
  readonly resource?: number | string | undefined
  /** Data for programs, sent as `data` in an HTTP error body. Never contains a secret. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** Longer text, shown below the message. */
  readonly detail?: string | undefined
  readonly cause?: unknown
}

/**
 * The only error thrown on purpose. `code` is part of the contract, the text is not. Create it with `problem()` of the
 * contract, which adds the status and exit code of each code.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  readonly hint: string | undefined
  readonly status: number | undefined
  readonly exit: number | undefined
  readonly issues: readonly Issue[]
  readonly resource: number | string | undefined
  readonly data: Readonly<Record<string, unknown>>
  readonly detail: string | undefined

  constructor(code: string, message: string, details: ProblemDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = details.hint
    this.status = details.status
    this.exit = details.exit
    this.issues = details.issues ?? []
    this.resource = details.resource
    this.data = details.data ?? {}
    this.detail = details.detail
  }
}

/** Returns a copy of a Problem with additional data and, if given, another message. */
export function withData(
  found: Problem,
  data: Readonly<Record<string, unknown>>,
  message: string = found.message,
): Problem {
  return new Problem(found.code, message, { ...detailsOf(found), data: { ...found.data, ...data } })
}

/** Returns a copy of a Problem with another hint. */
export function withHint(found: Problem, hint: string): Problem {
  return new Problem(found.code, found.message, { ...detailsOf(found), hint })
}

function detailsOf({ hint, status, exit, issues, resource, data, detail, cause }: Problem): ProblemDetails {
  return { hint, status, exit, issues, resource, data, detail, cause }
}

/** Returns whether a thrown value is a Problem, of the given code if one is given. */
export function isProblem(value: unknown, code?: string): value is Problem {
  return value instanceof Problem && (code === undefined || value.code === code)
}

/** Returns the Problem that a function throws; rethrows other errors. */
export function catchProblem(work: () => void): Problem | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (isProblem(error)) return error
    throw error
  }
}
