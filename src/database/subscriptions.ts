import pg from 'pg'

/** Who listens to which channel. */
export class Subscriptions {
  readonly #byChannel = new Map<string, Set<(payload: string) => void>>()

  add(channel: string, onNotify: (payload: string) => void): void {
    const known = this.#byChannel.get(channel)
    if (known) known.add(onNotify)
    else this.#byChannel.set(channel, new Set([onNotify]))
  }

  /** Gives true when the channel has nobody any more. */
  remove(channel: string, onNotify: (payload: string) => void): boolean {
    const known = this.#byChannel.get(channel)
    known?.delete(onNotify)
    return known?.size === 0 && this.#byChannel.delete(channel)
  }

  notify(channel: string, payload: string): void {
    for (const onNotify of [...(this.#byChannel.get(channel) ?? [])]) onNotify(payload)
  }

  /** Tells everybody, with an empty payload, that something may have been missed. */
  notifyAll(): void {
    for (const channel of [...this.#byChannel.keys()]) this.notify(channel, '')
  }

  get size(): number {
    return this.#byChannel.size
  }

  /** Gives the statements that make a new connection hear everything, as one text; empty when nobody listens. */
  formatListen(): string {
    return [...this.#byChannel.keys()].map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; ')
  }
}
