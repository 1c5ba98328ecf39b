import { isProblem, type Problem } from '../../core/problem.ts'
import { type Parameters, parametersOfUrl } from '../../ogc/key_value_pairs.ts'
import { wmsExceptionReport } from '../../ogc/wms/exception_report.ts'
import { readExceptionForm } from '../../ogc/wms/parse_wms.ts'
import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import { faultWmsVersion } from '../../ogc/wms/wms_protocol.ts'
import { drawMessage } from '../../render/image/encode_map.ts'
import { getStatus } from '../http/error_body.ts'
import {
  failureHead,
  failureText,
  locatorOf,
  type ReportOptions,
  type ServiceReport,
} from '../http/service_report.ts'

/** Writes a Problem as an exception report of WMS. Guests without permission are asked for credentials. */
export function wmsProblemReport(fault: Problem, { url, requestId, isGuest }: ReportOptions): ServiceReport {
  const { status, headers } = failureHead(fault, { isGuest })
  const protocol = faultWmsVersion(parametersOfUrl(url).get('VERSION'))
  const code = status === 501 ? 'OperationNotSupported' : undefined
  const report = {
    code: fault.code === 'request/invalid' ? 'InvalidParameterValue' : code,
    locator: locatorOf(fault),
    message: failureText(fault, requestId),
  }
  return {
    ...{ status, headers },
    bytes: Buffer.from(wmsExceptionReport(report, protocol)),
    mediaType: protocol.exceptionType,
  }
}

/**
 * Returns the response to a failed request, in the form that the client requests; undefined for failures of the server,
 * which are logged.
 */
export async function findWmsError(
  error: unknown,
  parameters: Parameters,
  options: ReportOptions,
): Promise<ServiceReport | undefined> {
  const report = findReport(error, parameters, options)
  if (report === undefined || report.status === 401) return report
  const form = readExceptionForm(parameters)
  if (form.kind === 'xml') return report
  const message = error instanceof Error && form.kind === 'image' ? error.message : ''
  return { status: 200, headers: {}, ...(await drawMessage(message, { ...form, encoding: form.image })) }
}

function findReport(
  error: unknown,
  parameters: Parameters,
  options: ReportOptions,
): ServiceReport | undefined {
  if (isProblem(error) && getStatus(error) < 500) return wmsProblemReport(error, options)
  if (!(error instanceof WmsFault)) return undefined
  const protocol = faultWmsVersion(parameters.get('VERSION'))
  return {
    status: error.code === 'OperationNotSupported' ? 501 : 400,
    headers: {},
    bytes: Buffer.from(wmsExceptionReport(error, protocol)),
    mediaType: protocol.exceptionType,
  }
}
