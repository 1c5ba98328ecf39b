/** Memory that was given back, the latest last. */
const spare: Uint8Array<ArrayBuffer>[] = []

/** Enough for the surfaces, planes and rows of a tile. */
const maxSpare = 8

/** Larger memory is rare, and is left to the garbage collector. */
const maxSpareBytes = 2 ** 20

/**
 * Returns zeroed memory of exactly this length. What is given back is taken again: memory that is new for each tile keeps the
 * garbage collector busier than all objects of drawing do.
 */
export function takeBytes(length: number): Uint8Array<ArrayBuffer> {
  const at = spare.findLastIndex((one) => one.length === length)
  const known = at < 0 ? undefined : spare.splice(at, 1)[0]
  return known?.fill(0) ?? new Uint8Array(length)
}

/** Gives back all memory of a buffer, which must not be used any more, nor have left the thread. */
export function giveBytes({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength > maxSpareBytes || spare.some((one) => one.buffer === buffer)) return
  if (spare.push(new Uint8Array(buffer)) > maxSpare) spare.shift()
}
