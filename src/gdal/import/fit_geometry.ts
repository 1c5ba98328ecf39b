import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { AnyByteGeometry, ByteCollection, ByteGeometry, ByteSequence } from '../../geo/byte_geometry.ts'
import type { Part } from '../../geo/geometry.ts'
import type { BadFeature, LoadRules } from '../runner/vector_job.ts'

/** What a geometry has to be, to be loaded. */
export interface FitRules extends Pick<LoadRules, 'family' | 'isMulti' | 'skipOthers' | 'fix'> {
  /** Coordinates that the reference system can have. */
  readonly limits: Bbox
  /** Makes a polygon valid; returns the same geometry where it is. */
  readonly mend: (geometry: ByteGeometry) => AnyByteGeometry
}

/** Why a geometry cannot be loaded. */
export type Misfit = Omit<BadFeature, 'number'>

/** What came of fitting: a geometry to load, the reason why not, or undefined for what is left out on request. */
export type Fitted = ByteGeometry | Misfit | undefined

/** Tells whether a geometry could not be fitted. */
export function isMisfit(fitted: object): fitted is Misfit {
  return 'reason' in fitted
}

/** Repairs a geometry as far as the rules allow and says what keeps it from being loaded. It changes nothing in place. */
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

/** Takes a collection apart where nothing is lost, or where losing something is allowed. */
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

/** Of a collection whose family is not told, the highest dimension. */
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

/** Drops, closes or refuses what no database takes: see `checkSequence`. A geometry that is sound stays the same object. */
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
      // Without its outer ring there is no polygon; a hole can be lost.
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
    // Written so that a value that is not a number fails too.
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

/** What is said of a coordinate that is infinite, or not a number. */
export const notNumber = 'a coordinate of it is not a number'

const shortLine: Misfit = { reason: 'a line of it has one position only' }
const shortRing: Misfit = { reason: 'a ring of it has less than four positions' }
const openRing: Misfit = { reason: 'a ring of it is not closed' }
const badHeight: Misfit = { reason: 'a height of it is not a number' }

/** Heights are not compared, as PostGIS does not. */
function isClosed({ data: { view }, at, step, count }: ByteSequence): boolean {
  const last = (count - 1) * step
  const isSame = (first: number) => view.getFloat64(first, true) === view.getFloat64(first + last, true)
  return count > 0 && isSame(at) && isSame(at + 8)
}
