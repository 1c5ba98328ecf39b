import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase, Notification } from 'pg'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import type { Database } from './database.ts'
import { toProblem } from './sqlstate.ts'

/** Hears notifications on a connection of its own, which it makes anew when it breaks. */
export interface Listener {
  readonly listen: Database['listen']
  close(): Promise<void>
}

/** A connection, its client to be ended by whoever asked for it. */
type Connected = ClientBase & { end(): Promise<void> }

/** Longest wait before it is tried again, in milliseconds. */
const longestPauseMs = 5000

/** Who listens to what. */
export class Subscriptions {
  readonly #byChannel = new Map<string, Set<(payload: string) => void>>()

  /** Gives true when the channel had nobody before. */
  add(channel: string, onNotify: (payload: string) => void): boolean {
    const known = this.#byChannel.get(channel)
    if (known) known.add(onNotify)
    else this.#byChannel.set(channel, new Set([onNotify]))
    return known === undefined
  }

  /** Gives true when the channel has nobody any more. */
  remove(channel: string, onNotify: (payload: string) => void): boolean {
    const known = this.#byChannel.get(channel)
    known?.delete(onNotify)
    return known?.size === 0 && this.#byChannel.delete(channel)
  }

  notify(channel: string, payload: string): void {
    for (const onNotify of this.#byChannel.get(channel) ?? []) onNotify(payload)
  }

  notifyAll(): void {
    for (const channel of this.#byChannel.keys()) this.notify(channel, '')
  }

  get size(): number {
    return this.#byChannel.size
  }

  /** Gives the statements that make a new connection hear everything, as one text; empty when nobody listens. */
  formatListen(): string {
    return [...this.#byChannel.keys()].map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; ')
  }
}

/** Makes a listener that connects when the first one listens. */
export function createListener(options: { connect(): Promise<Connected>; log: Log }): Listener {
  const { log } = options
  const subscriptions = new Subscriptions()
  const closing = new AbortController()
  let current: Promise<Connected> | undefined

  const open = async (): Promise<Connected> => {
    const client = await options.connect()
    client.on('notification', ({ channel, payload }: Notification) =>
      subscriptions.notify(channel, payload ?? ''),
    )
    client.on('error', (error) => log.warn({ err: error }, 'the connection for notifications was lost'))
    client.once('end', () => {
      current = undefined
      if (!closing.signal.aborted && subscriptions.size > 0) void reconnect()
    })
    await client.query(subscriptions.formatListen())
    return client
  }

  const connect = (): Promise<Connected> => {
    const opening = current ?? open()
    current = opening
    opening.catch(() => {
      if (current === opening) current = undefined
    })
    return opening
  }

  const reconnect = async () => {
    for (let pauseMs = 50; !closing.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await connect()
        return subscriptions.notifyAll()
      } catch (error) {
        log.debug({ err: error }, 'notifications cannot be heard yet')
      }
      await delay(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
  }

  const listen: Database['listen'] = async (channel, onNotify) => {
    subscriptions.add(channel, onNotify)
    try {
      const client = await connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      subscriptions.remove(channel, onNotify)
      throw toProblem(error)
    }
    return async () => {
      if (!subscriptions.remove(channel, onNotify)) return
      await (await current)?.query(`unlisten ${pg.escapeIdentifier(channel)}`)
    }
  }

  const close = async () => {
    closing.abort()
    await (await current?.catch(() => undefined))?.end()
  }

  return { listen, close }
}
