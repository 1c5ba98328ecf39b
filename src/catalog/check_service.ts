import { isProblem, type Problem } from '../core/problem.ts'
import type { ExternalClient, FailureReason } from '../http/external_client.ts'
import type { CheckTarget } from '../store/catalog/check_target.ts'
import type { CheckResult } from '../store/catalog/geoservice_status.ts'
import { checkResponse, limitBytes } from './check_response.ts'
import { faulty, type Verdict } from './check_verdict.ts'

/** A geoservice, and the URL that its check requests. */
export interface CheckRequest {
  readonly target: CheckTarget
  readonly url: URL
}

/** How services are requested. */
export interface CheckOptions {
  readonly client: ExternalClient
  /** Total timeout of a check. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Checks one geoservice. A service that cannot be reached is a result, not an error.
 *
 * @throws {Problem} pipeline/interrupted if the signal is aborted
 */
export async function checkService(
  { target, url }: CheckRequest,
  { client, timeoutMs, signal }: CheckOptions,
): Promise<CheckResult> {
  const startMs = performance.now()
  let code = 0
  const request = { url, timeoutMs, limitBytes: limitBytes[target.type], signal }
  const checked = client.get(request, (response) => {
    code = response.status
    return checkResponse(target, response)
  })
  const verdict = await checked.catch((error: unknown) => {
    if (!isProblem(error) || error.code === 'pipeline/interrupted') throw error
    return verdictOf(error, target)
  })
  return resultOf(target, verdict, { code, seconds: (performance.now() - startMs) / 1000 })
}

/** What a check measured. */
export interface CheckMeasurement {
  /** HTTP status; 0 without a response. */
  readonly code: number
  readonly seconds: number
}

/** Creates the status record of a verdict. */
export function resultOf(
  { id }: CheckTarget,
  { status, errorType, errorText, response }: Verdict,
  { code, seconds }: CheckMeasurement,
): CheckResult {
  return {
    geoservice: id,
    checkedAt: new Date(),
    check_duration: seconds,
    cumulative_status: status,
    http_code: code,
    http_response: response,
    error_type: errorType,
    error_text: errorText,
  }
}

/** The verdict on a service that did not respond, or not as HTTP requires. */
function verdictOf({ message, data }: Problem, { type }: CheckTarget): Verdict {
  const { reason } = (data ?? {}) as { readonly reason?: FailureReason }
  if (reason === 'timeout') return faulty('failed', 'timeout', message)
  // Whether the rest is valid is not known; the service responds.
  if (reason === 'size') return faulty('problematic', 'invalid response', message)
  if (reason === 'encoding')
    return faulty(type === 'tms' ? 'problematic' : 'failed', 'invalid response', message)
  return faulty('failed', null, message)
}
