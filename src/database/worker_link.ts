import type { MessagePort } from 'node:worker_threads'

/** Slots of the memory that the main thread and the worker of the embedded database share. */
const slots = {
  /** Number of messages sent to the worker, which waits on it. */
  sent: 0,
  /** Nonzero while a cancel of the running statement is requested. */
  cancel: 1,
  /** Bytes sent by the worker and not yet read; the worker blocks on it while above the limit. */
  unread: 2,
  /**
   * Bytes sent to the worker and not yet received; the main thread waits on it, without blocking, while above the
   * limit.
   */
  untaken: 3,
} as const

/** Maximum number of bytes in flight in one direction before the sender waits. */
const limitBytes = 4 * 1024 * 1024

/** Allocates the memory shared by both ends of a link. */
export function createSignals(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(slots).length * Int32Array.BYTES_PER_ELEMENT))
}

/** The end of a link in the main thread, which must never block. */
export class MainEnd {
  readonly #port: MessagePort
  readonly #signals: Int32Array

  constructor(port: MessagePort, signals: Int32Array) {
    this.#port = port
    this.#signals = signals
  }

  /** Sends bytes. @returns a promise that resolves when more can be sent; undefined if it can at once */
  send(bytes: Uint8Array): Promise<void> | undefined {
    // Copied because the driver may reuse its buffer.
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

  /** Reports a number of bytes as read. */
  acknowledge(count: number): void {
    Atomics.sub(this.#signals, slots.unread, count)
    Atomics.notify(this.#signals, slots.unread)
  }

  requestCancel(isRequested: boolean): void {
    Atomics.store(this.#signals, slots.cancel, isRequested ? 1 : 0)
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

/** The end of a link in the worker, which blocks its thread like a database server process. */
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

  /** Blocks until a message arrives. */
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

  /** Transfers bytes, and blocks while too many are unread. The caller must not use the bytes afterwards. */
  write(bytes: Uint8Array<ArrayBuffer>): void {
    const { length } = bytes
    this.#port.postMessage(bytes, [bytes.buffer])
    let unread = Atomics.add(this.#signals, slots.unread, length) + length
    while (unread > limitBytes && !this.isCancelRequested()) {
      // Times out because a cancel request does not notify this slot.
      Atomics.wait(this.#signals, slots.unread, unread, 100)
      unread = Atomics.load(this.#signals, slots.unread)
    }
  }

  isCancelRequested(): boolean {
    return Atomics.load(this.#signals, slots.cancel) !== 0
  }
}
