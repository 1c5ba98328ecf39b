import type { Problem } from '../../core/problem.ts'
import type { OwsCode } from '../../ogc/ows_fault.ts'
import { errorBody, getStatus } from './error_body.ts'

/** A failure as a client of an OGC service sees it. */
export interface ServiceReport {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** What a report depends on besides the fault. */
export interface ReportOptions {
  /** URL of the request, or its path with the query. */
  readonly url: string
  readonly requestId: string
  readonly isGuest: boolean
}

/** Header that asks for credentials, as clients of OGC services expect. */
const challenge = { 'www-authenticate': 'Basic realm="landform", charset="UTF-8"' }

/** Returns status and headers of the response to a Problem. Guests without permission are asked for credentials. */
export function failureHead(
  fault: Problem,
  { isGuest }: Pick<ReportOptions, 'isGuest'>,
): Pick<ServiceReport, 'status' | 'headers'> {
  const own = isGuest && fault.code === 'access/denied' ? 401 : getStatus(fault)
  // Invalid parameters have another status than those of the resource service.
  const status = own === 422 ? 400 : own
  const wait = fault.data.retry_after
  return {
    status,
    headers: {
      ...(status === 401 ? challenge : {}),
      ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
    },
  }
}

/** Returns the message and the hint of a Problem as one text. */
export function failureText(fault: Problem, requestId: string): string {
  const { message, hint } = errorBody(fault, requestId)
  return hint === undefined ? message : `${message} ${hint}`
}

/** Returns the code of OWS of a Problem. */
export function owsCodeOf({ code }: Problem, status: number): OwsCode {
  if (code === 'request/invalid' || code === 'feature/invalid') return 'InvalidParameterValue'
  if (code === 'request/malformed' || code === 'request/too-large') return 'OperationParsingFailed'
  if (status === 404) return 'NotFound'
  if (status === 501) return 'OperationNotSupported'
  return status < 500 && status !== 401 && status !== 403 ? 'OperationProcessingFailed' : 'NoApplicableCode'
}

/** Returns the parameter of a Problem. */
export function locatorOf({ data }: Problem): string | undefined {
  if (typeof data.field === 'string') return data.field
  const { location } = data
  return Array.isArray(location) ? String(location.at(-1)) : undefined
}
