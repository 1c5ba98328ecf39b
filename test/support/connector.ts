import { createRequire } from 'node:module'

/** A resource as returned by the connector. */
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

/** Identifies a resource for the connector: id, keyname, or a partial resource. */
export type ResourceName = number | string | Readonly<Record<string, unknown>>

interface Credentials {
  readonly login: string
  readonly password: string
}

type Parameters = Readonly<Record<string, unknown>>

/** The interface of both connector versions. */
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

/** The newer version, which addresses routes by name. */
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

/** Installed versions of the connector. */
export const connectorVersions = [1, 3] as const

/**
 * Creates a connector of a version. Its cache is global to the process and ignores the server, so the module is loaded
 * again for each connector. Failures of cached calls (`connect`, `getResource`) reject a second, unhandled promise:
 * expect failures of plain requests only.
 */
export function createConnector(version: (typeof connectorVersions)[number], options: Options) {
  const load = createRequire(import.meta.url)
  for (const file of Object.keys(load.cache))
    if (/[/\\](ngw-connector-\d|@nextgis)[/\\]/.test(file)) delete load.cache[file]
  const Connector: new (options: Options) => RoutingConnector = load(`ngw-connector-${version}`)
  return new Connector(options)
}
