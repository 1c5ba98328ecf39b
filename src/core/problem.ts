import type { Issue } from './issue.ts'

/** What a Problem carries besides its code and message. */
export interface ProblemDetails {
  /** What to do about it, one sentence. */
  readonly hint?: string | undefined
  /** HTTP status, when an answer carries the Problem or it came from one. */
  readonly status?: number | undefined
  /** Exit code of the command line. */
  readonly exit?: number | undefined
  /** The faults found in an input, when there may be several. */
  readonly issues?: readonly Issue[] | undefined
  /** The resource it concerns: id on a server, or key in a manifest. */
  readonly resource?: number | string | undefined
  /** Facts for programs: ends up as `data` in an HTTP error body. Never holds a secret. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** Longer text for a person, shown below the message. */
  readonly detail?: string | undefined
  readonly cause?: unknown
}

/**
 * The only error that is thrown on purpose. `code` is the contract, the text is not.
 * Build one with `problem()` of the contract, which knows each code's status and exit code.
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

/** Returns a Problem with further facts, and with another message if one is given. */
export function withData(
  found: Problem,
  data: Readonly<Record<string, unknown>>,
  message: string = found.message,
): Problem {
  const { code, hint, status, exit, issues, resource, detail, cause } = found
  return new Problem(code, message, {
    hint,
    status,
    exit,
    issues,
    resource,
    detail,
    cause,
    data: { ...found.data, ...data },
  })
}

/** Returns whether a thrown value is a Problem, of the given code if one is given. */
export function isProblem(value: unknown, code?: string): value is Problem {
  return value instanceof Problem && (code === undefined || value.code === code)
}

/** Returns the Problem that work ends with, if it does; whatever else is thrown goes on. */
export function catchProblem(work: () => void): Problem | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (isProblem(error)) return error
    throw error
  }
}
