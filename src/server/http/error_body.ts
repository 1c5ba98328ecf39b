import type { ErrorBody } from '../../contract/error.ts'
import { findWireProblem, problem, problems } from '../../contract/problems.ts'
import { isDiskFull } from '../../core/disk_full.ts'
import { isProblem, type Problem } from '../../core/problem.ts'

/** What an answer says of a failure: whatever was thrown becomes a Problem. The cause stays inside, for the log. */
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

/** The HTTP status of a Problem. */
export function getStatus(fault: Problem): number {
  return fault.status ?? findWireProblem(fault.code)?.status ?? 500
}

/** Makes the body of an answer that reports a failure. Those of the server's own tell nothing of its inside. */
export function errorBody(fault: Problem, requestId: string): ErrorBody {
  const status = getStatus(fault)
  const code = status === 500 ? 'server/internal' : fault.code
  const kind = findWireProblem(code) ?? problems['server/internal']
  // Why a service elsewhere fails is the client's to know, who has named it, and so is what takes too long.
  const isTold = code.startsWith('external/') || code === 'database/timeout'
  const inner = status === 500 || (status === 503 && !isTold)
  return {
    title: kind.title,
    message: inner ? `${kind.title}. ${kind.advice}` : fault.message,
    ...(inner || fault.detail === undefined ? {} : { detail: fault.detail }),
    ...(inner || fault.hint === undefined || fault.hint === kind.advice ? {} : { hint: fault.hint }),
    exception: kind.exception,
    status_code: status,
    data: inner ? {} : fault.data,
    code,
    request_id: requestId,
  }
}

/** The status that the HTTP library gave an error of its own. */
function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? status : undefined
}
