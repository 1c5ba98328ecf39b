import type { Problem } from '../../core/problem.ts'
import { isProblem } from '../../core/problem.ts'
import { type OwsCode, OwsFault, owsStatuses } from '../../ogc/ows_fault.ts'
import { exceptionReport } from '../../ogc/wfs/exception_report.ts'
import { collectParameters } from '../../ogc/wfs/parse_kvp.ts'
import { faultVersion, type WfsProtocol } from '../../ogc/wfs/wfs_protocol.ts'
import { errorBody, getStatus } from '../http/error_body.ts'

/** A failure as a client of WFS sees it. */
interface WfsError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Header that asks for credentials, as clients of OGC services expect. */
export const challenge = { 'www-authenticate': 'Basic realm="landform", charset="UTF-8"' }

/** Writes a Problem as an exception report. Guests without permission are asked for credentials. */
export function problemReport(fault: Problem, { protocol, requestId, isGuest }: ReportOptions): WfsError {
  const own = isGuest && fault.code === 'access/denied' ? 401 : getStatus(fault)
  const status = own === 422 ? owsStatuses.InvalidParameterValue : own
  const { message, hint } = errorBody(fault, requestId)
  const text = hint === undefined ? message : `${message} ${hint}`
  const wait = fault.data.retry_after
  return {
    ...report(new OwsFault(codeOf(fault, status), text, locatorOf(fault)), protocol, status),
    headers: {
      ...(status === 401 ? challenge : {}),
      ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
    },
  }
}

/** What a report depends on besides the fault. */
export interface ReportOptions {
  readonly protocol: WfsProtocol
  readonly requestId: string
  readonly isGuest: boolean
}

/** Returns the version in which to report a failure of a request that was not parsed. */
export function versionOf(url: string): WfsProtocol {
  const parameters = collectParameters(new URLSearchParams(url.slice(url.indexOf('?') + 1)))
  return faultVersion(parameters.get('VERSION'))
}

/**
 * Returns the response to a failed request; undefined for failures of the server, which are logged.
 */
export function findErrorAnswer(error: unknown, options: ReportOptions): WfsError | undefined {
  if (error instanceof OwsFault)
    return { ...report(error, options.protocol, owsStatuses[error.code]), headers: {} }
  if (isProblem(error) && getStatus(error) < 500) return problemReport(error, options)
  return undefined
}

function report(fault: OwsFault, protocol: WfsProtocol, status: number) {
  const bytes = Buffer.from(exceptionReport(fault, protocol))
  return {
    status,
    bytes,
    mediaType: protocol.edition === '1.0' ? 'application/vnd.ogc.se_xml' : 'text/xml; charset=utf-8',
  }
}

function codeOf({ code }: Problem, status: number): OwsCode {
  if (code === 'request/invalid' || code === 'feature/invalid') return 'InvalidParameterValue'
  if (code === 'request/malformed' || code === 'request/too-large') return 'OperationParsingFailed'
  if (status === 404) return 'NotFound'
  if (status === 501) return 'OperationNotSupported'
  return status < 500 && status !== 401 && status !== 403 ? 'OperationProcessingFailed' : 'NoApplicableCode'
}

function locatorOf({ data }: Problem): string | undefined {
  if (typeof data.field === 'string') return data.field
  const { location } = data
  return Array.isArray(location) ? String(location.at(-1)) : undefined
}
