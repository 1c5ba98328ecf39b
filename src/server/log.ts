import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { secretPattern } from '../contract/secrets.ts'
import type { Log, LogLevel } from '../core/log.ts'
import { secretSettings } from './settings/server_settings.ts'

/** Names of fields that are omitted from the log at any depth. */
const secret = secretPattern(['secret', ...secretSettings()])

/**
 * Creates a structured log: one JSON object per line, on standard error by default. Omits fields whose names denote
 * secrets.
 */
export function createLog(level: LogLevel, stream: DestinationStream = destination(2)): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: omitSecrets },
      messageKey: 'message',
      errorKey: 'error',
    },
    stream,
  )
  return wrapLogger(logger)
}

/** Wraps a logger to omit secrets from the fields of its children, to which pino does not apply formatters. */
function wrapLogger(logger: Logger): Log {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields) => wrapLogger(logger.child(omitSecrets(fields))),
  }
}

function omitSecrets(fields: object): Record<string, unknown> {
  const permitted = Object.entries(fields).filter(([name]) => !secret.test(name))
  return Object.fromEntries(
    permitted.map(([name, value]) => [name, isPlain(value) ? omitSecrets(value) : value]),
  )
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
