import pg from 'pg'

/** Callbacks by notification channel. */
export class Subscriptions {
  readonly #byChannel = new Map<string, Set<(payload: string) => void>>()

  add(channel: string, onNotify: (payload: string) => void): void {
    const callbacks = this.#byChannel.get(channel)
    if (callbacks) callbacks.add(onNotify)
    else this.#byChannel.set(channel, new Set([onNotify]))
  }

  /** Returns true if it was the last callback of the channel. */
  remove(channel: string, onNotify: (payload: string) => void): boolean {
    const callbacks = this.#byChannel.get(channel)
    callbacks?.delete(onNotify)
    return callbacks?.size === 0 && this.#byChannel.delete(channel)
  }

  notify(channel: string, payload: string): void {
    for (const onNotify of [...(this.#byChannel.get(channel) ?? [])]) onNotify(payload)
  }

  /** Calls all callbacks with an empty payload: notifications may have been missed. */
  notifyAll(): void {
    for (const channel of [...this.#byChannel.keys()]) this.notify(channel, '')
  }

  get size(): number {
    return this.#byChannel.size
  }

  /** Returns the LISTEN statements for all channels, separated by semicolons; empty without channels. */
  formatListen(): string {
    return [...this.#byChannel.keys()].map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; ')
  }
}
