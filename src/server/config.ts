import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import type { GivenSettings } from './settings/server_settings.ts'

/** How a server runs: its settings, as the command line has them, and what only programs give. */
export interface ServerConfig extends Omit<GivenSettings, 'listen' | 'dataFolder'> {
  /** Host and port to listen on; port 0 takes a free one. */
  readonly listen: NonNullable<GivenSettings['listen']>
  /** Folder of the data: embedded database, files, generated password, keys. */
  readonly dataFolder: string
  /** An open database, instead of `databaseUrl`; the server closes it. */
  readonly database?: Database | undefined
  /** Schema of the database that holds every table of the server. */
  readonly schema?: string | undefined
  readonly log?: Log | undefined
  /** Version of the program, for `pkg_version`. */
  readonly version?: string | undefined
}
