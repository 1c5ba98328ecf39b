import type { GeometryFamily } from '../../contract/geometry.ts'
import { maxPositions } from '../../contract/limits.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { AnyByteGeometry, ByteCollection, ByteGeometry, ByteSequence } from '../../geo/byte_geometry.ts'
import type { Part } from '../../geo/geometry.ts'
import type { BadFeature, LoadRules } from '../runner/vector_job.ts'

/** Rules for loading geometries. */
export interface FitRules extends Pick<LoadRules, 'family' | 'isMulti' | 'skipOthers' | 'fix'> {
  /** Maximum number of positions. @default maxPositions */
  readonly maxCount?: number
  /** Bounds of the coordinates of the reference system. */
  readonly limits: Bbox
  /** Makes a line or polygon valid; returns the same geometry if it is valid. */
  readonly repair: (geometry: ByteGeometry) => AnyByteGeometry
}

/** Fault that prevents a feature from being loaded. */
export type FeatureFault = Omit<BadFeature, 'number'>

/** Result of fitting: a geometry to load, a fault, or undefined if it is skipped on request. */
export type FitResult = ByteGeometry | FeatureFault | undefined

/** Tells whether a feature or geometry cannot be loaded. */
export function isFault(fitted: object): fitted is FeatureFault {
  return 'reason' in fitted
}

/**
 * Repairs a geometry as far as the rules allow, without changing the original; returns a fault if it cannot be loaded.
 */
export function fitGeometry(found: AnyByteGeometry | undefined, rules: FitRules): FitResult {
  if (found === undefined) return { reason: 'it has no geometry' }
  if (countPositions(found) > (rules.maxCount ?? maxPositions))
    return { reason: tooManyPositions(rules.maxCount) }
  const geometry = 'parts' in found ? found : singleFamily(found, rules)
  if (isFault(geometry)) return rules.family !== null && rules.skipOthers ? undefined : geometry
  if (rules.family !== null && geometry.family !== rules.family)
    return rules.skipOthers ? undefined : otherFamily(`a ${geometry.family}`, rules)
  const checked = checkParts(geometry, rules)
  if (isFault(checked)) return checked
  const valid =
    rules.fix === 'NONE' || checked.family === 'POINT'
      ? checked
      : keepFamily(rules.repair(checked), checked.family, rules)
  return isFault(valid) ? valid : limitParts(valid, rules)
}

function countPositions(found: AnyByteGeometry): number {
  if (found.family === 'UNSUPPORTED') return 0
  const members = 'parts' in found ? [found] : found.members
  let total = 0
  for (const { parts } of members) for (const part of parts) for (const { count } of part) total += count
  return total
}

/** Returns the reason of a geometry with too many positions. */
export function tooManyPositions(maxCount = maxPositions): string {
  return `its geometry has more than ${maxCount} positions`
}

function otherFamily(name: string, { family }: FitRules): FeatureFault {
  return { reason: family === null ? `it is ${name}` : `it is ${name}, not a ${family}` }
}

/** Converts a collection to one geometry, if nothing is lost or loss is allowed. */
function singleFamily(
  found: Exclude<AnyByteGeometry, ByteGeometry>,
  rules: FitRules,
): ByteGeometry | FeatureFault {
  if (found.family === 'UNSUPPORTED') return { reason: 'it is a curve, which layers do not support' }
  const { family, fix } = rules
  const fault = otherFamily('a collection of different geometries', rules)
  if (fix === 'NONE') return fault
  const [first] = found.members
  const isUniform = first !== undefined && found.members.every((member) => member.family === first.family)
  if (isUniform) return membersOf(found, first.family)
  const wanted = family ?? largestFamily(found)
  if (fix === 'SAFE' || wanted === undefined) return fault
  const kept = membersOf(found, wanted)
  return kept.parts.length === 0 ? fault : kept
}

function membersOf({ members }: ByteCollection, family: GeometryFamily): ByteGeometry {
  const own = members.filter((member) => member.family === family)
  const parts = own.flatMap((member) => member.parts)
  return { family, isMulti: false, hasZ: own.some(({ hasZ }) => hasZ), parts }
}

/** Returns the family with the highest dimension in a collection. */
function largestFamily({ members }: ByteCollection): GeometryFamily | undefined {
  const order: readonly GeometryFamily[] = ['POLYGON', 'LINESTRING', 'POINT']
  return order.find((family) => members.some((member) => member.family === family))
}

