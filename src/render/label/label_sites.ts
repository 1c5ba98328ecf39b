import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import { areaCandidates, findAreaAnchor } from './area_candidates.ts'
import type { CalloutTarget } from './callout.ts'
import { type LabelFrame, labelReach } from './label_frame.ts'
import { type LabelPart, listLabelParts } from './label_parts.ts'
import type { LabelSpec } from './label_spec.ts'
import { type LinePlacement, lineCandidates } from './line_candidates.ts'
import { createPath, type LinePath } from './line_path.ts'
import type { PixelPart } from './part_measure.ts'
import type { MeasureText } from './placed_label.ts'
import {
  besidePoint,
  type Candidate,
  layoutBlock,
  layoutLetters,
  leastInkHeight,
  straightCandidate,
  type TextBlock,
} from './text_block.ts'

/** A label to place. */
export interface LabelSite {
  readonly spec: LabelSpec
  readonly anchor: readonly [x: number, y: number]
  /** What is labelled. */
  readonly target: CalloutTarget
  /** Area or length of what is labelled. */
  readonly size: number
  /** Whether the label belongs to a piece that was cut out, and so to this frame alone. */
  readonly isPiece: boolean
  /** Parts of the possible places, known without measuring the text: where all are taken, there is no place. */
  readonly probes?: () => Iterable<Candidate>
  /** Lists possible places, the preferred one first. */
  readonly candidates: (measure: MeasureText) => Iterable<Candidate>
}

/** Maximum number of labels along one line. */
const maxRepeats = 50

/** Directions around a point, from the preferred one on: to the upper right first, as on printed maps. */
const directions = [
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
] as const

/** Lists the labels of a feature. */
export function listSites(geometry: PixelGeometry, spec: LabelSpec, frame: LabelFrame): LabelSite[] {
  const { family, parts } = geometry
  if (family === 'POINT' && parts.length === 1) {
    const [part = []] = parts
    const [x = Number.NaN, y = Number.NaN] = part[0] ?? []
    return pointSites({ spec, target: { family, part }, size: 0, isPiece: false }, [x, y])
  }
  return listLabelParts(geometry, frame, spec).flatMap((part) => sitesOf(part, { family, spec, frame }))
}

interface SiteOptions {
  readonly family: PixelGeometry['family']
  readonly spec: LabelSpec
  readonly frame: LabelFrame
}

function sitesOf(found: LabelPart, { family, spec, frame }: SiteOptions): LabelSite[] {
  const { part, size, isWhole } = found
  const isPiece = frame.seams !== undefined && !isWhole
  const site = { spec, target: { family, part }, size, isPiece }
  const { placement } = spec
  if (family === 'POINT') {
    const [x = Number.NaN, y = Number.NaN] = part[0] ?? []
    return pointSites(site, [x, y])
  }
  if (placement.kind === 'line')
    return outlinesOf(part, family).flatMap((path) =>
      lineSites(site, path, { placement, isNearAnchor: isWhole && frame.seams !== undefined }),
    )
  if (family === 'LINESTRING') return middleSites(site, part)
  const anchor = findAreaAnchor(part)
  if (anchor === undefined) return []
  if (placement.kind !== 'horizontal') return pointSites(site, anchor)
  const candidates = (measure: MeasureText) => areaCandidates(layoutBlock(spec, measure), found, spec.offset)
  return [{ ...site, anchor, candidates }]
}

type SiteOf = Pick<LabelSite, 'spec' | 'target' | 'size' | 'isPiece'>

function pointSites(site: SiteOf, anchor: readonly [number, number]): LabelSite[] {
  return [new PointSite(site, anchor)]
}

/** A label at a point. A class, since functions of their own for each of many points would take most of the memory. */
class PointSite implements LabelSite {
  readonly spec: LabelSpec
  readonly anchor: readonly [number, number]
  readonly target: CalloutTarget
  readonly size: number
  readonly isPiece: boolean

