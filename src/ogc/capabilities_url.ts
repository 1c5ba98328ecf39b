/** A GetCapabilities request. */
export interface CapabilitiesQuery {
  readonly service: 'WMS' | 'WFS'
  readonly version: string
  /** Further parameters, as a query string. */
  readonly parameters?: string
}

/**
 * Adds the parameters of a GetCapabilities request to a URL. Keeps all other parameters as they are written: some
 * services do not decode them.
 *
 * @throws {TypeError} if the URL is not valid
 * @see OGC 06-042 clause 6.8.1
 */
export function capabilitiesUrl(url: string, { service, version, parameters = '' }: CapabilitiesQuery): URL {
  const added = { SERVICE: service, REQUEST: 'GetCapabilities', VERSION: version }
  const requestUrl = new URL(url)
  const given = `${requestUrl.search.slice(1)}&${parameters.replace(/^[?&]/, '')}`
  const kept = given.split('&').filter((part) => part !== '' && !Object.hasOwn(added, nameOf(part)))
  requestUrl.search = [...kept, ...Object.entries(added).map((entry) => entry.join('='))].join('&')
  requestUrl.hash = ''
  return requestUrl
}

/** Name of a parameter in upper case. @see OGC 06-042 clause 6.8.1: names are case-insensitive */
function nameOf(parameter: string): string {
  const [name = ''] = new URLSearchParams(parameter).keys()
  return name.toUpperCase()
}
