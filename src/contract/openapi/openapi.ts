import { CatalogErrorSchema, ErrorSchema } from '../bodies/error.ts'
import { type RouteName, routeNames, routeOf } from '../routes.ts'
import { bodySchemas, type ComponentSchemas } from './bodies.ts'
import { operationOf, tagOf } from './operation.ts'

/** An OpenAPI document. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: object
  readonly servers: readonly object[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: { readonly schemas: ComponentSchemas; readonly securitySchemes: object }
  readonly security: readonly object[]
}

/** Options of `describeApi`. */
export interface OpenApiOptions {
  /** Version of the program. */
  readonly version: string
  /** Tells whether the server supports an operation; all by default. */
  readonly isOffered?: (name: RouteName) => boolean
}

/**
 * Describes the operations of the contract as an OpenAPI document: paths, parameters, bodies of every class, errors.
 *
 * @see OpenAPI Specification 3.1.0
 */
export function describeApi({ version, isOffered = () => true }: OpenApiOptions): OpenApi {
  const offered = routeNames.filter(isOffered)
  const paths: Record<string, Record<string, object>> = {}
  for (const name of offered) {
    const { path, method } = routeOf(name)
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = operationOf(name)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'landform',
      version,
      summary: 'Resources, features, uploads and tiles of a GIS server.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(offered.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ErrorSchema, CatalogError: CatalogErrorSchema, ...bodySchemas() },
      securitySchemes,
    },
    security: [{}, { basic: [] }, { bearer: [] }, { session: [] }],
  }
}

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password with each request.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'Access token of a user.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'landform',
    description:
      'Session cookie, set at login; __Host-landform with https. Not used if the request has an Authorization header.',
  },
}
