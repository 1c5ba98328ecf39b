import { annotationsOf } from './descriptor.ts'
import { clsNames, descriptorOf } from './registry.ts'
import { routeNames, routeOf } from './routes.ts'
import type { Schema } from './schema/schema.ts'

/** HTTP headers with credentials; request headers have no schema. */
const secretHeaders = ['authorization', 'cookie', 'set-cookie'] as const

let found: ReadonlySet<string> | undefined

/** Lists the names of all fields marked with `x-secret`: in classes, request bodies and responses. */
export function secretNames(): ReadonlySet<string> {
  if (found === undefined) {
    const names = new Set<string>()
    const seen = new Set<unknown>()
    for (const cls of clsNames) gather(descriptorOf(cls).members, names, seen)
    for (const name of routeNames) {
      const { query, body, response } = routeOf(name)
      gather([query, body, response], names, seen)
    }
    found = names
  }
  return found
}

function gather(part: unknown, names: Set<string>, seen: Set<unknown>): void {
  if (typeof part !== 'object' || part === null || seen.has(part)) return
  seen.add(part)
  const { properties = {} } = part as Partial<Schema>
  for (const [name, field] of Object.entries(properties))
    if (annotationsOf(field)['x-secret']) names.add(name)
  for (const child of Object.values(part)) gather(child, names, seen)
}

/** Environment variables with the credentials of commands and servers. */
const credentialVariables: ReadonlySet<string> = new Set([
  'LANDFORM_PASSWORD',
  'LANDFORM_TOKEN',
  'LANDFORM_NEW_PASSWORD',
  'LANDFORM_ADMIN_PASSWORD',
  'LANDFORM_DATABASE',
  'LANDFORM_SECRET_KEY',
])

/**
 * Tells whether an environment variable contains credentials that a field must not have: anybody who proposes a change of a manifest
 * could read them in its plan.
 */
export function isCredentialOutside(variable: string, field: string): boolean {
  return credentialVariables.has(variable) && !isSecretName(field)
}

/** Tells whether the values of a field are secret. */
export function isSecretName(name: string): boolean {
  return secretNames().has(name)
}

/** Compiles a pattern of secret names: of fields, headers and `more`. */
export function secretPattern(more: readonly string[]): RegExp {
  return new RegExp([...secretNames(), ...secretHeaders, ...more].join('|'), 'i')
}
