import { geometryTypeOf } from '../contract/geometry.ts'
import type { Geometry, Part, Position, Sequence } from './geometry.ts'

/**
 * Writes Well-Known Text: the type in capitals, each number as the shortest text that reads back the same.
 * @see OGC 06-103r4 clause 7
 */
export function formatWkt({ family, isMulti, hasZ, parts }: Geometry): string {
  const type = geometryTypeOf({ family, isMulti, hasZ: false })
  const head = hasZ ? `${type} Z ` : type
  if (parts.length === 0) return `${hasZ ? head : `${head} `}EMPTY`
  const inner = family === 'POLYGON' ? formatRings : formatFirst
  return isMulti ? `${head}(${parts.map(inner).join(',')})` : `${head}${parts.map(inner).join('')}`
}

const formatRings = (part: Part) => `(${part.map(formatSequence).join(',')})`

const formatFirst = (part: Part) => part.map(formatSequence).join('')

const formatSequence = (sequence: Sequence) => `(${sequence.map(formatPosition).join(',')})`

const formatPosition = (position: Position) => position.map(formatNumber).join(' ')

// Minus zero has no place in WKT that all readers agree on.
const formatNumber = (value: number) => String(value === 0 ? 0 : value)
