import type { PGlite } from '@electric-sql/pglite'
import type { WorkerEnd } from './worker_link.ts'

/** Exports of PGlite's WebAssembly module that this file calls: PostgreSQL's main loop, one message at a time. */
interface Module {
  readonly HEAPU8: Uint8Array
  readonly HEAP32: Int32Array
  /** Top of the stack, which grows downwards. */
  readonly ___stack_pointer: { value: number }
  /** Addresses of PostgreSQL's variables. */
  readonly _InterruptPending: number
  readonly _QueryCancelPending: number
  addFunction(callback: (pointer: number, length: number) => number, signature: string): number
  _pgl_set_rw_cbs(read: number, write: number): void
  _pgl_getMyProcPort(): number
  _ProcessStartupPacket(port: number, sslDone: boolean, gssDone: boolean): number
  _pgl_sendConnData(): void
  _pgl_pq_flush(): void
  _pq_buffer_remaining_data(): number
  _PostgresMainLoopOnce(): void
  _PostgresMainLongJmp(): void
  _PostgresSendReadyForQueryIfNecessary(): void
  _pgl_setPGliteExitStatus(status: number): number
}

/** Code of a message type. @see PostgreSQL, "Message Formats" */
const messageType = (text: string) => text.charCodeAt(0)
const terminate = messageType('X')
/** The first message of a connection has no type; it starts with its length, and so with a zero byte. */
const startup = 0
/** Message type and length. */
const headerBytes = 5
/** ReadyForQuery without its last byte, the transaction status. */
const readyForQuery = [messageType('Z'), 0, 0, 0, 5]
/** Parse, Bind, Describe, Execute, Close, Flush: after an error PostgreSQL skips them until Sync. */
const extended = new Set([...'PBDECH'].map(messageType))

/** PGlite's exit status after an error that PostgreSQL recovers from with a long jump. */
const longJump = 100

/** Size of the output buffer, in bytes. */
const outputBytes = 64 * 1024

/**
 * PostgreSQL backend that speaks the wire protocol over a link. Its thread sleeps while it has no message and while its
 * output is not read, like a server process. So COPY streams in both directions, and any client works.
 *
 * PGlite's own calls execute one message each, with all data in memory. This loop does what `execProtocolRawSync` does
 * internally, with blocking callbacks.
 */
export class Backend {
  readonly #module: Module
  readonly #link: WorkerEnd
  /** Input not yet read by the database; may end within a message. */
  #input: Uint8Array = new Uint8Array(0)
  /** Type of the message that the database reads, and the number of its bytes left. */
  #type = 0
  #left = 0
  #output = new Uint8Array(outputBytes)
  #outputLength = 0

  constructor(pglite: PGlite, link: WorkerEnd) {
    this.#module = pglite.Module as unknown as Module
    this.#link = link
    const read = this.#module.addFunction((pointer, length) => this.#read(pointer, length), 'iii')
    const write = this.#module.addFunction((pointer, length) => this.#write(pointer, length), 'iii')
    this.#module._pgl_set_rw_cbs(read, write)
  }

  /** Serves the client until it sends Terminate. Throws errors that the database cannot recover from. */
  serve(): void {
    for (;;) {
      this.#nextMessage()
      if (this.#type === terminate) return
      if (this.#type === startup) this.#startSession()
      else this.#answer()
    }
  }

  /**
   * Makes the database stop at its next interrupt check if a cancel is requested. Called on every call out of
   * WebAssembly.
   */
  checkCancel(): void {
    if (!this.#link.isCancelRequested()) return
    const { HEAP32, _InterruptPending, _QueryCancelPending } = this.#module
    HEAP32[_QueryCancelPending >> 2] = 1
    HEAP32[_InterruptPending >> 2] = 1
  }

  #startSession(): void {
    this.#module._ProcessStartupPacket(this.#module._pgl_getMyProcPort(), true, true)
    this.#module._pgl_sendConnData()
    this.#module._pgl_pq_flush()
  }

  #answer(): void {
    const module = this.#module
    while (this.#left > 0 || module._pq_buffer_remaining_data() > 0)
      this.#recover(() => module._PostgresMainLoopOnce())
    // Before it is ready, the database delivers notifications, which a cancel may interrupt.
    while (!this.#recover(() => module._PostgresSendReadyForQueryIfNecessary()));
    if (this.#input.length === 0) module._pgl_pq_flush()
  }

  /** Runs a part of the main loop; returns false after an error that PostgreSQL has recovered from. */
  #recover(part: () => void): boolean {
    const { ___stack_pointer: stack } = this.#module
    const top = stack.value
    try {
      part()
      return true
    } catch (error) {
      if (this.#module._pgl_setPGliteExitStatus(-2) !== longJump) throw error
      // The exception left the stack of the failed calls in use: after two thousand errors it would be full.
      stack.value = top
      this.#module._PostgresMainLongJmp()
      return false
    }
  }

  #nextMessage(): void {
    while (this.#input.length < headerBytes) this.#receive()
    const view = new DataView(this.#input.buffer, this.#input.byteOffset)
    this.#type = view.getUint8(0)
    // Only the first message of a connection has no type.
    this.#left = this.#type === startup ? view.getUint32(0) : 1 + view.getUint32(1)
  }

  #receive(): void {
    this.#flush()
    const more = this.#link.read()
    this.#input = this.#input.length === 0 ? more : Buffer.concat([this.#input, more])
  }

  #read(pointer: number, length: number): number {
    // Only during COPY, which reads messages without returning to the loop.
    if (this.#left === 0) this.#nextMessage()
    if (this.#input.length === 0) this.#receive()
    this.checkCancel()
    const part = this.#input.subarray(0, Math.min(length, this.#left))
    this.#module.HEAPU8.set(part, pointer)
    this.#input = this.#input.subarray(part.length)
    this.#left -= part.length
    return part.length
  }

  #write(pointer: number, length: number): number {
    this.checkCancel()
    const bytes = this.#module.HEAPU8.subarray(pointer, pointer + length)
    if (this.#isSurplus(bytes)) return length
    if (this.#outputLength + length > this.#output.length) this.#flush()
    if (length > this.#output.length) this.#link.write(bytes.slice())
    else {
      this.#output.set(bytes, this.#outputLength)
      this.#outputLength += length
    }
    return length
  }

  // After an error in an extended-query message, PGlite sends ReadyForQuery, which it sends again on Sync.
  #isSurplus(bytes: Uint8Array): boolean {
    return (
      bytes.length === readyForQuery.length + 1 &&
      extended.has(this.#type) &&
      readyForQuery.every((byte, at) => bytes[at] === byte)
    )
  }

  #flush(): void {
    if (this.#outputLength === 0) return
    this.#link.write(this.#output.slice(0, this.#outputLength))
    this.#outputLength = 0
  }
}
