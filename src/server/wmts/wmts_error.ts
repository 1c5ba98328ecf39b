import { isProblem, type Problem } from '../../core/problem.ts'
import { OwsFault, owsStatuses } from '../../ogc/ows_fault.ts'
import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import { wmtsExceptionReport } from '../../ogc/wmts/exception_report.ts'
import { getStatus } from '../http/error_body.ts'
import {
  failureHead,
  failureText,
  locatorOf,
  owsCodeOf,
  type ReportOptions,
  type ServiceReport,
} from '../http/service_report.ts'

/** Writes a Problem as an exception report of WMTS. Guests without permission are asked for credentials. */
export function wmtsProblemReport(
  fault: Problem,
  { requestId, isGuest }: Pick<ReportOptions, 'requestId' | 'isGuest'>,
): ServiceReport {
  const { status, headers } = failureHead(fault, { isGuest })
  const text = failureText(fault, requestId)
  return { ...report(new OwsFault(owsCodeOf(fault, status), text, locatorOf(fault)), status), headers }
}

/** Returns the response to a failed request; undefined for failures of the server, which are logged. */
export function findWmtsError(error: unknown, options: ReportOptions): ServiceReport | undefined {
  if (error instanceof OwsFault) return { ...report(error, owsStatuses[error.code]), headers: {} }
  if (error instanceof WmsFault) {
    const isUnsupported = error.code === 'OperationNotSupported' || error.code === 'LayerNotQueryable'
    const code = isUnsupported ? 'OperationNotSupported' : 'InvalidParameterValue'
    const locator = error.code === 'LayerNotDefined' ? 'Layer' : error.locator
    return { ...report(new OwsFault(code, error.message, locator), owsStatuses[code]), headers: {} }
  }
  if (isProblem(error) && getStatus(error) < 500) return wmtsProblemReport(error, options)
  return undefined
}

function report(fault: OwsFault, status: number) {
  return { status, bytes: Buffer.from(wmtsExceptionReport(fault)), mediaType: 'text/xml; charset=utf-8' }
}
