/** Fields of a structured log line, in snake_case. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * The log of all components: fields first, then a fixed message. Values never go into the message, so that lines can be
 * counted. `child` adds fields to all lines of a new log. Implemented by pino.
 */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  child(fields: LogFields): Log
}

/** A log that discards everything. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
}

/** Minimum level of logged messages. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
