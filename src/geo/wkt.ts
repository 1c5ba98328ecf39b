import { geometryTypeOf } from '../contract/geometry.ts'
import { type Geometry, positionSize, type Sequence } from './geometry.ts'

/**
 * Writes Well-Known Text: the type in capitals, each number as the shortest text that reads back the same.
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

// Minus zero has no place in WKT that all readers agree on.
const formatNumber = (value: number) => String(value === 0 ? 0 : value)
