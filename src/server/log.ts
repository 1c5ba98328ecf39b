import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { secretPattern } from '../contract/secrets.ts'
import type { Log } from '../core/log.ts'
import { secretSettings } from './settings/server_settings.ts'

/** How much a log says. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Names of facts that never reach a log, however deep in a line they stand. */
const secret = secretPattern(secretSettings())

/**
 * Makes a structured log: one JSON object a line, on standard error unless told otherwise. Facts that are named like
 * a secret are left out.
 */
export function createLog(level: LogLevel, stream: DestinationStream = destination(2)): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: openFacts },
      messageKey: 'message',
      errorKey: 'error',
    },
    stream,
  )
  return withOpenChildren(logger)
}

/** The library formats the facts of a line, but not those that a child adds to all of its lines. */
function withOpenChildren(logger: Logger): Log {
  return {
    debug: (facts, message) => logger.debug(facts, message),
    info: (facts, message) => logger.info(facts, message),
    warn: (facts, message) => logger.warn(facts, message),
    error: (facts, message) => logger.error(facts, message),
    child: (facts) => withOpenChildren(logger.child(openFacts(facts))),
  }
}

function openFacts(facts: object): Record<string, unknown> {
  const open = Object.entries(facts).filter(([name]) => !secret.test(name))
  return Object.fromEntries(open.map(([name, value]) => [name, isPlain(value) ? openFacts(value) : value]))
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
