import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import type { GivenSettings } from './settings/server_settings.ts'

/** Configuration of a server: the settings of the command line, and options for programs only. */
export interface ServerConfig extends Omit<GivenSettings, 'listen' | 'dataFolder'> {
  /** Host and port to listen on; port 0 selects a free port. */
  readonly listen: NonNullable<GivenSettings['listen']>
  /** Data directory: embedded database, files, generated password, keys. */
  readonly dataFolder: string
  /** Open database to use instead of `databaseUrl`; the server closes it. */
  readonly database?: Database | undefined
  /** Database schema of all tables of the server. */
  readonly schema?: string | undefined
  readonly log?: Log | undefined
  /** Version of landform. */
  readonly version?: string | undefined
}
