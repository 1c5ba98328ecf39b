import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import type { Style } from '../../style/style_model.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import { placeCallout } from './callout.ts'
import { CollisionIndex } from './collision_index.ts'
import {
  continued,
  findGroup,
  insideGroup,
  isIn,
  type LabelFrame,
  type LabelGroup,
  type LabelWindow,
  listWindows,
} from './label_frame.ts'
import { type LabelSite, listSites } from './label_sites.ts'
import { compileLabels, type LabelScale } from './label_spec.ts'
import { MergedLines } from './merged_lines.ts'
import { boundsOf, createBox, growBox, type OrientedBox } from './oriented_box.ts'
import type { MeasureText, PlacedLabel } from './placed_label.ts'
import type { Candidate } from './text_block.ts'

/** A layer whose features have labels. */
export interface LabelledLayer {
  readonly style: Style
  /** In the order of drawing; positions are in pixels of 1/96 inch. */
  readonly features: readonly DrawnFeature[]
  /** Returns the radius of the markers of a point in pixels; points have none if it is missing. */
  readonly radiusOf?: (context: EvaluationContext) => number
}

/** Features of a map whose labels are placed. */
export interface LabelScene {
  /** Bottom first. */
  readonly layers: readonly LabelledLayer[]
  readonly scale: LabelScale
  readonly frame: LabelFrame
  readonly measure: MeasureText
  /** Called again and again; throws to stop the work. */
  readonly check: () => void
}

/** Maximum number of labels that are collected; and of those that are tried and placed to find the labels of a group. */
export const labelLimits = { collected: 200_000, tried: 10_000, placed: 5_000 }

/** What decides which labels are placed first. */
interface Rank {
  readonly priority: number
  /** Position of the layer, and of the feature in it. */
  readonly layer: number
  readonly order: number
  /** Area or length of what is labelled. */
  readonly size: number
}

/** A label to place, with its rank. */
interface RankedSite extends Rank {
  readonly site: LabelSite
  readonly group: LabelGroup
}

/** A label that has its place. */
interface PlacedSite {
  readonly ranked: RankedSite
  readonly place: Candidate
}

/**
 * Places the labels of all layers, so that no two overlap. Labels of higher priority go first; among equals, those of upper
 * layers, larger features and the order of drawing decide.
 *
 * @returns the labels, those of lower rank first
 * @throws what `check` throws
 */
export function placeLabels(scene: LabelScene): PlacedLabel[] {
  const sites = collectSites(scene).sort(compareRank)
  const markers = listMarkers(scene)
  const placed: PlacedSite[] = []
  for (const stage of listWindows(scene.frame)) {
    const earlier = [...placed]
    for (const window of stage) placed.push(...placeGroup(window, { scene, sites, markers, earlier }))
  }
  return placed
    .sort((a, b) => compareRank(b.ranked, a.ranked))
    .map(({ ranked, place }) => labelAt(ranked.site, place))
}

interface Placing {
  readonly scene: LabelScene
  /** By rank. */
  readonly sites: readonly RankedSite[]
  readonly markers: readonly OrientedBox[]
  /** Labels of earlier stages. */
  readonly earlier: readonly PlacedSite[]
}

/** Places the labels of a group together with more important ones of later stages around it; these are not returned. */
function placeGroup({ key, area }: LabelWindow, placing: Placing): PlacedSite[] {
  const { scene, sites, markers, earlier } = placing
  const last = sites.findLastIndex(({ group }) => group.key === key)
  const stage = sites[last]?.group.stage ?? 0
  const taken = new CollisionIndex()
  const cover = (place: Candidate) => taken.add(continued(place.boxes, scene.frame))
  for (const { place } of earlier) cover(place)
  const obstacles = new CollisionIndex()
  obstacles.add(
    continued(
      markers.filter(({ x, y }) => isIn(area, [x, y])),
      scene.frame,
    ),
  )
  const placed: PlacedSite[] = []
  let [tried, count] = [0, 0]
  for (const ranked of sites.slice(0, last + 1)) {
    scene.check()
    const { group, site } = ranked
    const isOwn = group.key === key
    if (group.stage < stage || !(isOwn || (isIn(area, site.anchor) && !site.isPiece))) continue
    tried += 1
    if (tried > labelLimits.tried || count >= labelLimits.placed) break
    const place = findPlace(ranked, scene, { taken, obstacles })
    if (place === undefined) continue
    cover(place)
    count += 1
    if (isOwn) placed.push({ ranked, place })
  }
  return placed
}

/** Lists the markers of points, as squares in their circles. */
function listMarkers({ layers, check }: LabelScene): OrientedBox[] {
  return layers.flatMap(({ features, radiusOf }) =>
    features.flatMap(({ geometry: { family, parts }, context }) => {
      check()
      const radius = family === 'POINT' ? (radiusOf?.(context) ?? 0) : 0
      const side = radius * Math.SQRT2
      return radius > 0 ? parts.map(([at]) => createBox([at?.[0] ?? 0, at?.[1] ?? 0], [side, side])) : []
    }),
  )
}

