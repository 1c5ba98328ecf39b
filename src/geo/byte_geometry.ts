import { type Bytes, bytesOf } from '../core/bytes.ts'
import type { Geometry, Sequence } from './geometry.ts'

/**
 * A `Sequence` where it stands in bytes, as little-endian doubles. Imports and exports have millions of them: taken out
 * as numbers, each position would cost as much as all else that is done with it.
 */
export interface ByteSequence {
  readonly data: Bytes
  /** Where x of the first position stands; y follows it. */
  readonly at: number
  /** Bytes from one x to the next. */
  readonly step: number
  /** Where z of the first position stands; -1 where there is none. */
  readonly zAt: number
  readonly zStep: number
  /** Number of positions. */
  readonly count: number
  /** Whether the first position is to be repeated at the end. */
  readonly isOpen: boolean
}

/** A geometry that layers take, in place in bytes. */
export type ByteGeometry = Geometry<ByteSequence>

/** Geometries of any families that came as one; collections in it are taken apart. */
export interface ByteCollection {
  readonly family: 'COLLECTION'
  readonly members: readonly ByteGeometry[]
}

/** A geometry of a type that layers do not have and that is not made of such: a curve. */
export interface UnsupportedGeometry {
  readonly family: 'UNSUPPORTED'
}

/** Whatever a source holds where a geometry stands. */
export type AnyByteGeometry = ByteGeometry | ByteCollection | UnsupportedGeometry

/** Reads the numbers of a sequence; a sequence without z gets none. */
export function numbersOf({ data: { view }, at, step, zAt, zStep, count, isOpen }: ByteSequence): number[] {
  const numbers: number[] = []
  for (let index = 0; index < count; index++) {
    numbers.push(view.getFloat64(at + index * step, true), view.getFloat64(at + index * step + 8, true))
    if (zAt >= 0) numbers.push(view.getFloat64(zAt + index * zStep, true))
  }
  return isOpen ? [...numbers, ...numbers.slice(0, zAt < 0 ? 2 : 3)] : numbers
}

/** Writes numbers as a sequence, of `size` numbers a position. */
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
