import { createHash } from 'node:crypto'
import type { DrawnImage } from '../../render/image/draw_job.ts'
import type { TileData } from '../map/tile_data.ts'

/** A drawn tile, and what it was made of. */
export interface StoredTile {
  readonly tile: DrawnImage
  readonly data: readonly TileData[]
}

const digestBytes = 32

/** Flag of an empty tile, and the number of bytes of what the tile was made of. */
const headBytes = 5

/**
 * Encodes a tile: a digest of its name and what follows, 1 if nothing was drawn, the length of the JSON of what it was made of,
 * the JSON, the image.
 */
export function encodeTile(name: string, { tile: { bytes, isEmpty }, data }: StoredTile): Buffer {
  const made = Buffer.from(JSON.stringify(data))
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(isEmpty ? 1 : 0, 0)
  head.writeUInt32LE(made.length, 1)
  const content = Buffer.concat([head, made, bytes])
  return Buffer.concat([digestOf(name, content), content])
}

/** Decodes a tile; undefined if the file is not whole, or of another name. */
export function decodeTile(name: string, file: Buffer): StoredTile | undefined {
  const content = file.subarray(digestBytes)
  if (content.length <= headBytes || !digestOf(name, content).equals(file.subarray(0, digestBytes)))
    return undefined
  const end = headBytes + content.readUInt32LE(1)
  const data = JSON.parse(content.toString('utf8', headBytes, end)) as readonly TileData[]
  return { tile: { bytes: new Uint8Array(content.subarray(end)), isEmpty: content[0] === 1 }, data }
}

function digestOf(name: string, content: Uint8Array): Buffer {
  return createHash('sha256').update(name).update(content).digest()
}
