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

/** Lists every operation with each of its paths. */
export function listEndpoints(): Endpoint[] {
  return routeNames.flatMap((name) => {
    const { method, path, aliases = [] } = routeOf(name)
    return [path, ...aliases].map((template) => ({ name, method, url: urlOf(name, template), template }))
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
  readonly template: string
  readonly allowed: readonly HTTPMethods[]
  readonly others: readonly HTTPMethods[]
}

/** Groups endpoints by path. HEAD is allowed wherever GET is. */
export function listPaths(endpoints: readonly Endpoint[]): KnownPath[] {
  const byUrl = Map.groupBy(endpoints, ({ url }) => url)
  return [...byUrl].map(([url, group]) => {
    const own = group.map(({ method }) => method)
    const allowed = own.includes('GET') ? [...own, 'HEAD' as const] : own
    const others = httpMethods.filter((method) => !allowed.includes(method))
    return { url, template: group[0]?.template ?? url, allowed, others }
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
