import { crc32, createDeflateRaw } from 'node:zlib'
import { pipeThrough } from './pipe_through.ts'

/** A file to add to an archive. */
export interface PackedFile {
  readonly name: string
  readonly content: AsyncIterable<Uint8Array>
  /** Size, if known in advance. */
  readonly sizeBytes?: number
}

/** Sizes and offsets from this value on require Zip64 fields. */
const zip64From = 0xffff_ffff

/** Sizes and checksums follow the content; names are UTF-8. */
const flags = 0x0808
const deflated = 8
const zipVersion = 20
const zip64Version = 45
const level = 4

interface Entry {
  readonly name: Buffer
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  readonly offset: number
}

/**
 * Packs files into a streamed zip archive (Zip64 if necessary), without knowing their sizes in advance.
 *
 * @see APPNOTE.TXT 6.3, clauses 4.3 and 4.5.3
 */
export async function* zip(files: Iterable<PackedFile>): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = []
  let offset = 0
  for (const { name, content } of files) {
    const entryName = Buffer.from(name)
    const head = localHeader(entryName)
    yield head
    const sizes = { crc: 0, packedBytes: 0, bytes: 0 }
    for await (const chunk of pipeThrough(countBytes(content, sizes), createDeflateRaw({ level }))) {
      sizes.packedBytes += chunk.length
      yield chunk
    }
    const entry = { ...sizes, name: entryName, offset }
    const tail = descriptor(entry)
    yield tail
    entries.push(entry)
    offset += head.length + entry.packedBytes + tail.length
  }
  yield directory(entries, offset)
}

async function* countBytes(
  content: AsyncIterable<Uint8Array>,
  sizes: { crc: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    sizes.crc = crc32(chunk, sizes.crc)
    sizes.bytes += chunk.length
    yield chunk
  }
}

// 1980-01-01: archives with equal content are equal.
const date = (1 << 5) | 1

function localHeader(name: Buffer): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(zipVersion, 4)
  head.writeUInt16LE(flags, 6)
  head.writeUInt16LE(deflated, 8)
  head.writeUInt16LE(date, 12)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, name])
}

function descriptor({ crc, packedBytes, bytes }: Entry): Buffer {
  const isZip64 = Math.max(packedBytes, bytes) >= zip64From
  const tail = Buffer.alloc(isZip64 ? 24 : 16)
  tail.writeUInt32LE(0x08074b50, 0)
  tail.writeUInt32LE(crc, 4)
  if (isZip64) {
    tail.writeBigUInt64LE(BigInt(packedBytes), 8)
    tail.writeBigUInt64LE(BigInt(bytes), 16)
  } else {
    tail.writeUInt32LE(packedBytes, 8)
    tail.writeUInt32LE(bytes, 12)
  }
  return tail
}

function directory(entries: readonly Entry[], offset: number): Buffer {
  const records = Buffer.concat(entries.map(directoryRecord))
  const isZip64 = offset + records.length >= zip64From
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(Math.min(records.length, zip64From), 12)
  end.writeUInt32LE(Math.min(offset, zip64From), 16)
  const zip64End = isZip64
    ? zip64DirectoryEnd(entries.length, { offset, length: records.length })
    : Buffer.of()
  return Buffer.concat([records, zip64End, end])
}

function directoryRecord({ name, crc, packedBytes, bytes, offset }: Entry): Buffer {
  const isZip64 = Math.max(packedBytes, bytes, offset) >= zip64From
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(isZip64 ? zip64Version : zipVersion, 4)
  record.writeUInt16LE(isZip64 ? zip64Version : zipVersion, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(deflated, 10)
  record.writeUInt16LE(date, 14)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(isZip64 ? zip64From : packedBytes, 20)
  record.writeUInt32LE(isZip64 ? zip64From : bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(isZip64 ? 28 : 0, 30)
  record.writeUInt32LE(isZip64 ? zip64From : offset, 42)
  return Buffer.concat([record, name, isZip64 ? zip64Sizes([bytes, packedBytes, offset]) : Buffer.of()])
}

function zip64Sizes(sizes: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * sizes.length)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8 * sizes.length, 2)
  for (const [at, size] of sizes.entries()) extra.writeBigUInt64LE(BigInt(size), 4 + 8 * at)
  return extra
}

function zip64DirectoryEnd(count: number, { offset, length }: { offset: number; length: number }): Buffer {
  const end = Buffer.alloc(76)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(zip64Version, 12)
  end.writeUInt16LE(zip64Version, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(length), 40)
  end.writeBigUInt64LE(BigInt(offset), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(offset + length), 64)
  end.writeUInt32LE(1, 72)
  return end
}
