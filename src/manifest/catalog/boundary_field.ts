import { problems } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { Problem } from '../../core/problem.ts'
import { catchProblem } from '../../core/problem.ts'
import type { Span } from '../../core/span.ts'
import { spanOfRange } from '../../document/line_starts.ts'
import { nearestNode } from '../../document/yaml_node.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { boundaryOf, boundaryText, formatBox, parseBoundary } from '../../geo/boundary.ts'
import { parseGeojsonGeometry } from '../../geo/geojson.ts'
import { formatWkt } from '../../geo/wkt.ts'
import { blockIssue, type PlacedBlock } from '../manifest_block.ts'

const pointer = '/boundary'

/** Checks the boundary of a block. A fault in WKT on one line has its span in the file. */
export function checkBoundary(block: PlacedBlock): Issue[] {
  const { boundary } = block.value
  if (!isBoundary(boundary)) return []
  const fault = catchProblem(() => readBoundary(boundary))
  return fault === undefined ? [] : [issueOf(block, fault)]
}

/** Converts a boundary of a manifest to WKT; WKT stays as it is. */
export function writeBoundary(boundary: unknown): unknown {
  if (!isBoundary(boundary)) return boundary
  if (typeof boundary === 'string') return boundaryText(boundary)
  return isBox(boundary) ? formatBox(boundary) : formatWkt(parseGeojsonGeometry(boundary))
}

type Boundary = string | Bbox | { readonly coordinates: readonly unknown[] }

// Other values violate the schema.
function isBoundary(value: unknown): value is Boundary {
  if (Array.isArray(value)) return value.length === 4 && value.every((one) => typeof one === 'number')
  if (typeof value === 'string') return value !== ''
  const { type, coordinates } = (value ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown }
  return Array.isArray(coordinates) && ['Polygon', 'MultiPolygon'].includes(String(type))
}

const isBox = (boundary: Boundary): boundary is Bbox => Array.isArray(boundary)

function readBoundary(boundary: Boundary): void {
  if (typeof boundary === 'string') parseBoundary(boundary)
  else if (isBox(boundary)) parseBoundary(formatBox(boundary))
  else boundaryOf(parseGeojsonGeometry(boundary))
}

const example = 'for example, POLYGON((10 59, 11 59, 11 60, 10 60, 10 59)) or [10, 59, 11, 60]'

function issueOf(block: PlacedBlock, fault: Problem): Issue {
  const { character } = fault.data as { readonly character?: number }
  const isExpression = block.source.expressions.has(block.pointer + pointer)
  // The text near the fault could show the value of a variable.
  const message = isExpression ? 'the value of the expression is not a valid boundary' : fault.message
  const span = character === undefined || isExpression ? undefined : findInFile(block, character)
  const issue = blockIssue(block, {
    code: 'manifest/bad-value',
    pointer,
    message,
    hint: fault.hint === problems['feature/invalid'].advice || isExpression ? example : fault.hint,
  })
  return span === undefined ? issue : { ...issue, span }
}

/** Finds the span of a character of the WKT, counted from 1; undefined if the file does not have the WKT on one line. */
function findInFile(
  { source: { document }, pointer: base, value }: PlacedBlock,
  at: number,
): Span | undefined {
  const { file, lines, text } = document
  const { start, end } = nearestNode(document, base + pointer)
  const quoted = /^["']/.test(text.charAt(start)) ? 1 : 0
  if (text.slice(start + quoted, end - quoted) !== value.boundary) return undefined
  const from = Math.min(start + quoted + at - 1, end - 1)
  return spanOfRange(file, lines, { start: from, end: from + 1 })
}
