import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../core/log.ts'
import type { Database } from '../../database/database.ts'
import { openForeign } from '../../database/foreign_database.ts'
import type { MemberRow } from '../../store/classes/member_table.ts'
import type { SecretBox } from '../auth/secret_box.ts'

/** Connection pools of external databases. */
export interface ForeignDatabases {
  /**
   * Returns the database of a connection, without connecting yet.
   *
   * @throws {Problem} secret/unreadable
   */
  open(connectionId: number, connection: MemberRow<'geodb_connection'>): Database
  /** Waits for running queries, and closes all pools. */
  close(): Promise<void>
}

/** Maximum number of connections to one database. */
const poolSize = 8

/** Maximum number of pools. Idle pools have no open connections. */
const maxPools = 200

const connectMs = 5_000
const statementTimeoutMs = 60_000

interface Pool {
  readonly digest: string
  readonly database: Database
}

/** Creates the pools. A changed connection gets a new pool; the old one closes after its running queries. */
export function createForeignDatabases(secrets: SecretBox, log: Log): ForeignDatabases {
  const closing = new Set<Promise<void>>()
  const close = ({ database }: Pool) => {
    const closed = database
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'cannot close the pool of an external database'))
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }
  const pools = new LRUCache<number, Pool>({ max: maxPools, dispose: close })
  return {
    open(connectionId, connection) {
      const digest = createHash('sha256').update(JSON.stringify(connection)).digest('hex')
      const current = pools.get(connectionId)
      if (current?.digest === digest) return current.database
      const database = openForeign({
        host: connection.hostname,
        port: Number(connection.port ?? 5432),
        database: connection.database,
        user: connection.username,
        password: secrets.open(connection.password, passwordPlace(connectionId)),
        sslMode: connection.sslmode,
        ...{ poolSize, connectMs, statementTimeoutMs, log },
      })
      pools.set(connectionId, { digest, database })
      return database
    },
    async close() {
      pools.clear()
      await Promise.all(closing)
    },
  }
}

/** Returns the context that the password of a connection is encrypted for. */
export function passwordPlace(connectionId: number): string {
  return `geodb_connection.password:${connectionId}`
}
