import { bodyLimitOf, slowLimits, statementLimitOf } from '../../src/contract/limits.ts'
import type { RouteDescriptor } from '../../src/contract/route.ts'
import { type RouteName, routeNames, routeOf } from '../../src/contract/routes.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { typeOf } from './fields.ts'
import { formatBytes, formatCode, formatCodes, formatTable, joinParts } from './markdown.ts'

/** Prints the page of the HTTP operations. */
export function printRoutes(): string {
  const areas = Map.groupBy(routeNames, (name) => name.split('.')[0] ?? name)
  return joinParts(
    '# HTTP operations',
    'The same operations are described as OpenAPI 3.1 with all request and response bodies: `/openapi.json` and `/docs` on a server, or `landform schema openapi`. HEAD works wherever GET does; a final slash of a path is optional.',
    `*Permission* is the permission on the resource \`{id}\` of the path; operations without one check permissions on the resources that the request names. *Body* is the largest JSON body. One database statement takes at most ${formatSeconds({})}, unless *Statement* gives other limits.`,
    `A layer, or a caller (a user, or the guests of a network), with a statement about features that ran into its limit, or that its client left after ${slowLimits.abandonedMs / 1000} s, gets ${slowLimits.atOnce} connections to PostgreSQL at once for further ones, the caller one of them for the layer, and all such layers and callers together get half of the connections. This ends when ${slowLimits.quickStatements.least} of their statements have taken less than ${slowLimits.quickMs / 1000} s; after each further time-out, it takes twice as many, up to ${slowLimits.quickStatements.most}. The embedded database runs one statement at a time; there, further statements of the caller that read features end after ${slowLimits.heldMs / 1000} s.`,
    [...areas].map(([area, names]) => printArea(area, names)),
  )
}

function printArea(area: string, names: readonly RouteName[]): string {
  const table = formatTable(
    ['Operation', 'Name', 'Purpose', 'Permission', 'Body', 'Statement'],
    names.map(printRow),
  )
  const parameters = listParameters(names)
  if (parameters.length === 0) return `## ${area}\n\n${table}`
  return `## ${area}\n\n${table}\n\nQuery parameters:\n\n${formatTable(['Parameter', 'Type', 'Meaning', 'Operations'], parameters)}`
}

function printRow(name: RouteName): string[] {
  const route = routeOf(name)
  return [
    formatCode(`${route.method} ${route.path}`),
    formatCode(name),
    route.summary,
    route.permission === undefined ? (route.forUsers ? 'signed-in users' : '') : formatCode(route.permission),
    route.body === undefined ? '' : formatBytes(bodyLimitOf(route)),
    route.databaseUse === undefined ? '' : formatSeconds(route),
  ]
}

function formatSeconds(route: Pick<RouteDescriptor, 'databaseUse'>): string {
  const { pglite, postgres } = statementLimitOf(route)
  return `${pglite} s on the embedded database, ${postgres} s on PostgreSQL`
}

/** Lists the query parameters of an area; equal parameters of several operations are one row. */
function listParameters(names: readonly RouteName[]): string[][] {
  const rows = new Map<string, { cells: string[]; operations: string[] }>()
  for (const name of names) {
    for (const cells of parametersOf(name)) {
      const id = JSON.stringify(cells)
      const row = rows.get(id) ?? { cells, operations: [] }
      row.operations.push(name)
      rows.set(id, row)
    }
  }
  return [...rows.values()].map(({ cells, operations }) => [...cells, formatCodes(operations)])
}

function parametersOf(name: RouteName): string[][] {
  const { query, moreQuery } = routeOf(name)
  const named = Object.entries(query?.properties ?? {}).map(([parameter, schema]) => [
    formatCode(parameter),
    typeOf(schema as Schema),
    (schema as { description?: string }).description ?? '',
  ])
  if (moreQuery === undefined) return named
  const { examples, maxCount } = moreQuery
  return [...named, [formatCodes(examples), 'conditions', `At most ${maxCount} in one request.`]]
}
