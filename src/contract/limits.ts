/** How much of a body is taken, by what the body is. */
export type BodySize = 'small' | 'medium' | 'large' | 'streamed'

/**
 * Largest bodies in bytes: a few values; the members of a resource, lists of ids; features and batches; features that
 * are read one by one. The server's option `--body-limit` sets what is large.
 */
export const bodyBytes: Readonly<Record<BodySize, number>> = {
  small: 64 * 2 ** 10,
  medium: 8 * 2 ** 20,
  large: 64 * 2 ** 20,
  streamed: 256 * 2 ** 20,
}

/** Gives the largest body of an operation in bytes, on a server with its own limit of what is large. */
export function bodyLimitOf(
  { bodySize = 'medium' }: { readonly bodySize?: BodySize },
  largeBytes = bodyBytes.large,
): number {
  const bytes = bodyBytes[bodySize]
  return bytes < bodyBytes.large ? Math.min(bytes, largeBytes) : (bytes / bodyBytes.large) * largeBytes
}

/** How slow a client may be. */
export interface ClientLimits {
  /** Least bytes per second, on average over `seconds`. */
  readonly minRate: number
  /** How long a client may be slower than that. */
  readonly seconds: number
}

/**
 * Least bytes per second, on average over so many seconds, at which a client sends a body and takes an answer. The
 * options `--min-rate` and `--client-timeout` of the server set them.
 */
export const clientLimits: ClientLimits = { minRate: 500, seconds: 60 }

/** What an operation does to the database: it reads or writes a little, reads whole layers, or writes whole layers. */
export type DatabaseUse = 'query' | 'export' | 'load'

/**
 * Most seconds that one statement may take, by the database of the server: the embedded one has one connection for
 * everybody.
 */
export const statementSeconds: Readonly<
  Record<DatabaseUse, { readonly pglite: number; readonly postgres: number }>
> = {
  query: { pglite: 10, postgres: 60 },
  export: { pglite: 10, postgres: 600 },
  load: { pglite: 600, postgres: 3600 },
}

/** Gives the most seconds of one statement of an operation. */
export function statementLimitOf({ databaseUse = 'query' }: { readonly databaseUse?: DatabaseUse }) {
  return statementSeconds[databaseUse]
}

/** Largest id of a resource. */
export const maxResourceId = 2 ** 31 - 1

/** Most resources that one request names by their ids. */
export const maxResourceIds = 10_000

/** Most layers that one request draws or looks into. */
export const maxLayers = 100

/** Most layers that a service publishes. */
export const maxServiceLayers = 1000

/** Longest geometry of a filter, as characters of WKT. */
export const maxFilterWkt = 2 ** 20

/** Most conditions of one query. */
export const maxConditions = 50

/** Longest text that a query looks for, in characters. */
export const maxSearchText = 1000

/**
 * Most files that guests from one network upload within the hours that an upload is kept, and how many times that, in
 * files and in bytes, all guests together do. The option `--guest-upload-quota` sets the bytes.
 */
export const guestUploadLimits = { uploads: 2500, networks: 4 } as const

/** Most files and fields of one form, and the longest field in bytes. */
export const formLimits = { files: 10_000, fields: 100, fieldBytes: 64 * 2 ** 10 } as const
