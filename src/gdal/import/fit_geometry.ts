import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { AnyByteGeometry, ByteCollection, ByteGeometry, ByteSequence } from '../../geo/byte_geometry.ts'
import type { Part } from '../../geo/geometry.ts'
import type { BadFeature, LoadRules } from '../runner/vector_job.ts'

/** Rules for loading geometries. */
export interface FitRules extends Pick<LoadRules, 'family' | 'isMulti' | 'skipOthers' | 'fix'> {
  /** Bounds of the coordinates of the reference system. */
  readonly limits: Bbox
  /** Makes a polygon valid; returns the same geometry if it is valid. */
  readonly mend: (geometry: ByteGeometry) => AnyByteGeometry
}

/** Fault that prevents a feature from being loaded. */
export type Misfit = Omit<BadFeature, 'number'>

/** Result of fitting: a geometry to load, a fault, or undefined if it is skipped on request. */
export type Fitted = ByteGeometry | Misfit | undefined

/** Tells whether a feature or geometry cannot be loaded. */
export function isMisfit(fitted: object): fitted is Misfit {
  return 'reason' in fitted
}

/**
 * Repairs a geometry as far as the rules allow, without changing the original; returns a fault if it cannot be loaded.
 */
export function fitGeometry(found: AnyByteGeometry | undefined, rules: FitRules): Fitted {
  if (found === undefined) return { reason: 'it has no geometry' }
  const geometry = 'parts' in found ? found : singleFamily(found, rules)
  if (isMisfit(geometry)) return rules.family !== null && rules.skipOthers ? undefined : geometry
  if (rules.family !== null && geometry.family !== rules.family)
    return rules.skipOthers ? undefined : otherFamily(`a ${geometry.family}`, rules)
  const sound = soundParts(geometry, rules)
  if (isMisfit(sound)) return sound
  const valid =
    rules.fix === 'NONE' || sound.family !== 'POLYGON' ? sound : keepPolygons(rules.mend(sound), rules)
  return isMisfit(valid) ? valid : limitParts(valid, rules)
}

function otherFamily(name: string, { family }: FitRules): Misfit {
  return { reason: family === null ? `it is ${name}` : `it is ${name}, not a ${family}` }
}

/** Converts a collection to one geometry, if nothing is lost or loss is allowed. */
function singleFamily(found: Exclude<AnyByteGeometry, ByteGeometry>, rules: FitRules): ByteGeometry | Misfit {
  if (found.family === 'UNSUPPORTED') return otherFamily('a curve, of which no layer is', rules)
  const { family, fix } = rules
  const refused = otherFamily('a collection of different geometries', rules)
  if (fix === 'NONE') return refused
  const [first] = found.members
  const isUniform = first !== undefined && found.members.every((member) => member.family === first.family)
  if (isUniform) return membersOf(found, first.family)
  const wanted = family ?? largestFamily(found)
  if (fix === 'SAFE' || wanted === undefined) return refused
  const kept = membersOf(found, wanted)
  return kept.parts.length === 0 ? refused : kept
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

function keepPolygons(mended: AnyByteGeometry, { fix }: FitRules): ByteGeometry | Misfit {
  if (mended.family === 'POLYGON') return mended
  const polygons = mended.family === 'COLLECTION' ? membersOf(mended, 'POLYGON') : undefined
  if (polygons === undefined || polygons.parts.length === 0) return { reason: 'it has no area' }
  const isAll = mended.family === 'COLLECTION' && mended.members.every(({ family }) => family === 'POLYGON')
  return isAll || fix === 'LOSSY' ? polygons : { reason: 'it can only be made valid by losing parts of it' }
}

function limitParts(geometry: ByteGeometry, { isMulti, fix }: FitRules): ByteGeometry | Misfit {
  if (isMulti !== false || geometry.parts.length === 1) return geometry
  if (fix === 'LOSSY') return { ...geometry, parts: geometry.parts.slice(0, 1) }
  return { reason: `it has ${geometry.parts.length} parts, not one` }
}

/** Drops, closes or rejects invalid parts; see `checkSequence`. Returns the same object for a valid geometry. */
function soundParts(geometry: ByteGeometry, rules: FitRules): ByteGeometry | Misfit {
  const { family } = geometry
  let misfit: Misfit | undefined
  let isChanged = false
  const parts: Part<ByteSequence>[] = []
  for (const part of geometry.parts) {
    const sound = soundPart(part, { family, rules })
    if (isMisfit(sound)) misfit ??= sound
    else {
      isChanged ||= sound !== part
      parts.push(sound)
    }
  }
  if (misfit !== undefined && (rules.fix !== 'LOSSY' || parts.length === 0)) return misfit
  return misfit === undefined && !isChanged ? geometry : { ...geometry, parts }
}

interface PartRules {
  readonly family: GeometryFamily
  readonly rules: FitRules
}

function soundPart(part: Part<ByteSequence>, { family, rules }: PartRules): Part<ByteSequence> | Misfit {
  let isChanged = false
  const kept: ByteSequence[] = []
  for (const sequence of part) {
    const sound = checkSequence(sequence, { family, rules })
    if (isMisfit(sound)) {
      // A polygon needs its outer ring, but not its holes.
      if (kept.length === 0 || rules.fix !== 'LOSSY') return sound
      isChanged = true
      continue
    }
    isChanged ||= sound !== sequence
    kept.push(sound)
  }
  return isChanged ? kept : part
}

function checkSequence(sequence: ByteSequence, { family, rules }: PartRules): ByteSequence | Misfit {
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
): Misfit | undefined {
  for (let index = 0; index < count; index++) {
    const x = view.getFloat64(at + index * step, true)
    const y = view.getFloat64(at + index * step + 8, true)
    // Negated, so that NaN fails too.
    if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) return positionFault(x, y)
    if (zAt >= 0 && !Number.isFinite(view.getFloat64(zAt + index * zStep, true))) return badHeight
  }
  return undefined
}

function positionFault(x: number, y: number): Misfit {
  return Number.isFinite(x) && Number.isFinite(y)
    ? { reason: `its position ${x} ${y} is outside the reference system`, isMisplaced: true }
    : { reason: notNumber }
}

/** Reason for a coordinate that is infinite or not a number. */
export const notNumber = 'a coordinate of it is not a number'

const shortLine: Misfit = { reason: 'a line of it has one position only' }
const shortRing: Misfit = { reason: 'a ring of it has less than four positions' }
const openRing: Misfit = { reason: 'a ring of it is not closed' }
const badHeight: Misfit = { reason: 'a height of it is not a number' }

/** Tells whether a ring is closed. Ignores heights, as PostGIS does. */
function isClosed({ data: { view }, at, step, count }: ByteSequence): boolean {
  const last = (count - 1) * step
  const isSame = (first: number) => view.getFloat64(first, true) === view.getFloat64(first + last, true)
  return count > 0 && isSame(at) && isSame(at + 8)
}
