import type { Style } from '../../style/style_model.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import { CollisionIndex } from './collision_index.ts'
import {
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
import { boundsOf } from './oriented_box.ts'
import type { MeasureText, PlacedLabel } from './placed_label.ts'
import type { Candidate } from './text_block.ts'

/** Features of a map whose labels are placed. */
export interface LabelScene {
  /** Bottom first. Positions are in pixels of 1/96 inch; features are in the order of drawing. */
  readonly layers: readonly { readonly style: Style; readonly features: readonly DrawnFeature[] }[]
  readonly scale: LabelScale
  readonly frame: LabelFrame
  readonly measure: MeasureText
  /** Called again and again; throws to stop the work. */
  readonly check: () => void
}

/** Maximum number of labels that are collected; and of those that are tried and placed to find the labels of a group. */
export const labelLimits = { collected: 200_000, tried: 10_000, placed: 5_000 }

/** A label to place, with its rank. */
interface RankedSite {
  readonly site: LabelSite
  readonly group: LabelGroup
  /** Position of the layer, and of the feature in it. */
  readonly layer: number
  readonly order: number
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
  const placed: PlacedSite[] = []
  for (const stage of listWindows(scene.frame)) {
    const earlier = [...placed]
    for (const window of stage) placed.push(...placeGroup(window, { scene, sites, earlier }))
  }
  return placed
    .sort((a, b) => compareRank(b.ranked, a.ranked))
    .map(({ ranked, place }) => labelAt(ranked.site, place))
}

interface Placing {
  readonly scene: LabelScene
  /** By rank. */
  readonly sites: readonly RankedSite[]
  /** Labels of earlier stages. */
  readonly earlier: readonly PlacedSite[]
}

/** Places the labels of a group together with more important ones of later stages around it; these are not returned. */
function placeGroup({ key, area }: LabelWindow, { scene, sites, earlier }: Placing): PlacedSite[] {
  const last = sites.findLastIndex(({ group }) => group.key === key)
  const stage = sites[last]?.group.stage ?? 0
  const taken = new CollisionIndex()
  for (const { place } of earlier) taken.add(place.boxes)
  const placed: PlacedSite[] = []
  let [tried, count] = [0, 0]
  for (const ranked of sites.slice(0, last + 1)) {
    scene.check()
    const { group, site } = ranked
    const isOwn = group.key === key
    if (group.stage < stage || !(isOwn || (isIn(area, site.anchor) && !site.isPiece))) continue
    tried += 1
    if (tried > labelLimits.tried || count >= labelLimits.placed) break
    const place = findPlace(ranked, scene, taken)
    if (place === undefined) continue
    taken.add(place.boxes)
    count += 1
    if (isOwn) placed.push({ ranked, place })
  }
  return placed
}

function collectSites({ layers, scale, frame, check }: LabelScene): RankedSite[] {
  const sites: RankedSite[] = []
  for (const [layer, { style, features }] of layers.entries()) {
    const find = compileLabels(style, scale)
    for (const [order, { geometry, context }] of features.entries()) {
      check()
      if (sites.length >= labelLimits.collected) break
      // Where a style orders its features, those drawn above come first.
      const position = { layer, order: style.order.length === 0 ? order : -order }
      for (const spec of find(context)) addSites(sites, listSites(geometry, spec, frame), { frame, position })
    }
  }
  return sites
}

interface SitePosition {
  readonly frame: LabelFrame
  readonly position: Pick<RankedSite, 'layer' | 'order'>
}

function addSites(into: RankedSite[], sites: readonly LabelSite[], { frame, position }: SitePosition): void {
  for (const site of sites) {
    const group = site.isPiece ? insideGroup(frame) : findGroup(frame, site.anchor)
    if (group !== undefined) into.push({ site, ...position, group })
  }
}

function compareRank(a: RankedSite, b: RankedSite): number {
  return (
    b.site.spec.priority - a.site.spec.priority ||
    b.layer - a.layer ||
    b.site.size - a.site.size ||
    a.order - b.order
  )
}

function findPlace(
  { site, group }: RankedSite,
  { measure }: LabelScene,
  taken: CollisionIndex,
): Candidate | undefined {
  const [minX, minY, maxX, maxY] = group.domain
  const findFree = (candidates: Iterable<Candidate>): Candidate | undefined => {
    for (const candidate of candidates) {
      const [left, top, right, bottom] = boundsOf(candidate.boxes)
      const isAllowed = left >= minX && top >= minY && right <= maxX && bottom <= maxY
      if (isAllowed && (site.spec.showsAll || !taken.overlaps(candidate.boxes))) return candidate
    }
    return undefined
  }
  const isTaken = site.probes !== undefined && findFree(site.probes()) === undefined
  return isTaken ? undefined : findFree(site.candidates(measure))
}

function labelAt({ spec, anchor }: LabelSite, { boxes, runs }: Candidate): PlacedLabel {
  const { face, color, buffer } = spec
  return { runs: runs(), face, color, ...(buffer ? { buffer } : {}), box: boundsOf(boxes), anchor }
}
