import { createHash } from 'node:crypto'
import type { DrawnImage } from '../../render/image/draw_job.ts'

const digestBytes = 32

/** Encodes a tile: a digest of its name and what follows, 1 if nothing was drawn, the image. */
export function encodeTile(name: string, { bytes, isEmpty }: DrawnImage): Buffer {
  const content = Buffer.concat([Buffer.of(isEmpty ? 1 : 0), bytes])
  return Buffer.concat([digestOf(name, content), content])
}

/** Decodes a tile; undefined if the file is not whole, or of another name. */
export function decodeTile(name: string, file: Uint8Array): DrawnImage | undefined {
  const content = file.subarray(digestBytes)
  if (content.length < 2 || !digestOf(name, content).equals(file.subarray(0, digestBytes))) return undefined
  return { bytes: new Uint8Array(content.subarray(1)), isEmpty: content[0] === 1 }
}

function digestOf(name: string, content: Uint8Array): Buffer {
  return createHash('sha256').update(name).update(content).digest()
}