function collectSites(scene: LabelScene): RankedSite[] {
  const sites = new CollectedSites(scene.frame)
  for (const layer of scene.layers.keys()) collectLayer(sites, scene, layer)
  return sites.list
}

/** Sites of labels, of which those are left out that are certainly not tried. */
class CollectedSites {
  readonly list: RankedSite[] = []
  /** Whether all are placed together, so that the first ones of all are tried. */
  readonly #isOneGroup: boolean
  /** The last one that may be tried. */
  #last: RankedSite | undefined

  constructor({ seams }: LabelFrame) {
    this.#isOneGroup = seams === undefined
  }

  /** Reports whether a label is certainly not tried, whatever comes. */
  isHopeless(rank: Rank): boolean {
    return this.#last !== undefined && compareRank(rank, this.#last) > 0
  }

  add(site: RankedSite): void {
    this.list.push(site)
    if (!this.#isOneGroup || this.list.length < 2 * labelLimits.tried) return
    this.list.sort(compareRank)
    this.list.length = labelLimits.tried
    this.#last = this.list.at(-1)
  }
}

function collectLayer(
  sites: CollectedSites,
  { layers, scale, frame, check }: LabelScene,
  layer: number,
): void {
  const { style, features = [], radiusOf } = layers[layer] ?? {}
  if (style === undefined) return
  const find = compileLabels(style, scale)
  const merged = new MergedLines<SitePosition['position']>()
  // Where a style orders its features, those drawn above come first.
  const direction = style.order.length === 0 ? 1 : -1
  for (const [order, { geometry, context }] of features.entries()) {
    check()
    if (sites.list.length >= labelLimits.collected) break
    const position = { layer, order: direction * order }
    const radius = geometry.family === 'POINT' ? (radiusOf?.(context) ?? 0) : 0
    const isPoint = geometry.family === 'POINT'
    for (const spec of find(context))
      if (spec.mergesLines && geometry.family === 'LINESTRING') merged.add(spec, geometry, position)
      else if (!isPoint || !sites.isHopeless({ ...position, priority: spec.priority, size: 0 }))
        addSites(sites, listSites(geometry, { ...spec, markerRadius: radius }, frame), { frame, position })
  }
  for (const { spec, geometry, place: position } of merged.join()) {
    check()
    addSites(sites, listSites(geometry, spec, frame), { frame, position })
  }
}

interface SitePosition {
  readonly frame: LabelFrame
  readonly position: Pick<RankedSite, 'layer' | 'order'>
}

function addSites(
  into: CollectedSites,
  sites: readonly LabelSite[],
  { frame, position }: SitePosition,
): void {
  for (const site of sites) {
    const group = site.isPiece ? insideGroup(frame) : findGroup(frame, site.anchor)
    const { size } = site
    if (group !== undefined) into.add({ site, ...position, priority: site.spec.priority, size, group })
  }
}

function compareRank(a: Rank, b: Rank): number {
  return b.priority - a.priority || b.layer - a.layer || b.size - a.size || a.order - b.order
}

/** What labels do not overlap, and what they overlap only where they have no other place. */
interface Obstacles {
  readonly taken: CollisionIndex
  readonly obstacles: CollisionIndex
}

function findPlace(
  { site, group }: RankedSite,
  { measure, frame }: LabelScene,
  { taken, obstacles }: Obstacles,
): Candidate | undefined {
  const [minX, minY, maxX, maxY] = group.domain
  const { period = Number.POSITIVE_INFINITY } = frame
  const isFree = ({ boxes }: Candidate): boolean => {
    const [left, top, right, bottom] = boundsOf(boxes)
    const isInside = left >= minX && top >= minY && right <= maxX && bottom <= maxY
    // Else it would overlap itself.
    const isAllowed = isInside && right - left <= period
    return isAllowed && (site.spec.showsAll || !taken.overlaps(boxes))
  }
  if (site.probes !== undefined && !some(site.probes(), isFree)) return undefined
  let covering: Candidate | undefined
  for (const candidate of site.candidates(measure)) {
    if (!isFree(candidate)) continue
    if (!obstacles.overlaps(candidate.boxes)) return candidate
    covering ??= candidate
  }
  return covering
}

function some(candidates: Iterable<Candidate>, isFree: (candidate: Candidate) => boolean): boolean {
  for (const candidate of candidates) if (isFree(candidate)) return true
  return false
}

function labelAt(site: LabelSite, { boxes, runs }: Candidate): PlacedLabel {
  const { face, color, buffer } = site.spec
  const callout = calloutAt(site, boxes)
  return {
    ...{ runs: runs(), face, color, box: boundsOf(boxes), anchor: site.anchor },
    ...(buffer ? { buffer } : {}),
    ...(callout ? { callout } : {}),
  }
}

/** Callouts of labels whose letters follow a line begin at the first letter, as in QGIS. */
function calloutAt({ spec, target }: LabelSite, [box]: Candidate['boxes']) {
  if (spec.callout === undefined || box === undefined) return undefined
  return placeCallout(spec.callout, growBox(box, -(spec.buffer?.size ?? 0)), target)
}
