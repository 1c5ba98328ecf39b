import type { Style } from '../../style/style_model.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import { CollisionIndex } from './collision_index.ts'
import { allowedArea, findGroup, insideGroup, type LabelFrame, type LabelGroup } from './label_frame.ts'
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

/** Maximum number of labels that are collected, tried in a group, and placed. */
export const labelLimits = { collected: 200_000, tried: 10_000, placed: 5_000 }

/** A label to place, with its rank. */
interface RankedSite extends LabelSite {
  readonly group: LabelGroup
  /** Position of the layer, and of the feature in it. */
  readonly layer: number
  readonly order: number
}

/**
 * Places the labels of all layers, so that no two overlap. Labels of higher priority go first; among equals, those of upper
 * layers, larger features and the order of drawing decide.
 *
 * @returns the labels, those of lower rank first
 * @throws what `check` throws
 */
export function placeLabels(scene: LabelScene): PlacedLabel[] {
  const taken = new CollisionIndex()
  const placed: PlacedLabel[] = []
  const tried = new Map<string, number>()
  for (const site of collectSites(scene).sort(compareRank)) {
    scene.check()
    const key = `${site.group.stage} ${site.group.key}`
    const count = (tried.get(key) ?? 0) + 1
    tried.set(key, count)
    if (count > labelLimits.tried || placed.length >= labelLimits.placed) continue
    const found = findPlace(site, scene, taken)
    if (found === undefined) continue
    taken.add(found.boxes)
    placed.push(labelAt(site, found))
  }
  return placed.reverse()
}

function collectSites({ layers, scale, frame, check }: LabelScene): RankedSite[] {
  const sites: RankedSite[] = []
  for (const [layer, { style, features }] of layers.entries()) {
    const find = compileLabels(style, scale)
    for (const [order, { geometry, context }] of features.entries()) {
      check()
      if (sites.length >= labelLimits.collected) break
      const found = find(context).flatMap((spec) => listSites(geometry, spec, frame))
      sites.push(...found.flatMap((site) => rankSite(site, frame, { layer, order })))
    }
  }
  return sites
}

function rankSite(
  site: LabelSite,
  frame: LabelFrame,
  position: Pick<RankedSite, 'layer' | 'order'>,
): RankedSite[] {
  const group = site.isPiece ? insideGroup : findGroup(frame, site.anchor)
  return group === undefined ? [] : [{ ...site, ...position, group }]
}

function compareRank(a: RankedSite, b: RankedSite): number {
  return (
    a.group.stage - b.group.stage ||
    b.spec.priority - a.spec.priority ||
    b.layer - a.layer ||
    b.size - a.size ||
    a.order - b.order
  )
}

function findPlace(
  site: RankedSite,
  { frame, measure }: LabelScene,
  taken: CollisionIndex,
): Candidate | undefined {
  const [minX, minY, maxX, maxY] = allowedArea(frame, site.group, site.anchor)
  return site.candidates(measure).find(({ boxes }) => {
    const [left, top, right, bottom] = boundsOf(boxes)
    const isAllowed = left >= minX && top >= minY && right <= maxX && bottom <= maxY
    return isAllowed && (site.spec.showsAll || !taken.overlaps(boxes))
  })
}

function labelAt({ spec, anchor }: RankedSite, { boxes, runs }: Candidate): PlacedLabel {
  const { face, color, buffer } = spec
  return { runs: runs(), face, color, ...(buffer ? { buffer } : {}), box: boundsOf(boxes), anchor }
}
