import { createRequire } from 'node:module'

/** A resource as the connector gives it. */
export interface Composite {
  readonly resource: {
    readonly id: number
    readonly cls: string
    readonly display_name: string
    readonly keyname: string | null
    readonly children: boolean
    readonly parent: { readonly id: number }
  }
  readonly [member: string]: unknown
}

/** How the connector names a resource: id, keyname, or what it looks like. */
export type ResourceName = number | string | Readonly<Record<string, unknown>>

interface Credentials {
  readonly login: string
  readonly password: string
}

type Parameters = Readonly<Record<string, unknown>>

/** What both versions of the connector offer. */
export interface Connector {
  connect(): Promise<Record<string, string[]>>
  login(credentials: Credentials): Promise<unknown>
  readonly user?: { readonly id: number; readonly keyname: string }
  get<T>(route: string, options?: object | null, params?: Parameters): Promise<T>
  post<T>(route: string, options?: object | null, params?: Parameters): Promise<T>
  put<T>(route: string, options?: object | null, params?: Parameters): Promise<T>
  patch<T>(route: string, options?: object | null, params?: Parameters): Promise<T>
  delete<T>(route: string, options?: object | null, params?: Parameters): Promise<T>
  getResource(name: ResourceName): Promise<Composite | undefined>
  getResourceOrFail(name: ResourceName): Promise<Composite>
  getResourceId(name: ResourceName): Promise<number | undefined>
  getResourcesBy(like: Parameters): Promise<Composite[]>
  getResourceParent(name: ResourceName): Promise<Composite | undefined>
  getResourceChildren(name: ResourceName, options?: { readonly recursive?: boolean }): Promise<Composite[]>
  updateResource(name: ResourceName, data: object): Promise<unknown>
  deleteResource(name: ResourceName): Promise<unknown>
}

/** How the newer version asks for a route. */
export interface RoutingConnector extends Connector {
  route(
    name: string,
    params?: Parameters,
  ): Record<
    'get' | 'post' | 'put' | 'patch' | 'delete',
    <T>(options?: { readonly query?: Parameters; readonly json?: unknown }) => Promise<T>
  >
}

interface Options {
  readonly baseUrl: string
  readonly auth?: Credentials
}

/** Versions of the connector that are installed. */
export const connectorVersions = [1, 3] as const

/**
 * Makes a connector of a version. It keeps answers for everybody in the process, whichever server they came from, so
 * each one made here is loaded anew. What fails in its cache (`connect`, `getResource`) rejects a second promise that
 * nobody holds: expect failures of its plain requests only.
 */
export function createConnector(version: (typeof connectorVersions)[number], options: Options) {
  const load = createRequire(import.meta.url)
  for (const file of Object.keys(load.cache))
    if (/[/\\](ngw-connector-\d|@nextgis)[/\\]/.test(file)) delete load.cache[file]
  const Made: new (made: Options) => RoutingConnector = load(`ngw-connector-${version}`)
  return new Made(options)
}
