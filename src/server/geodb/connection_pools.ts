import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../core/log.ts'
import type { Database } from '../../database/database.ts'
import { openForeign } from '../../database/foreign_database.ts'
import type { MemberRow } from '../../store/classes/member_table.ts'
import type { SecretBox } from '../auth/secret_box.ts'

/** Databases elsewhere, as connections name them. */
export interface ForeignDatabases {
  /**
   * Gives the database of a connection as it stands. Nothing is asked of it yet.
   *
   * @throws {Problem} secret/unreadable
   */
  open(connectionId: number, connection: MemberRow<'geodb_connection'>): Database
  /** Waits for what runs, and lets go of all of them. */
  close(): Promise<void>
}

/** Most connections to one database. */
const poolSize = 8

/** Most databases that are kept at hand; without work they hold no connection. */
const mostPools = 200

const connectMs = 5_000
const statementTimeoutMs = 60_000

interface Pool {
  readonly digest: string
  readonly database: Database
}

/** Starts without any. A connection that is changed gets new ones; those there were end when their work is done. */
export function createForeignDatabases(secrets: SecretBox, log: Log): ForeignDatabases {
  const closing = new Set<Promise<void>>()
  const close = ({ database }: Pool) => {
    const closed = database
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'a foreign database could not be let go of'))
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }
  const pools = new LRUCache<number, Pool>({ max: mostPools, dispose: close })
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

/** Names the place that the password of a connection is sealed for. */
export function passwordPlace(connectionId: number): string {
  return `geodb_connection.password:${connectionId}`
}
