/** Size class of a request body. */
export type BodySize = 'small' | 'medium' | 'large' | 'streamed'

/**
 * Maximum size of request bodies in bytes: a few values; the members of a resource, lists of ids; features and batches;
 * streamed features. The server's option `--body-limit` sets the large size.
 */
export const bodyBytes: Readonly<Record<BodySize, number>> = {
  small: 64 * 2 ** 10,
  medium: 8 * 2 ** 20,
  large: 64 * 2 ** 20,
  streamed: 256 * 2 ** 20,
}

/** Returns the maximum body size of an operation in bytes, given the large size of the server. */
export function bodyLimitOf(
  { bodySize = 'medium' }: { readonly bodySize?: BodySize },
  largeBytes = bodyBytes.large,
): number {
  const bytes = bodyBytes[bodySize]
  return bytes < bodyBytes.large ? Math.min(bytes, largeBytes) : (bytes / bodyBytes.large) * largeBytes
}

/** Limits of a request body: its bytes, and the values in its JSON, of which lists and objects are some. */
export interface BodyLimits {
  readonly bytes: number
  readonly values: number
}

/**
 * Bytes of the maximum size of a body for each value that it may have: those of coordinates with seven decimals, and in large bodies
 * without coordinates those of resources. Many smaller values would take gigabytes and seconds to parse.
 */
const bytesPerValue = { coordinate: 8, resource: 16 } as const

/** Returns the maximum number of values in the JSON of a feature, of which the maximum size is given. */
export function maxFeatureValues(limitBytes: number): number {
  return Math.ceil(limitBytes / bytesPerValue.coordinate)
}

/** Returns the maximum number of values in the JSON body of an operation, given the large size of the server. */
export function maxBodyValues(
  route: { readonly bodySize?: BodySize; readonly hasLongNumbers?: true },
  largeBytes = bodyBytes.large,
): number {
  const bytes = bodyLimitOf(route, largeBytes)
  const isOfResources = route.bodySize === 'large' && route.hasLongNumbers !== true
  return isOfResources ? Math.ceil(bytes / bytesPerValue.resource) : maxFeatureValues(bytes)
}

/**
 * Maximum number of members of an object in a body: twice that of the largest maps. The time to make an object grows faster than the
 * number of its members.
 */
export const maxMembers = 200_000

/** Minimum transfer rate of clients. */
export interface ClientLimits {
  /** Minimum bytes per second, on average over `seconds`. */
  readonly minRate: number
  /** Averaging period in seconds. */
  readonly seconds: number
}

/**
 * Minimum transfer rate of request bodies and responses. The options `--min-rate` and `--client-timeout` of the server
 * set it.
 */
export const clientLimits: ClientLimits = { minRate: 500, seconds: 60 }

/** Database load of an operation: short queries, reading complete layers, or writing complete layers. */
export type DatabaseUse = 'query' | 'export' | 'load'

/**
 * Statement timeout in seconds, by the database of the server: the embedded database has a single connection for all
 * requests.
 */
export const statementSeconds: Readonly<
  Record<DatabaseUse, { readonly pglite: number; readonly postgres: number }>
> = {
  query: { pglite: 10, postgres: 60 },
  export: { pglite: 10, postgres: 600 },
  load: { pglite: 600, postgres: 3600 },
}

/** Returns the statement timeouts of an operation, in seconds. */
export function statementLimitOf({ databaseUse = 'query' }: { readonly databaseUse?: DatabaseUse }) {
  return statementSeconds[databaseUse]
}

/** Returns the statement timeouts of an operation, in milliseconds. */
export function statementMsOf(route: { readonly databaseUse?: DatabaseUse }) {
  const { pglite, postgres } = statementLimitOf(route)
  return { pglite: 1000 * pglite, postgres: 1000 * postgres }
}

/**
 * Limits of layers and callers, of which statements about features have run into a time limit: the statements of a layer, and those
 * of a caller, at a time, and the part of all connections that they have together. They hold until as many statements as given
 * have ended within `quickMs`: `least` after the first time-out, twice as many after each further one, up to `most`. A statement
 * that its client does not wait for counts as one that ran into a time limit from `abandonedMs` on. The embedded database runs one
 * statement at a time: there, a statement of such a caller that reads features ends after `heldMs`. If it does not end, the database
 * is restarted, and statements of the caller about the layer are refused for some seconds: `least` after the first restart, twice as
 * many after each further one, up to `most`.
 */
export const slowLimits = {
  atOnce: 2,
  share: 0.5,
  quickStatements: { least: 16, most: 1024 },
  quickMs: 1000,
  abandonedMs: 5000,
  heldMs: 2000,
  refusedSeconds: { least: 30, most: 600 },
} as const

/** Maximum id of a resource. */
export const maxResourceId = 2 ** 31 - 1

/** Returns whether a value can be the id of a resource. */
export function isResourceId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxResourceId
}

/** Maximum number of resource ids in a request. */
export const maxResourceIds = 10_000

/**
 * Limits of a vector tile: the features of a layer without simplification, the points and small geometries of a layer, all
 * its features, its bytes, and the bytes of a tile, which many layers share equally.
 */
export const tileLimits = {
  unsimplified: 8192,
  small: 8192,
  features: 16_384,
  layerBytes: 2 * 2 ** 20,
  bytes: 16 * 2 ** 20,
} as const

/** Maximum number of layers that a request renders or searches. */
export const maxLayers = 100

/** Maximum number of services that show one another: a layer may show a service whose layers show another one. */
export const maxServiceDepth = 4

/** Maximum number of layers in a service. */
export const maxServiceLayers = 1000

/**
 * Maximum number of rules of a style, many times those of detailed base maps: classes of MapServer XML, rules, categories and ranges of
 * QML, rules of SLD, layers of Mapbox GL.
 */
export const maxStyleRules = 10_000

/** Maximum size of the string in a field of a feature, in bytes of UTF-8. Each reader of a feature holds all of its values. */
export const maxStringBytes = 16 * 2 ** 20

/** Maximum size of all values of a feature that is loaded from a file, in bytes. Requests are limited by their body. */
export const maxValuesBytes = 64 * 2 ** 20

/**
 * Maximum number of positions in the geometry of a feature that is loaded from a file, several times those of the coastline of
 * a large country. Requests are limited by their body.
 */
export const maxPositions = 2 ** 24

/** Maximum size of a cell of a CSV file, in bytes: that of all values of a feature. */
export const maxCellBytes = maxValuesBytes

/** Maximum length of the WKT of a filter, in characters. */
export const maxFilterWkt = 2 ** 20

/** Maximum number of conditions in a query. */
export const maxConditions = 50

/**
 * Limits of filters with nested conditions: the comparisons for a feature that every layer allows, which are those of 50 patterns, and
 * beyond them the comparisons for all features of the layer together.
 */
export const filterLimits = { comparisons: 500, allComparisons: 20_000_000 } as const

/** Maximum length of a search string or of a pattern with wildcards, in characters. */
export const maxSearchText = 1000

/** Maximum number of wildcards for any string in a pattern, after adjacent ones are merged. */
export const maxWildcards = 50

/**
 * Guest upload quota: the maximum number of files from one network within the retention time of uploads, and the factor
 * for all guests together, in files and bytes. The option `--guest-upload-quota` sets the bytes.
 */
export const guestUploadLimits = { uploads: 2500, networks: 4 } as const

/** Maximum number of files and fields in a form, and maximum size of a field in bytes. */
export const formLimits = { files: 10_000, fields: 100, fieldBytes: 64 * 2 ** 10 } as const
