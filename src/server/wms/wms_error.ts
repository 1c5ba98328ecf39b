import { isProblem, type Problem } from '../../core/problem.ts'
import { wmsExceptionReport } from '../../ogc/wms/exception_report.ts'
import { readExceptionForm, type WmsParameters } from '../../ogc/wms/parse_wms.ts'
import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import { faultWmsVersion } from '../../ogc/wms/wms_protocol.ts'
import { drawMessage } from '../../render/image/encode_map.ts'
import { errorBody, getStatus } from '../http/error_body.ts'
import type { ReportOptions, ServiceReport } from '../http/service_report.ts'
import { challenge, locatorOf } from '../wfs/wfs_error.ts'

/** Returns the parameters of a request that was not parsed. */
export function parametersOf(url: string): WmsParameters {
  const at = url.indexOf('?')
  const pairs = at < 0 ? [] : [...new URLSearchParams(url.slice(at + 1))]
  return new Map(pairs.map(([name, value]) => [name.toUpperCase(), value]))
}

/** Writes a Problem as an exception report of WMS. Guests without permission are asked for credentials. */
export function wmsProblemReport(fault: Problem, { url, requestId, isGuest }: ReportOptions): ServiceReport {
  const status = isGuest && fault.code === 'access/denied' ? 401 : getStatus(fault)
  const { message, hint } = errorBody(fault, requestId)
  const wait = fault.data.retry_after
  const { exceptionType, ...protocol } = faultWmsVersion(parametersOf(url).get('VERSION'))
  const code = status === 501 ? 'OperationNotSupported' : undefined
  const report = {
    code: fault.code === 'request/invalid' ? 'InvalidParameterValue' : code,
    locator: locatorOf(fault),
    message: hint === undefined ? message : `${message} ${hint}`,
  }
  return {
    status: status === 422 ? 400 : status,
    headers: {
      ...(status === 401 ? challenge : {}),
      ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
    },
    bytes: Buffer.from(wmsExceptionReport(report, { exceptionType, ...protocol })),
    mediaType: exceptionType,
  }
}

/**
 * Returns the response to a failed request, in the form that the client requests; undefined for failures of the server,
 * which are logged.
 */
export async function findWmsError(
  error: unknown,
  parameters: WmsParameters,
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
  parameters: WmsParameters,
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
