/** A row as the driver gives it: bigint as text, jsonb parsed, timestamps as text. */
export type Row = Readonly<Record<string, unknown>>

/** How a statement runs. */
export interface QueryOptions {
  /**
   * It is asked for again and again, with other values: the database may keep how it is read and carried out. The types
   * of its columns must follow from its text alone, and a plan that suits one value must suit all.
   */
  readonly recurs?: boolean
}

/** What may be asked of a connection, inside a transaction or out of one. */
export interface Queryable {
  /**
   * Runs one statement and gives its rows. Values are bound as `$1`, `$2`, …; arrays become PostgreSQL arrays, plain
   * objects json.
   *
   * @throws {Problem} database/* with `data.sqlstate`, `data.constraint` where the database named them
   */
  query<R extends object = Row>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<R[]>

  /**
   * Streams bytes into `COPY … FROM STDIN`, given as the whole statement.
   *
   * @returns the number of rows copied
   */
  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number>

  /**
   * Streams the rows of a query that gives one text column without line breaks or control characters (JSON text),
   * each ended by a line feed. It runs at the database's speed: drain it into a spool, never into a slow socket.
   * Ending the iteration early cancels the query.
   *
   * @param format `binary` gives rows of any columns as PostgreSQL's binary copy instead
   */
  copyOut(select: string, values?: readonly unknown[], format?: CopyFormat): AsyncIterable<Uint8Array>
}

/** How rows leave the database: one text a line, or all columns as they are kept. */
export type CopyFormat = 'lines' | 'binary'

/** How a transaction runs. */
export interface TransactionOptions {
  readonly readOnly?: boolean
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** Cancels the running statement and rolls back. */
  readonly signal?: AbortSignal
  /** Most milliseconds a statement may take before database/timeout. */
  readonly statementTimeoutMs?: number
}

/** PostgreSQL with PostGIS, in this process's care or elsewhere. All names are found in one schema, first on the path. */
export interface Database extends Queryable {
  readonly driver: 'pglite' | 'postgres'
  /** Schema that holds everything of ours. */
  readonly schema: string
  /** Runs work in one transaction: commits what it gives, rolls back when it throws. Never nest. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Calls back on each NOTIFY of a channel, until the returned function is called. An empty payload also says that the
   * connection was lost and made anew: something may have been missed.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>
  /** Waits for what runs, then lets go of the database. */
  close(): Promise<void>
}
