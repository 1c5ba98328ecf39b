import { closeSync, openSync, readSync, renameSync } from 'node:fs'
import { type CopyRow, readCopyRows } from '../../core/copy_rows.ts'
import { GrowingBytes } from '../../core/growing_bytes.ts'
import { emptyBbox } from '../../geo/bbox.ts'
import { writeAll } from '../runner/write_all.ts'
import { type FlatTarget, writeFlatFeature, writeFlatHeader } from './feature_writer.ts'
import { FlatItems, nodeSize, sortByHilbert, writeIndex } from './spatial_index.ts'

/** Rows, and a callback for progress. */
export interface Rows {
  readonly rows: AsyncIterable<Uint8Array>
  tick(): void
}

/** A file to write. */
export interface FlatFile extends Rows, FlatTarget {
  readonly path: string
  /** Called for each row before it is written. */
  readonly onRow?: ((row: CopyRow) => void) | undefined
}

const chunkBytes = 1 << 20

/** Maximum bytes of features that are sorted in memory at a time. */
const batchBytes = 32 << 20

/**
 * Writes a FlatGeobuf file without an index, with the features in their original order.
 *
 * @param items collects the features that have a geometry
 */
export async function writeFlat(file: FlatFile, items?: FlatItems): Promise<void> {
  await writeFeatures(file, items)
}

/**
 * Writes a FlatGeobuf file with a spatial index. The index precedes the features, so these are first written to an
 * intermediate file. A file with null geometries gets no index, since readers would skip those features.
 *
 * @param unsortedPath path of the intermediate file
 */
export async function writeFlatIndexed(file: FlatFile, unsortedPath: string): Promise<void> {
  const items = new FlatItems()
  const { nullCount, headerBytes } = await writeFeatures({ ...file, path: unsortedPath }, items)
  if (nullCount > 0 || items.count === 0) renameSync(unsortedPath, file.path)
  else await writeSorted(file, { unsortedPath, items, headerBytes })
}

/** Writes header and features; returns the size of the header and the number of null geometries. */
async function writeFeatures({ path, rows, tick, onRow, ...target }: FlatFile, items: FlatItems | undefined) {
  const { columns } = target
  const file = openSync(path, 'wx')
  const sink = new GrowingBytes(2 * chunkBytes)
  let written = 0
  let nullCount = 0
  const flush = () => {
    writeAll(file, sink.bytes.subarray(0, sink.at))
    written += sink.at
    sink.at = 0
    tick()
  }
  try {
    writeFlatHeader(sink, target)
    const headerBytes = sink.at
    await readCopyRows(rows, (row) => {
      onRow?.(row)
      const box = emptyBbox()
      // The id follows its length. It is read here, since writing consumes the row.
      const id = row.view.getBigInt64(row.at + 4)
      const hasGeometry = writeFlatFeature(sink, row, { columns, ...(items && { bounds: box }) })
      if (hasGeometry) items?.add({ id, box, end: written + sink.at - headerBytes })
      else nullCount += 1
      if (sink.at > chunkBytes) flush()
    })
    flush()
    return { nullCount, headerBytes }
  } finally {
    closeSync(file)
  }
}

interface UnsortedFile {
  readonly unsortedPath: string
  readonly items: FlatItems
  /** Size of the header of the intermediate file. */
  readonly headerBytes: number
}

async function writeSorted(
  { path, tick, ...target }: FlatFile,
  { unsortedPath, items, headerBytes }: UnsortedFile,
) {
  const order = sortByHilbert(items)
  const source = openSync(unsortedPath, 'r')
  const file = openSync(path, 'wx')
  try {
    const header = new GrowingBytes(chunkBytes)
    const { count: featureCount, bounds } = items
    writeFlatHeader(header, target, { featureCount, nodeSize, bounds })
    writeAll(file, header.bytes.subarray(0, header.at))
    writeAll(file, writeIndex(items, order))
    for (const batch of batchesOf(order, items)) {
      writeAll(file, readBatch(source, batch, { items, headerBytes }))
      tick()
    }
  } finally {
    closeSync(source)
    closeSync(file)
  }
}

/** Splits an order into batches that fit into memory, of at least one feature each. */
function* batchesOf(order: Uint32Array, items: FlatItems): Generator<Uint32Array> {
  let first = 0
  let bytes = 0
  for (let nth = 0; nth < order.length; nth += 1) {
    const size = items.size(order[nth] ?? 0)
    if (nth > first && bytes + size > batchBytes) {
      yield order.subarray(first, nth)
      first = nth
      bytes = 0
    }
    bytes += size
  }
  yield order.subarray(first)
}

/** Reads features into one buffer in the order of the batch. The file is read sequentially, through a window. */
function readBatch(
  source: number,
  batch: Uint32Array,
  { items, headerBytes }: Omit<UnsortedFile, 'unsortedPath'>,
) {
  const places = new Float64Array(batch.length)
  // Feature and index combined in one float, since floats are sorted numerically.
  const keys = new Float64Array(batch.length)
  let length = 0
  for (let nth = 0; nth < batch.length; nth += 1) {
    const item = batch[nth] ?? 0
    places[nth] = length
    keys[nth] = item * batch.length + nth
    length += items.size(item)
  }
  const target = Buffer.allocUnsafe(length)
  const window = Buffer.allocUnsafe(chunkBytes)
  let windowStart = 0
  let windowEnd = 0
  for (const key of keys.sort()) {
    const item = Math.floor(key / batch.length)
    const place = places[key % batch.length] ?? 0
    const start = headerBytes + items.start(item)
    const size = items.size(item)
    if (size > window.length) {
      readFully(source, target.subarray(place, place + size), start)
      continue
    }
    if (start < windowStart || start + size > windowEnd) {
      windowStart = start
      windowEnd = start + readSync(source, window, 0, window.length, start)
    }
    window.copy(target, place, start - windowStart, start - windowStart + size)
  }
  return target
}

function readFully(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, position + at)
    if (read === 0) throw new Error('the intermediate file is truncated')
    at += read
  }
}
