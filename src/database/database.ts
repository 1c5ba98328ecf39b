/** A row: bigint and timestamps are strings, jsonb is parsed. */
export type Row = Readonly<Record<string, unknown>>

/** Options of a query. */
export interface QueryOptions {
  /**
   * Uses a prepared statement, for queries that recur with different values. The column types must follow from the
   * text alone, and one plan must suit all values.
   */
  readonly prepared?: boolean
  /** Cancels the query. Inside a transaction that of the transaction counts. */
  readonly signal?: AbortSignal | undefined
  /**
   * The table of features that the query reads. Tables may use only a part of the connections, if they are of a foreign database
   * or statements that read them ran into a time limit. Not for transactions.
   */
  readonly table?: string | undefined
}

/** Executes statements, inside or outside a transaction. */
export interface Queryable {
  /**
   * Runs one statement and returns its rows. Values are bound as `$1`, `$2`, …; arrays become PostgreSQL arrays, plain
   * objects become json.
   *
   * @throws {Problem} database/* with `data.sqlstate` and `data.constraint` if the database reported them
   */
  query<R extends object = Row>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<R[]>

  /**
   * Streams bytes into a complete `COPY … FROM STDIN` statement.
   *
   * @returns the number of rows copied
   */
  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<number>

  /**
   * Streams the rows of a query with one text column without line breaks or control characters (JSON text), each
   * terminated by a line feed. Read it at full speed, into a spool: a slow reader holds the connection.
   * Ending the iteration early cancels the query.
   */
  copyOut(select: string, values?: readonly unknown[], options?: CopyOptions): AsyncIterable<Uint8Array>
}

/** Options of `copyOut`. */
export interface CopyOptions {
  /** `binary`: PostgreSQL's binary COPY format instead, with any columns. @default lines */
  readonly format?: CopyFormat
  /** Cancels the query. Inside a transaction that of the transaction counts. */
  readonly signal?: AbortSignal
  /** See `QueryOptions`. */
  readonly table?: string | undefined
}

/** Output format of `copyOut`: one text column a line, or PostgreSQL's binary format. */
export type CopyFormat = 'lines' | 'binary'

/** Options of a transaction. */
export interface TransactionOptions {
  readonly readOnly?: boolean
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** Cancels the running statement and rolls back. */
  readonly signal?: AbortSignal
  /** Maximum duration of a statement, in milliseconds; then database/timeout. */
  readonly statementTimeoutMs?: number
  /** See `QueryOptions`. */
  readonly table?: string | undefined
  /** Whether it reads many features for a client: such transactions run on a part of the connections. */
  readonly isExport?: boolean
}

/** Returns the same database for one request, whose queries are cancelled when its client goes away. */
export function queriesUntil(signal: AbortSignal, database: Queryable): Queryable {
  return {
    query: (text, values, options) => database.query(text, values, { ...options, signal }),
    copyIn: (statement, chunks) => database.copyIn(statement, chunks),
    copyOut: (select, values, options) => database.copyOut(select, values, { ...options, signal }),
  }
}

/** Returns the same database for reading the features of one table. */
export function readsTable(table: string, database: Database): Database {
  return {
    driver: database.driver,
    schema: database.schema,
    query: (text, values, options) => database.query(text, values, { ...options, table }),
    copyIn: (statement, chunks) => database.copyIn(statement, chunks),
    copyOut: (select, values, options) => database.copyOut(select, values, { ...options, table }),
    transaction: (work, options) => database.transaction(work, { ...options, table }),
    listen: (...subscription) => database.listen(...subscription),
    onWrite: (callback) => database.onWrite(callback),
    close: () => database.close(),
  }
}

/** PostgreSQL with PostGIS, embedded or remote. One schema is first on the search path. */
export interface Database extends Queryable {
  readonly driver: 'pglite' | 'postgres'
  /** Schema of all our tables. */
  readonly schema: string
  /** Runs work in a transaction: commits and returns its result, or rolls back if it throws. Must not be nested. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Calls back on each NOTIFY of a channel, until the returned function is called. An empty payload also means that the
   * connection was lost and restored: notifications may have been missed.
   *
   * @param onLost called when the connection is lost
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>
  /**
   * Calls back at the end of each statement and transaction of this object that may have changed data, before its caller
   * gets the result; and after failures, whose reason may be that the caller knew an outdated schema. Until the returned
   * function is called.
   */
  onWrite(callback: () => void): () => void
  /** Waits for running work, then closes all connections. */
  close(): Promise<void>
}
