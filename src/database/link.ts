import type { MessagePort } from 'node:worker_threads'

/** What the main thread and the worker of the embedded database share besides their port. */
const slots = {
  /** Grows with each message to the worker, which sleeps on it. */
  sent: 0,
  /** Not 0 while the running statement is to be cancelled. */
  cancel: 1,
  /** Bytes that the worker has given and nobody has read yet; the worker sleeps on it while there are too many. */
  unread: 2,
  /** Bytes sent to the worker that it has not looked at; the main thread waits, without blocking, while too many. */
  untaken: 3,
} as const

/** Most bytes that wait at one end before the other one waits. */
const limitBytes = 4 * 1024 * 1024

/** Makes the memory that both ends of a link look at. */
export function createSignals(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(slots).length * Int32Array.BYTES_PER_ELEMENT))
}

/** The end of a link that must never block. */
export class MainEnd {
  readonly #port: MessagePort
  readonly #signals: Int32Array

  constructor(port: MessagePort, signals: Int32Array) {
    this.#port = port
    this.#signals = signals
  }

  /** Sends bytes. @returns what resolves when there is room for more; undefined when there is */
  send(bytes: Uint8Array): Promise<void> | undefined {
    // A copy: the driver may use its buffer again.
    const copy = new Uint8Array(bytes)
    const untaken = Atomics.add(this.#signals, slots.untaken, copy.length) + copy.length
    this.#port.postMessage(copy, [copy.buffer])
    Atomics.add(this.#signals, slots.sent, 1)
    Atomics.notify(this.#signals, slots.sent)
    return untaken > limitBytes ? this.#untilTaken() : undefined
  }

  async #untilTaken(): Promise<void> {
    for (;;) {
      const untaken = Atomics.load(this.#signals, slots.untaken)
      if (untaken <= limitBytes) return
      await Atomics.waitAsync(this.#signals, slots.untaken, untaken).value
    }
  }

  onBytes(take: (bytes: Uint8Array) => void): void {
    this.#port.on('message', take)
  }

  /** Says that bytes have been read. */
  acknowledge(count: number): void {
    Atomics.sub(this.#signals, slots.unread, count)
    Atomics.notify(this.#signals, slots.unread)
  }

  requestCancel(wanted: boolean): void {
    Atomics.store(this.#signals, slots.cancel, wanted ? 1 : 0)
  }

  ref(): void {
    this.#port.ref()
  }

  unref(): void {
    this.#port.unref()
  }

  close(): void {
    this.#port.close()
  }
}

/** The end of a link that blocks its thread, as a database server's process does. */
export class WorkerEnd {
  readonly #port: MessagePort
  readonly #signals: Int32Array
  readonly #receive: (port: MessagePort) => { message: Uint8Array } | undefined

  constructor(
    port: MessagePort,
    signals: Int32Array,
    receive: (port: MessagePort) => { message: Uint8Array } | undefined,
  ) {
    this.#port = port
    this.#signals = signals
    this.#receive = receive
  }

  /** Sleeps until there is a message. */
  read(): Uint8Array {
    for (;;) {
      const sent = Atomics.load(this.#signals, slots.sent)
      const received = this.#receive(this.#port)
      if (received) return this.#take(received.message)
      Atomics.wait(this.#signals, slots.sent, sent)
    }
  }

  #take(bytes: Uint8Array): Uint8Array {
    Atomics.sub(this.#signals, slots.untaken, bytes.length)
    Atomics.notify(this.#signals, slots.untaken)
    return bytes
  }

  /** Gives bytes away, and sleeps while too many wait to be read. The bytes must not be used after. */
  write(bytes: Uint8Array<ArrayBuffer>): void {
    const { length } = bytes
    this.#port.postMessage(bytes, [bytes.buffer])
    let unread = Atomics.add(this.#signals, slots.unread, length) + length
    while (unread > limitBytes && !this.isCancelRequested()) {
      // Wakes by itself too: a request to cancel rings no bell here.
      Atomics.wait(this.#signals, slots.unread, unread, 100)
      unread = Atomics.load(this.#signals, slots.unread)
    }
  }

  isCancelRequested(): boolean {
    return Atomics.load(this.#signals, slots.cancel) !== 0
  }
}
