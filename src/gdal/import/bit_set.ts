/** Set of integers that stores one bit each, so that millions of them need little memory. */
export interface BitSet {
  add(number: number): void
  has(number: number): boolean
}

/** Creates an empty set. */
export function createBitSet(): BitSet {
  let bits = new Uint8Array(1024)
  return {
    add(number) {
      const at = number >>> 3
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(2 * bits.length, at + 1))
        larger.set(bits)
        bits = larger
      }
      bits[at] = (bits[at] ?? 0) | (1 << (number & 7))
    },
    has: (number) => ((bits[number >>> 3] ?? 0) & (1 << (number & 7))) !== 0,
  }
}
