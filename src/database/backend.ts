import type { PGlite } from '@electric-sql/pglite'
import type { WorkerEnd } from './link.ts'

/** What we call in PGlite's WebAssembly module: PostgreSQL's own loop, one message at a time. */
interface Module {
  readonly HEAPU8: Uint8Array
  readonly HEAP32: Int32Array
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

/** Letters of the messages of the protocol. @see PostgreSQL, "Message Formats" */
const letter = (text: string) => text.charCodeAt(0)
const terminate = letter('X')
/** The first message of a connection begins with its length, and so with a zero. */
const startup = 0
/** A letter and a length. */
const headerBytes = 5
/** ReadyForQuery up to its last byte, the state of the transaction. */
const readyForQuery = [letter('Z'), 0, 0, 0, 5]
/** Parse, Bind, Describe, Execute, Close, Flush: after a fault the database skips them until Sync. */
const extended = new Set([...'PBDECH'].map(letter))

/** PGlite's exit status after an error that PostgreSQL would recover from by a long jump. */
const longJump = 100

/** Bytes gathered before they are given to the reader. */
const outputBytes = 64 * 1024

/**
 * PostgreSQL's backend, speaking its own protocol over a link: its thread sleeps while there is nothing to do and while
 * nobody reads, as the process of a server does. So COPY streams both ways, and any client of the protocol works.
 *
 * PGlite's own calls answer each message apart, with data whole in memory. This loop does what they do inside
 * (`execProtocolRawSync`), with callbacks that block.
 */
export class Backend {
  readonly #module: Module
  readonly #link: WorkerEnd
  /** What came from the client and is not read yet, cut anywhere. */
  #input: Uint8Array = new Uint8Array(0)
  /** The message that the database is reading: its letter, and how many of its bytes are left. */
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

  /** Serves the client until it says goodbye. Throws what breaks the database for good. */
  serve(): void {
    for (;;) {
      this.#nextMessage()
      if (this.#type === terminate) return
      if (this.#type === startup) this.#greet()
      else this.#answer()
    }
  }

  /** Makes the database stop at its next safe point when that is wanted. Called wherever WebAssembly calls out. */
  checkCancel(): void {
    if (!this.#link.isCancelRequested()) return
    const { HEAP32, _InterruptPending, _QueryCancelPending } = this.#module
    HEAP32[_QueryCancelPending >> 2] = 1
    HEAP32[_InterruptPending >> 2] = 1
  }

  #greet(): void {
    this.#module._ProcessStartupPacket(this.#module._pgl_getMyProcPort(), true, true)
    this.#module._pgl_sendConnData()
    this.#module._pgl_pq_flush()
  }

  #answer(): void {
    const module = this.#module
    while (this.#left > 0 || module._pq_buffer_remaining_data() > 0) this.#loopOnce()
    module._PostgresSendReadyForQueryIfNecessary()
    if (this.#input.length === 0) module._pgl_pq_flush()
  }

  #loopOnce(): void {
    try {
      this.#module._PostgresMainLoopOnce()
    } catch (error) {
      if (this.#module._pgl_setPGliteExitStatus(-2) !== longJump) throw error
      this.#module._PostgresMainLongJmp()
    }
  }

  #nextMessage(): void {
    while (this.#input.length < headerBytes) this.#receive()
    const view = new DataView(this.#input.buffer, this.#input.byteOffset)
    this.#type = view.getUint8(0)
    // Only the first message of a connection has no letter.
    this.#left = this.#type === startup ? view.getUint32(0) : 1 + view.getUint32(1)
  }

  #receive(): void {
    this.#flush()
    const more = this.#link.read()
    this.#input = this.#input.length === 0 ? more : Buffer.concat([this.#input, more])
  }

  #read(pointer: number, length: number): number {
    // Inside a copy, which reads on without coming back to the loop.
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

  // After a fault in an extended message, PGlite says that it is ready: once too often, for Sync says it again.
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
