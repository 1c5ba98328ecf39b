import { type DestinationStream, destination, pino } from 'pino'
import type { Log } from '../core/log.ts'

/** How much a log says. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Names of facts that never reach a log, wherever a line carries them. */
const secrets = ['authorization', 'password', 'cookie', 'token']

/**
 * Makes a structured log: one JSON object a line, on standard error unless told otherwise. Facts that are named like
 * a secret are left out.
 */
export function createLog(level: LogLevel, stream: DestinationStream = destination(2)): Log {
  const paths = secrets.flatMap((name) => [name, `*.${name}`, `headers.${name}`, `*.headers.${name}`])
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
      redact: { paths, remove: true },
    },
    stream,
  )
}
