import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../core/log.ts'
import { toProblem } from './sqlstate.ts'

/** Initial and maximum delay before reconnecting, in milliseconds. */
const delaysMs = { initial: 50, max: 5000 }

/** Receives notifications on a dedicated connection, opened on the first `listen` and restored when lost. */
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

  /** Calls back on each notification of a channel, and with an empty payload after some may have been missed. */
  async listen(channel: string, subscriber: Subscriber): Promise<() => Promise<void>> {
    this.#subscriptions.add(channel, subscriber)
    try {
      const client = await this.#connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      this.#subscriptions.remove(channel, subscriber)
      throw toProblem(error)
    }
    return () => this.#unlisten(channel, subscriber)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const client = await this.#current?.catch(() => undefined)
    await client?.end()
  }

  async #unlisten(channel: string, subscriber: Subscriber): Promise<void> {
    if (!this.#subscriptions.remove(channel, subscriber)) return
    const client = await this.#current?.catch(() => undefined)
    // Fails only if the connection is lost, which ends the subscription too.
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
    client.on('error', (error) => this.#log.warn({ err: error }, 'lost the notification connection'))
    await client.connect()
    client.on('notification', ({ channel, payload }) => this.#subscriptions.notify(channel, payload ?? ''))
    client.once('end', () => {
      this.#subscriptions.lose()
      void this.#reconnect()
    })
    await client.query(this.#subscriptions.formatListen())
    return client
  }

  async #reconnect(): Promise<void> {
    this.#current = undefined
    const { signal } = this.#closing
    for (let delayMs = delaysMs.initial; !signal.aborted && this.#subscriptions.size > 0; ) {
      await delay(delayMs, undefined, { signal, ref: false }).catch(() => undefined)
      delayMs = Math.min(delayMs * 2, delaysMs.max)
      if (await this.#tryConnect()) return
    }
  }

  async #tryConnect(): Promise<boolean> {
    if (this.#closing.signal.aborted) return false
    try {
      await this.#connect()
    } catch (error) {
      this.#log.debug({ err: error }, 'cannot restore the notification connection yet')
      return false
    }
    this.#subscriptions.notifyAll()
    return true
  }
}

/** Who listens to a channel. */
export interface Subscriber {
  onNotify(payload: string): void
  /** Called when the connection is lost. */
  readonly onLost?: (() => void) | undefined
}

/** Subscribers by notification channel. */
export class Subscriptions {
  readonly #byChannel = new Map<string, Set<Subscriber>>()

  add(channel: string, subscriber: Subscriber): void {
    const subscribers = this.#byChannel.get(channel)
    if (subscribers) subscribers.add(subscriber)
    else this.#byChannel.set(channel, new Set([subscriber]))
  }

  /** Returns true if it was the last subscriber of the channel. */
  remove(channel: string, subscriber: Subscriber): boolean {
    const subscribers = this.#byChannel.get(channel)
    subscribers?.delete(subscriber)
    return subscribers?.size === 0 && this.#byChannel.delete(channel)
  }

  notify(channel: string, payload: string): void {
    for (const subscriber of [...(this.#byChannel.get(channel) ?? [])]) subscriber.onNotify(payload)
  }

  /** Calls all subscribers with an empty payload: notifications may have been missed. */
  notifyAll(): void {
    for (const channel of [...this.#byChannel.keys()]) this.notify(channel, '')
  }

  /** Tells all subscribers that the connection is lost. */
  lose(): void {
    for (const subscribers of this.#byChannel.values()) for (const { onLost } of [...subscribers]) onLost?.()
  }

  get size(): number {
    return this.#byChannel.size
  }

  /** Returns the LISTEN statements for all channels, separated by semicolons; empty without channels. */
  formatListen(): string {
    return [...this.#byChannel.keys()].map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; ')
  }
}
