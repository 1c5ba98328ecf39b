import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import { toProblem } from './sqlstate.ts'
import { Subscriptions } from './subscriptions.ts'

/** First and longest wait before a lost connection is tried again, in milliseconds. */
const pausesMs = { first: 50, longest: 5000 }

/** Hears notifications on a connection of its own, made when the first one listens and made anew when it breaks. */
export class Listener {
  readonly #config: pg.ClientConfig
  readonly #log: Log
  readonly #subscriptions = new Subscriptions()
  readonly #closing = new AbortController()
  #current: Promise<pg.Client> | undefined

  constructor(config: pg.ClientConfig, log: Log) {
    this.#config = config
    this.#log = log
  }

  /** Calls back on each notification of a channel; with an empty payload after some may have been missed. */
  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    this.#subscriptions.add(channel, onNotify)
    try {
      const client = await this.#connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      this.#subscriptions.remove(channel, onNotify)
      throw toProblem(error)
    }
    return () => this.#unlisten(channel, onNotify)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const client = await this.#current?.catch(() => undefined)
    await client?.end()
  }

  async #unlisten(channel: string, onNotify: (payload: string) => void): Promise<void> {
    if (!this.#subscriptions.remove(channel, onNotify)) return
    const client = await this.#current?.catch(() => undefined)
    // A connection that breaks now forgets the channel too.
    await client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => undefined)
  }

  #connect(): Promise<pg.Client> {
    const opening = this.#current ?? this.#open()
    this.#current = opening
    opening.catch(() => this.#forget(opening))
    return opening
  }

  #forget(opening: Promise<pg.Client> | undefined): void {
    if (this.#current === opening) this.#current = undefined
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    client.on('error', (error) => this.#log.warn({ err: error }, 'the connection for notifications was lost'))
    await client.connect()
    client.on('notification', ({ channel, payload }) => this.#subscriptions.notify(channel, payload ?? ''))
    client.once('end', () => void this.#reconnect())
    await client.query(this.#subscriptions.formatListen())
    return client
  }

  async #reconnect(): Promise<void> {
    this.#current = undefined
    const { signal } = this.#closing
    for (let pauseMs = pausesMs.first; !signal.aborted && this.#subscriptions.size > 0; ) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, pausesMs.longest)
      if (await this.#tryConnect()) return
    }
  }

  async #tryConnect(): Promise<boolean> {
    if (this.#closing.signal.aborted) return false
    try {
      await this.#connect()
    } catch (error) {
      this.#log.debug({ err: error }, 'notifications cannot be heard yet')
      return false
    }
    this.#subscriptions.notifyAll()
    return true
  }
}
