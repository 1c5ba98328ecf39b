import type { GeometryFamily } from '../contract/geometry.ts'
import type { BadFeature, LoadRules } from './job.ts'
import type { Part, Path, Shape } from './shape.ts'

/** What a shape has to be, to be loaded. */
export interface FitRules extends Pick<LoadRules, 'family' | 'isMulti' | 'skipOthers' | 'fix'> {
  /** Largest absolute values that coordinates of the reference system can have. */
  readonly bounds: Bounds
  /** Makes a polygon valid; gives the same shape where it is. */
  readonly mend: (shape: Shape) => Shape
}

/** Largest absolute values of coordinates. */
export interface Bounds {
  readonly x: number
  readonly y: number
}

/** Why a shape cannot be loaded. */
export type Misfit = Omit<BadFeature, 'number'>

/** What came of fitting: a shape to load, the reason why not, or undefined for what is left out on request. */
export type Fitted = Shape | Misfit | undefined

/** Tells whether a shape could not be fitted. */
export function isMisfit(fitted: object): fitted is Misfit {
  return 'reason' in fitted
}

/** Mends a shape as far as the rules allow and says what keeps it from being loaded. Of itself it changes nothing. */
export function fitShape(found: Shape | undefined, rules: FitRules): Fitted {
  if (found === undefined) return { reason: 'it has no geometry' }
  const shape = gather(found, rules)
  if (shape.family === 'mixed' || (rules.family !== null && shape.family !== rules.family)) {
    return otherFamily(shape, rules)
  }
  const sound = soundParts(shape, rules)
  if (isMisfit(sound)) return sound
  const valid =
    rules.fix === 'NONE' || shape.family !== 'POLYGON' ? sound : keepFamily(rules.mend(sound), rules)
  return isMisfit(valid) ? valid : limitParts(valid, rules)
}

function otherFamily(shape: Shape, { family, skipOthers }: FitRules): Misfit | undefined {
  if (family !== null && skipOthers) return undefined
  const name = shape.family === 'mixed' ? nameMixed(shape) : `a ${shape.family}`
  return { reason: family === null ? `it is ${name}` : `it is ${name}, not a ${family}` }
}

/** Curves have no parts that a layer takes. */
function nameMixed({ parts, isCollection }: Shape): string {
  return parts.length === 0 && !isCollection
    ? 'a curve, of which no layer is'
    : 'a collection of different geometries'
}

/** Takes collections apart where nothing is lost, or where losing something is allowed. */
function gather(shape: Shape, { family, fix }: FitRules): Shape {
  if (!shape.isCollection) return shape
  if (fix === 'NONE') return { ...shape, family: 'mixed' }
  if (fix === 'SAFE' || shape.family !== 'mixed') return shape
  const wanted = family ?? largestFamily(shape)
  const parts = shape.parts.filter((part) => part.family === wanted)
  return wanted === undefined || parts.length === 0 ? shape : { ...shape, family: wanted, parts }
}

/** Of a collection whose family is not told, the highest dimension. */
function largestFamily({ parts }: Shape): GeometryFamily | undefined {
  const order: readonly GeometryFamily[] = ['POLYGON', 'LINESTRING', 'POINT']
  return order.find((family) => parts.some((part) => part.family === family))
}

function keepFamily(mended: Shape, { fix }: FitRules): Shape | Misfit {
  if (mended.family === 'POLYGON') return mended
  const parts = mended.parts.filter((part) => part.family === 'POLYGON')
  if (fix === 'LOSSY' && parts.length > 0) return { ...mended, family: 'POLYGON', parts }
  return { reason: parts.length > 0 ? 'it can only be made valid by losing parts of it' : 'it has no area' }
}

function limitParts(shape: Shape, { isMulti, fix }: FitRules): Shape | Misfit {
  if (isMulti !== false || shape.parts.length === 1) return shape
  if (fix === 'LOSSY') return { ...shape, parts: shape.parts.slice(0, 1) }
  return { reason: `it has ${shape.parts.length} parts, not one` }
}

/** Drops, closes or refuses what no database takes: see `checkPath`. A shape that is sound stays the same object. */
function soundParts(shape: Shape, rules: FitRules): Shape | Misfit {
  let misfit: Misfit | undefined
  let isChanged = false
  const parts: Shape['parts'][number][] = []
  for (const part of shape.parts) {
    const paths = soundPaths(part.paths, { family: part.family, rules })
    if (isMisfit(paths)) {
      misfit ??= paths
      continue
    }
    if (paths === part.paths) parts.push(part)
    else {
      isChanged = true
      parts.push({ ...part, paths })
    }
  }
  if (misfit !== undefined && (rules.fix !== 'LOSSY' || parts.length === 0)) return misfit
  return misfit === undefined && !isChanged ? shape : { ...shape, parts }
}

interface PartRules {
  readonly family: GeometryFamily
  readonly rules: FitRules
}

function soundPaths(paths: Part, { family, rules }: PartRules): Part | Misfit {
  let isChanged = false
  const kept: Path[] = []
  for (const path of paths) {
    const sound = checkPath(path, { family, rules })
    if (isMisfit(sound)) {
      // Without its outer ring there is no polygon; a hole can be lost.
      if (kept.length === 0 || rules.fix !== 'LOSSY') return sound
      isChanged = true
      continue
    }
    isChanged ||= sound !== path
    kept.push(sound)
  }
  return isChanged ? kept : paths
}

function checkPath(path: Path, { family, rules }: PartRules): Path | Misfit {
  const fault = findBadPosition(path, rules.bounds)
  if (fault !== undefined) return fault
  if (family === 'POINT') return path
  if (family === 'LINESTRING') return path.count < 2 ? shortLine : path
  if (isClosed(path)) return path.count < 4 ? shortRing : path
  if (rules.fix === 'NONE') return openRing
  return path.count < 3 ? shortRing : { ...path, isOpen: true }
}

function findBadPosition(
  { data: { view }, at, step, zAt, zStep, count }: Path,
  bounds: Bounds,
): Misfit | undefined {
  for (let index = 0; index < count; index++) {
    const x = view.getFloat64(at + index * step, true)
    const y = view.getFloat64(at + index * step + 8, true)
    // Written so that a value that is no number fails too.
    if (!(Math.abs(x) <= bounds.x && Math.abs(y) <= bounds.y)) return positionFault(x, y)
    if (zAt >= 0 && !Number.isFinite(view.getFloat64(zAt + index * zStep, true))) return badHeight
  }
  return undefined
}

function positionFault(x: number, y: number): Misfit {
  return Number.isFinite(x) && Number.isFinite(y)
    ? { reason: `its position ${x} ${y} is outside the reference system`, isMisplaced: true }
    : { reason: notNumber }
}

/** What is said of a coordinate that is infinite, or none. */
export const notNumber = 'a coordinate of it is not a number'

const shortLine: Misfit = { reason: 'a line of it has one position only' }
const shortRing: Misfit = { reason: 'a ring of it has less than four positions' }
const openRing: Misfit = { reason: 'a ring of it is not closed' }
const badHeight: Misfit = { reason: 'a height of it is not a number' }

/** Heights are not looked at, as PostGIS does not. */
function isClosed({ data: { view }, at, step, count }: Path): boolean {
  const last = (count - 1) * step
  const same = (first: number) => view.getFloat64(first, true) === view.getFloat64(first + last, true)
  return count > 0 && same(at) && same(at + 8)
}