  constructor({ spec, target, size, isPiece }: SiteOf, anchor: readonly [number, number]) {
    this.spec = spec
    this.anchor = anchor
    this.target = target
    this.size = size
    this.isPiece = isPiece
  }

  probes(): Iterable<Candidate> {
    const { face, buffer } = this.spec
    const height = leastInkHeight * face.size
    const probe = { width: 0.1 * face.size, height, lines: [], margin: buffer?.size ?? 0 }
    return pointCandidates(this.spec, probe, this.anchor)
  }

  candidates(measure: MeasureText): Iterable<Candidate> {
    return pointCandidates(this.spec, layoutBlock(this.spec, measure), this.anchor)
  }
}

/** Labels of lines that do not follow them are at their middles. */
function middleSites(site: SiteOf, [line = new Float64Array()]: PixelPart): LabelSite[] {
  const path = createPath(line)
  return path === undefined ? [] : pointSites(site, path.pointAt(path.length / 2))
}

function outlinesOf(part: PixelPart, family: 'LINESTRING' | 'POLYGON'): LinePath[] {
  const [outer = new Float64Array()] = part
  const path = createPath(outer, family === 'POLYGON')
  return path === undefined ? [] : [path]
}

interface LineOptions {
  readonly placement: LinePlacement
  /** Whether labels must stay near their anchors, since they are seen from several frames. */
  readonly isNearAnchor: boolean
}

function lineSites(site: SiteOf, path: LinePath, { placement, isNearAnchor }: LineOptions): LabelSite[] {
  const { spec } = site
  const { repeatDistance } = spec
  const count =
    repeatDistance > 0 ? Math.min(maxRepeats, Math.max(1, Math.floor(path.length / repeatDistance))) : 1
  const space = path.length / count
  return Array.from({ length: count }, (_, at) => {
    const middle = (at + 0.5) * space
    const anchor = path.pointAt(middle)
    const shift = Math.min(space / 2, isNearAnchor ? labelReach.y : Number.POSITIVE_INFINITY)
    const candidates = (measure: MeasureText) => {
      const row = placement.isCurved ? layoutLetters(spec, measure) : undefined
      return lineCandidates({ path, middle, shift, placement, block: layoutBlock(spec, measure), row })
    }
    return { ...site, anchor, candidates }
  })
}

/** Lists the places of a label at a point, the preferred one first. */
function* pointCandidates(
  spec: LabelSpec,
  block: TextBlock,
  [x, y]: readonly [number, number],
): Generator<Candidate> {
  const { placement, offset } = spec
  const angle = (spec.angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  // Rotated around the point.
  const at = (dx: number, dy: number, side: -1 | 0 | 1) =>
    straightCandidate(
      besidePoint(block, side),
      [x + offset[0] + cos * dx - sin * dy, y + offset[1] + sin * dx + cos * dy],
      angle,
    )
  const [halfWidth, halfHeight] = [block.width / 2, block.height / 2]
  if (placement.kind !== 'around') {
    const [right, down] = placement.kind === 'over' ? placement.quadrant : ([0, 0] as const)
    yield at(right * halfWidth, down * halfHeight, right)
    return
  }
  const radius = (spec.markerRadius ?? 0) + block.margin
  const reach = Math.max(placement.distance + block.margin, radius)
  // In corners, the nearest point of the label is in the distance.
  const diagonal = Math.max(reach * Math.SQRT1_2, diagonalGap(radius, halfHeight / 2))
  for (const [right, down] of directions) {
    const gap = right !== 0 && down !== 0 ? diagonal : reach
    yield at(right * (halfWidth + gap), down * (halfHeight * (right === 0 ? 1 : 0.5) + gap), right)
  }
}

/** Returns the gap on both axes that keeps a label, which extends beyond it by `overlap` vertically, out of a circle. */
function diagonalGap(radius: number, overlap: number): number {
  if (radius <= overlap) return radius
  return (overlap + Math.sqrt(2 * radius ** 2 - overlap ** 2)) / 2
}
