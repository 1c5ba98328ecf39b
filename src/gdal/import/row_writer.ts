import { setImmediate } from 'node:timers/promises'
import { bytesOf } from '../../core/bytes.ts'
import { copyHeader, copyTrailer } from '../../core/copy_rows.ts'
import type { ByteSink } from '../../geo/wkb.ts'
import { frameHeaderBytes, writeFrameHeader } from '../runner/frame.ts'
import { isField, type RowPlan, rowRoom, writeRow } from './copy_row.ts'
import type { GoodFeature } from './feature_scan.ts'

/** Sends frames; the promise resolves when the buffer may be reused. */
export interface RowSender {
  /** Approximate size of a frame. */
  readonly frameBytes: number
  rows(frame: Buffer): Promise<void>
}

/** Layout of the rows. */
export type RowTarget = Omit<RowPlan, 'fieldCount' | 'filled'>

/** Writes features as rows, and sends them. */
export interface RowWriter {
  /** By column, whether a row had a value in it. */
  readonly filled: RowPlan['filled']
  /** Adds the next feature; returns a promise if the caller has to wait for space. */
  add(good: GoodFeature): Promise<void> | undefined
  /** Sends the remaining rows. */
  end(): Promise<void>
}

/** Amount of data after which to yield to the event loop, so that the socket can be written. */
const turnBytes = 128 << 10

/**
 * Sends features in frames that are complete binary COPY streams. A frame is filled while the previous one is being
 * sent.
 */
export function startRows(target: RowTarget, sender: RowSender): RowWriter {
  const fieldCount = target.columns.filter(({ use }) => isField(use)).length
  const filled = new Uint8Array(target.columns.length)
  const plan: RowPlan = { ...target, fieldCount, filled }
  const { frameBytes } = sender
  let sink = startFrame(Buffer.allocUnsafe(frameBytes))
  let spare: Buffer = Buffer.allocUnsafe(frameBytes)
  let sending: Promise<void> = Promise.resolve()
  let turnAt = turnBytes
  let id = 0
  let rows = 0
  const send = async () => {
    const frame = endFrame(sink)
    await sending
    const used = sink.bytes
    sending = sender.rows(frame)
    // Awaited below, where the error is thrown.
    sending.catch(() => undefined)
    sink = startFrame(spare)
    spare = used
    rows = 0
    turnAt = turnBytes
  }
  const write = ({ feature, geometry }: GoodFeature, room: number) => {
    if (sink.at + room > sink.bytes.length) sink = startFrame(Buffer.allocUnsafe(sink.at + room))
    id += 1
    rows += 1
    writeRow(sink, { feature, geometry, id }, plan)
  }
  return {
    filled,
    add(good) {
      const room = rowRoom(good.feature, good.geometry, plan) + copyTrailer.length
      if (rows > 0 && sink.at + room > sink.bytes.length) return send().then(() => write(good, room))
      write(good, room)
      if (sink.at < turnAt) return undefined
      turnAt = sink.at + turnBytes
      return setImmediate()
    },
    async end() {
      if (rows > 0) await send()
      await sending
    },
  }
}

function startFrame(bytes: Buffer): ByteSink {
  copyHeader.copy(bytes, frameHeaderBytes)
  return { ...bytesOf(bytes), at: frameHeaderBytes + copyHeader.length }
}

function endFrame(sink: ByteSink): Buffer {
  sink.at += copyTrailer.copy(sink.bytes, sink.at)
  writeFrameHeader(sink.bytes, 'rows', sink.at - frameHeaderBytes)
  return sink.bytes.subarray(0, sink.at)
}
