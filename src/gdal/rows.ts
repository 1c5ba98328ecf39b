import { bytesOf } from '../core/bytes.ts'
import { copyHeader, copyTrailer } from '../core/copy_rows.ts'
import type { Sink } from './ewkb.ts'
import { frameHeaderBytes, writeFrameHeader } from './frame.ts'
import { isField, type RowPlan, rowRoom, writeRow } from './row.ts'
import { eachGoodFeature, type Features } from './survey.ts'

/** Takes frames; the promise is kept once the bytes may be used again. */
export interface RowSender {
  /** About how many bytes a frame is to have. */
  readonly frameBytes: number
  rows(frame: Buffer): Promise<void>
}

/**
 * Sends the features that can be loaded, in frames that are a binary COPY each. One frame is written while the one
 * before it is on its way.
 */
export async function sendRows(
  features: Features,
  target: Omit<RowPlan, 'fieldCount'>,
  sender: RowSender,
): Promise<void> {
  const fieldCount = target.columns.filter(({ use }) => isField(use)).length
  const plan: RowPlan = { ...target, fieldCount }
  const { frameBytes } = sender
  let sink = startFrame(Buffer.allocUnsafe(frameBytes))
  let spare: Buffer = Buffer.allocUnsafe(frameBytes)
  let sending: Promise<void> = Promise.resolve()
  let id = 0
  let rows = 0
  const send = async () => {
    const frame = endFrame(sink)
    await sending
    const used = sink.bytes
    sending = sender.rows(frame)
    sink = startFrame(spare)
    spare = used
    rows = 0
  }
  for (const { feature, shape } of eachGoodFeature(features)) {
    const room = rowRoom(feature, shape, plan) + copyTrailer.length
    if (rows > 0 && sink.at + room > sink.bytes.length) await send()
    if (sink.at + room > sink.bytes.length) sink = startFrame(Buffer.allocUnsafe(sink.at + room))
    id += 1
    rows += 1
    writeRow(sink, { feature, shape, id }, plan)
  }
  if (rows > 0) await send()
  await sending
}

function startFrame(bytes: Buffer): Sink {
  copyHeader.copy(bytes, frameHeaderBytes)
  return { ...bytesOf(bytes), at: frameHeaderBytes + copyHeader.length }
}

function endFrame(sink: Sink): Buffer {
  sink.at += copyTrailer.copy(sink.bytes, sink.at)
  writeFrameHeader(sink.bytes, 'rows', sink.at - frameHeaderBytes)
  return sink.bytes.subarray(0, sink.at)
}
