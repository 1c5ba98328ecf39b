import { setImmediate } from 'node:timers/promises'
import { bytesOf } from '../../core/bytes.ts'
import { copyHeader, copyTrailer } from '../../core/copy_rows.ts'
import type { ByteSink } from '../../geo/wkb.ts'
import { frameHeaderBytes, writeFrameHeader } from '../runner/frame.ts'
import { isField, type RowPlan, rowRoom, writeRow } from './copy_row.ts'
import type { GoodFeature } from './feature_scan.ts'

/** Takes frames; the promise is kept once the bytes may be used again. */
export interface RowSender {
  /** About how many bytes a frame is to have. */
  readonly frameBytes: number
  rows(frame: Buffer): Promise<void>
}

/** What rows are made for. */
export type RowTarget = Omit<RowPlan, 'fieldCount'>

/** Makes rows of features, and sends them. */
export interface RowWriter {
  /** Takes the next feature; gives a promise where it is to be waited for until there is room for another. */
  add(good: GoodFeature): Promise<void> | undefined
  /** Sends what was not sent yet. */
  end(): Promise<void>
}

/** A socket takes no more than this at a time, and asks for more only where others get their turns. */
const turnBytes = 128 << 10

/**
 * Sends the features that it is given, in frames that are a binary COPY each. One frame is written while the one before
 * it is on its way.
 */
export function startRows(target: RowTarget, sender: RowSender): RowWriter {
  const fieldCount = target.columns.filter(({ use }) => isField(use)).length
  const plan: RowPlan = { ...target, fieldCount }
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
    // Waited for further down, where it is the fault of whoever waits.
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
