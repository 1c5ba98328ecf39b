import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Log } from '../../core/log.ts'

/** Returns the id that a client gave a request, if it is valid, else a new one. */
export function requestIdOf(raw: IncomingMessage | object): string {
  const header = 'headers' in raw ? raw.headers['x-request-id'] : undefined
  return typeof header === 'string' && /^[\w-]{8,64}$/.test(header) ? header : randomUUID()
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly id: string
  readonly method: string
  /** Path template of the contract; undefined for paths that it does not have. */
  readonly template: string | undefined
  readonly status: number
  readonly milliseconds: number
  /** Keyname of the caller. */
  readonly user: string | undefined
  readonly bytes: number
}

/** Logs a request that was answered. */
export function logAnswered(log: Log, answered: AnsweredRequest): void {
  const { id, method, template = 'unknown', status, milliseconds, user = null, bytes } = answered
  const duration_ms = Math.round(milliseconds * 10) / 10
  log.info({ method, path: template, status, duration_ms, user, request_id: id, bytes }, 'request')
}
