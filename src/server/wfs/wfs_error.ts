import { isProblem, type Problem } from '../../core/problem.ts'
import { parametersOfUrl } from '../../ogc/key_value_pairs.ts'
import { OwsFault, owsStatuses } from '../../ogc/ows_fault.ts'
import { exceptionReport } from '../../ogc/wfs/exception_report.ts'
import { faultVersion, type WfsProtocol } from '../../ogc/wfs/wfs_protocol.ts'
import { getStatus } from '../http/error_body.ts'
import {
  failureHead,
  failureText,
  locatorOf,
  owsCodeOf,
  type ReportOptions,
  type ServiceReport,
} from '../http/service_report.ts'

/** Writes a Problem as an exception report. Guests without permission are asked for credentials. */
export function problemReport(
  fault: Problem,
  { protocol, requestId, isGuest }: WfsReportOptions,
): ServiceReport {
  const { status, headers } = failureHead(fault, { isGuest })
  const text = failureText(fault, requestId)
  return {
    ...report(new OwsFault(owsCodeOf(fault, status), text, locatorOf(fault)), protocol, status),
    headers,
  }
}

/** What a report depends on besides the fault. */
export interface WfsReportOptions extends Omit<ReportOptions, 'url'> {
  readonly protocol: WfsProtocol
}

/** Returns the version in which to report a failure of a request that was not parsed. */
export function versionOf(url: string): WfsProtocol {
  return faultVersion(parametersOfUrl(url).get('VERSION'))
}

/**
 * Returns the response to a failed request; undefined for failures of the server, which are logged.
 */
export function findErrorAnswer(error: unknown, options: WfsReportOptions): ServiceReport | undefined {
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
