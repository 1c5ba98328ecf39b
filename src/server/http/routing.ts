import type { HTTPMethods } from 'fastify'
import { type RouteName, routeNames, routeOf } from '../../contract/routes.ts'

/** Operation with its path in the syntax of Fastify. */
export interface Endpoint {
  readonly name: RouteName
  readonly method: HTTPMethods
  /** `/api/resource/:id(^\d+$)`. */
  readonly url: string
  /** Path template of the contract, for logs. */
  readonly template: string
}

/** Services of an application. */
export interface Offer {
  /** Whether it has the resource service. */
  readonly resources: boolean
  /** Base path of the catalog, without trailing slash; absent if it does not have the catalog. */
  readonly catalog?: string | undefined
}

/** Lists every operation of the offered services, with each of its paths. */
export function listEndpoints({ resources, catalog }: Offer): Endpoint[] {
  return routeNames.flatMap((name) => {
    const { method, path, aliases = [], service } = routeOf(name)
    if (service === 'catalog' ? catalog === undefined : !resources) return []
    const base = service === 'catalog' ? catalog : ''
    return [path, ...aliases].map((own) => {
      const template = `${base}${own}`
      return { name, method, url: urlOf(name, template), template }
    })
  })
}

const httpMethods: readonly HTTPMethods[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
]

/** Path with its allowed methods and all others. */
export interface KnownPath {
  readonly url: string
  /** An operation of the path. */
  readonly name: RouteName
  readonly template: string
  readonly allowed: readonly HTTPMethods[]
  readonly others: readonly HTTPMethods[]
}

/** Groups endpoints by path. HEAD is allowed wherever GET is. */
export function listPaths(endpoints: readonly Endpoint[]): KnownPath[] {
  const byUrl = Map.groupBy(endpoints, ({ url }) => url)
  return [...byUrl].flatMap(([url, group]) => {
    const own = group.map(({ method }) => method)
    const allowed = own.includes('GET') ? [...own, 'HEAD' as const] : own
    const others = httpMethods.filter((method) => !allowed.includes(method))
    return group.slice(0, 1).map(({ name, template }) => ({ url, name, template, allowed, others }))
  })
}

interface ParamSchema {
  readonly type?: string
  readonly pattern?: string
  /** The rest of the path, slashes included. */
  readonly 'x-rest'?: true
}

/** Converts a path template. Ids match digits only, so that other values result in 404. */
function urlOf(name: RouteName, template: string): string {
  const { params } = routeOf(name)
  const url = template.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const schema: ParamSchema = params?.properties[param] ?? {}
    if (schema['x-rest'] === true) return '*'
    const pattern = schema.pattern ?? (schema.type === 'integer' ? '^\\d+$' : undefined)
    return pattern === undefined ? `:${param}` : `:${param}(${pattern})`
  })
  return url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url
}