function keepFamily(
  repaired: AnyByteGeometry,
  family: GeometryFamily,
  { fix }: FitRules,
): ByteGeometry | FeatureFault {
  if ('parts' in repaired && repaired.family === family) return repaired
  const polygons = repaired.family === 'COLLECTION' ? membersOf(repaired, 'POLYGON') : undefined
  if (polygons === undefined || polygons.parts.length === 0) return { reason: 'it has no area' }
  const isAll =
    repaired.family === 'COLLECTION' && repaired.members.every(({ family }) => family === 'POLYGON')
  return isAll || fix === 'LOSSY' ? polygons : { reason: 'it can only be made valid by losing parts' }
}

function limitParts(geometry: ByteGeometry, { isMulti, fix }: FitRules): ByteGeometry | FeatureFault {
  if (isMulti !== false || geometry.parts.length === 1) return geometry
  if (fix === 'LOSSY') return { ...geometry, parts: geometry.parts.slice(0, 1) }
  return { reason: `it has ${geometry.parts.length} parts, not 1` }
}

/** Drops, closes or rejects invalid parts; see `checkSequence`. Returns the same object for a valid geometry. */
function checkParts(geometry: ByteGeometry, rules: FitRules): ByteGeometry | FeatureFault {
  const { family } = geometry
  let fault: FeatureFault | undefined
  let isChanged = false
  const parts: Part<ByteSequence>[] = []
  for (const part of geometry.parts) {
    const checked = checkPart(part, { family, rules })
    if (isFault(checked)) fault ??= checked
    else {
      isChanged ||= checked !== part
      parts.push(checked)
    }
  }
  if (fault !== undefined && (rules.fix !== 'LOSSY' || parts.length === 0)) return fault
  return fault === undefined && !isChanged ? geometry : { ...geometry, parts }
}

interface PartRules {
  readonly family: GeometryFamily
  readonly rules: FitRules
}

function checkPart(
  part: Part<ByteSequence>,
  { family, rules }: PartRules,
): Part<ByteSequence> | FeatureFault {
  let isChanged = false
  const kept: ByteSequence[] = []
  for (const sequence of part) {
    const checked = checkSequence(sequence, { family, rules })
    if (isFault(checked)) {
      // A polygon needs its outer ring, but not its holes.
      if (kept.length === 0 || rules.fix !== 'LOSSY') return checked
      isChanged = true
      continue
    }
    isChanged ||= checked !== sequence
    kept.push(checked)
  }
  return isChanged ? kept : part
}

function checkSequence(sequence: ByteSequence, { family, rules }: PartRules): ByteSequence | FeatureFault {
  const fault = findBadPosition(sequence, rules.limits)
  if (fault !== undefined) return fault
  if (family === 'POINT') return sequence
  const { count } = sequence
  if (family === 'LINESTRING') return count < 2 ? shortLine : sequence
  if (isClosed(sequence)) return count < 4 ? shortRing : sequence
  if (rules.fix === 'NONE') return openRing
  return count < 3 ? shortRing : { ...sequence, isOpen: true }
}

function findBadPosition(
  { data: { view }, at, step, zAt, zStep, count }: ByteSequence,
  [minX, minY, maxX, maxY]: Bbox,
): FeatureFault | undefined {
  for (let index = 0; index < count; index++) {
    const x = view.getFloat64(at + index * step, true)
    const y = view.getFloat64(at + index * step + 8, true)
    // Negated, so that NaN fails too.
    if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) return positionFault(x, y)
    if (zAt >= 0 && !Number.isFinite(view.getFloat64(zAt + index * zStep, true))) return badHeight
  }
  return undefined
}

/** Returns the fault of a position outside of a reference system, or one that is not a number. */
export function positionFault(x: number, y: number): FeatureFault {
  return Number.isFinite(x) && Number.isFinite(y)
    ? { reason: `the position ${x} ${y} is outside the bounds of the reference system`, isMisplaced: true }
    : { reason: notNumber }
}

/** Reason for a coordinate that is infinite or not a number. */
export const notNumber = 'a coordinate is not a number'

const shortLine: FeatureFault = { reason: 'a line has only one position' }
const shortRing: FeatureFault = { reason: 'a ring has fewer than four positions' }
const openRing: FeatureFault = { reason: 'a ring is not closed' }
const badHeight: FeatureFault = { reason: 'a height is not a number' }

/** Tells whether a ring is closed. Ignores heights, as PostGIS does. */
function isClosed({ data: { view }, at, step, count }: ByteSequence): boolean {
  const last = (count - 1) * step
  const isSame = (first: number) => view.getFloat64(first, true) === view.getFloat64(first + last, true)
  return count > 0 && isSame(at) && isSame(at + 8)
}
