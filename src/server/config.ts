import type { Dialect } from '../contract/dialect.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'

/** How a server is to run. */
export interface ServerConfig {
  /** Where to listen; port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Folder of everything that outlives the process: embedded database, files, generated password. */
  readonly dataFolder: string
  /** PostgreSQL with PostGIS, as a postgres:// address; the embedded database where absent. */
  readonly databaseUrl?: string | undefined
  /** A database that is open already, instead; it becomes the server's to close. */
  readonly database?: Database | undefined
  /** Schema that holds everything of ours. */
  readonly schema?: string | undefined
  /** Password of the administrator, looked at on the first start only; generated where absent. */
  readonly adminPassword?: string | undefined
  readonly dialect?: Dialect | undefined
  /** Whether it behaves like the original, without anything of ours: for tests of clients. */
  readonly plain?: boolean | undefined
  /** Origins of other sites whose pages may ask, as `https://maps.example.org`; none where absent. */
  readonly corsOrigins?: readonly string[] | undefined
  /**
   * Proxies whose X-Forwarded headers are believed: addresses, networks, or the words loopback, linklocal and
   * uniquelocal; none where absent.
   */
  readonly trustedProxies?: readonly string[] | undefined
  /** Key that passwords of services elsewhere are sealed with, 32 bytes in base64; kept in the data folder where absent. */
  readonly secretKey?: string | undefined
  /** Whether services in private networks may be asked; whoever may make a connection could look around there. */
  readonly allowPrivateAddresses?: boolean | undefined
  readonly log?: Log | undefined
  /** Version of the program, for `pkg_version`. */
  readonly version?: string | undefined
  /** Largest JSON body in bytes; 64 MiB where absent. */
  readonly bodyLimitBytes?: number | undefined
  /** Largest upload in bytes; 8 GiB where absent. */
  readonly uploadLimitBytes?: number | undefined
  /** Most bytes that guests from one network upload within a day; as of the largest upload where absent. */
  readonly guestUploadBytes?: number | undefined
  /** Least bytes per second of a body or an answer; 500 where absent. */
  readonly minRate?: number | undefined
  /** Seconds over which the rate is measured; 60 where absent. */
  readonly clientTimeoutSeconds?: number | undefined
}

/** Largest upload in bytes, unless configured. */
export const defaultUploadLimitBytes = 8 * 2 ** 30
