import type { ErrorBody } from '../../contract/bodies/error.ts'
import { findWireProblem, problem, problems } from '../../contract/problems.ts'
import { isDiskFull } from '../../core/disk_full.ts'
import { isProblem, type Problem } from '../../core/problem.ts'

/** Converts any thrown value into a Problem. Keeps the original error as its cause, for the log. */
export function problemOf(error: unknown): Problem {
  if (isProblem(error)) return error
  if (isDiskFull(error)) return problem('files/full', 'The disk is full.', { cause: error })
  const status = statusOf(error)
  const message = error instanceof Error ? error.message : String(error)
  if (status === 413) return problem('request/too-large', 'The request is too large.', { cause: error })
  if (status !== undefined && status >= 400 && status < 500)
    return problem('request/malformed', message, { status, cause: error })
  return problem('server/internal', message, { cause: error })
}

/** Returns the HTTP status of a Problem. */
export function getStatus(fault: Problem): number {
  return fault.status ?? findWireProblem(fault.code)?.status ?? 500
}

/** Creates the body of an error response. Internal errors do not reveal details of the server. */
export function errorBody(fault: Problem, requestId: string): ErrorBody {
  const status = getStatus(fault)
  const code = status === 500 ? 'server/internal' : fault.code
  const kind = findWireProblem(code) ?? problems['server/internal']
  // Clients need the reason of timeouts, and of failures of external services, which they have configured.
  const isPublic = code.startsWith('external/') || code === 'database/timeout'
  const isInternal = status === 500 || (status === 503 && !isPublic)
  return {
    title: kind.title,
    message: isInternal ? `${kind.title}. ${kind.advice}` : fault.message,
    ...(isInternal || fault.detail === undefined ? {} : { detail: fault.detail }),
    ...(isInternal || fault.hint === undefined || fault.hint === kind.advice ? {} : { hint: fault.hint }),
    exception: kind.exception,
    status_code: status,
    data: isInternal ? {} : fault.data,
    code,
    request_id: requestId,
  }
}

/** Finds the HTTP status of an error of Fastify. */
function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? status : undefined
}
