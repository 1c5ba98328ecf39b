import { type Bytes, bytesOf } from '../core/bytes.ts'
import type { Geometry, Sequence } from './geometry.ts'

/**
 * A `Sequence` in place in a byte buffer, as little-endian doubles. Imports and exports process millions of them:
 * extracting the numbers would cost as much as all other processing.
 */
export interface ByteSequence {
  readonly data: Bytes
  /** Offset of x of the first position, followed by y. */
  readonly at: number
  /** Bytes from one x to the next. */
  readonly step: number
  /** Offset of z of the first position; -1 without z. */
  readonly zAt: number
  readonly zStep: number
  /** Number of positions. */
  readonly count: number
  /** Whether the first position has to be repeated at the end. */
  readonly isOpen: boolean
}

/** A geometry supported by layers, in place in a byte buffer. */
export type ByteGeometry = Geometry<ByteSequence>

/** A geometry collection; nested collections are flattened. */
export interface ByteCollection {
  readonly family: 'COLLECTION'
  readonly members: readonly ByteGeometry[]
}

/** A geometry of a type that layers do not support, such as a curve. */
export interface UnsupportedGeometry {
  readonly family: 'UNSUPPORTED'
}

/** Any geometry of a source. */
export type AnyByteGeometry = ByteGeometry | ByteCollection | UnsupportedGeometry

/** Reads the numbers of a sequence: two or three per position. */
export function numbersOf({ data: { view }, at, step, zAt, zStep, count, isOpen }: ByteSequence): number[] {
  const numbers: number[] = []
  for (let index = 0; index < count; index++) {
    numbers.push(view.getFloat64(at + index * step, true), view.getFloat64(at + index * step + 8, true))
    if (zAt >= 0) numbers.push(view.getFloat64(zAt + index * zStep, true))
  }
  return isOpen ? [...numbers, ...numbers.slice(0, zAt < 0 ? 2 : 3)] : numbers
}

/** Writes numbers as a sequence with `size` numbers per position. */
export function byteSequenceOf(numbers: Sequence, size: 2 | 3): ByteSequence {
  const data = bytesOf(Buffer.allocUnsafe(8 * numbers.length))
  for (const [at, value] of numbers.entries()) data.view.setFloat64(8 * at, value, true)
  const step = 8 * size
  const zAt = size === 3 ? 16 : -1
  return { data, at: 0, step, zAt, zStep: step, count: numbers.length / size, isOpen: false }
}

/** Returns whether any position has a z other than 0. */
export function hasHeight({ parts }: ByteGeometry): boolean {
  return parts.some((part) => part.some(sequenceHasHeight))
}

function sequenceHasHeight({ data, zAt, zStep, count }: ByteSequence): boolean {
  if (zAt < 0) return false
  for (let index = 0; index < count; index++)
    if (data.view.getFloat64(zAt + index * zStep, true) !== 0) return true
  return false
}
