import { crc32, deflateRawSync } from 'node:zlib'

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array | string
  /** POSIX type and permissions. @default a regular file */
  readonly mode?: number
  /** Size declared in the directory. @default the actual size */
  readonly claimedSize?: number
}

/** Creates a zip archive; names, modes and sizes may be invalid. @see APPNOTE.TXT 6.3 */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const local = localEntry(entry)
    parts.push(local)
    directory.push(directoryEntry(entry, offset))
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, list, end])
}

function facts({ content, claimedSize }: ZipEntry): { packed: Buffer; sizes: Buffer } {
  const bytes = Buffer.from(content)
  const packed = deflateRawSync(bytes)
  const sizes = Buffer.alloc(12)
  sizes.writeUInt32LE(crc32(bytes), 0)
  sizes.writeUInt32LE(packed.length, 4)
  sizes.writeUInt32LE(claimedSize ?? bytes.length, 8)
  return { packed, sizes }
}

const utf8Names = 0x0800
const deflated = 8

function localEntry(entry: ZipEntry): Buffer {
  const { packed, sizes } = facts(entry)
  const name = Buffer.from(entry.name)
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(utf8Names, 6)
  head.writeUInt16LE(deflated, 8)
  sizes.copy(head, 14)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, name, packed])
}

function directoryEntry(entry: ZipEntry, offset: number): Buffer {
  const { sizes } = facts(entry)
  const name = Buffer.from(entry.name)
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE((3 << 8) | 20, 4)
  head.writeUInt16LE(20, 6)
  head.writeUInt16LE(utf8Names, 8)
  head.writeUInt16LE(deflated, 10)
  sizes.copy(head, 16)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38)
  head.writeUInt32LE(offset, 42)
  return Buffer.concat([head, name])
}
