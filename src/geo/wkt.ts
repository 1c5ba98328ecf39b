import { geometryTypeOf } from '../contract/geometry.ts'
import { type Geometry, positionSize, type Sequence } from './geometry.ts'

/**
 * Formats a geometry as Well-Known Text: the type in capitals, numbers in the shortest form without loss.
 * @see OGC 06-103r4 clause 7
 */
export function formatWkt({ family, isMulti, hasZ, parts }: Geometry): string {
  const type = geometryTypeOf({ family, isMulti, hasZ: false })
  const head = hasZ ? `${type} Z ` : type
  if (parts.length === 0) return `${hasZ ? head : `${head} `}EMPTY`
  const size = positionSize(hasZ)
  const texts = parts.map((part) => {
    const sequences = part.map((sequence) => formatSequence(sequence, size))
    return family === 'POLYGON' ? `(${sequences.join(',')})` : sequences.join('')
  })
  return isMulti ? `${head}(${texts.join(',')})` : `${head}${texts.join('')}`
}

/** Formats geometries as one, a geometry collection unless there is exactly one. Empty members are left out. */
export function formatWktMembers(geometries: readonly Geometry[]): string {
  const [only, ...more] = geometries
  if (only !== undefined && more.length === 0) return formatWkt(only)
  const members = geometries.filter(({ parts }) => parts.length > 0)
  if (members.length === 0) return 'GEOMETRYCOLLECTION EMPTY'
  const mark = members.some(({ hasZ }) => hasZ) ? ' Z ' : ''
  return `GEOMETRYCOLLECTION${mark}(${members.map(formatWkt).join(',')})`
}

function formatSequence(sequence: Sequence, size: number): string {
  const positions: string[] = []
  for (let at = 0; at < sequence.length; at += size)
    positions.push(
      sequence
        .slice(at, at + size)
        .map(formatNumber)
        .join(' '),
    )
  return `(${positions.join(',')})`
}

// Not every reader accepts a negative zero.
const formatNumber = (value: number) => String(value === 0 ? 0 : value)
