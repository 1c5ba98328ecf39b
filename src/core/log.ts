/** A structured log line's facts; keys are snake_case on the wire. */
export type LogFacts = Readonly<Record<string, unknown>>

/**
 * The log every part writes to: facts first, then a fixed sentence (facts never go into the sentence,
 * so that lines can be counted). `child` binds facts to all later lines. pino satisfies it.
 */
export interface Log {
  debug(facts: LogFacts, message: string): void
  info(facts: LogFacts, message: string): void
  warn(facts: LogFacts, message: string): void
  error(facts: LogFacts, message: string): void
  child(facts: LogFacts): Log
}

/** A log that keeps nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
}
