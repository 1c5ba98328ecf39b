import { bboxesIntersect } from '../../geo/bbox.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import type { DrawJob } from '../../render/image/draw_job.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { moveLabel, type PlacedLabel, reachOfLabel } from '../../render/label/placed_label.ts'
import { scaleDenomOf } from '../../style/match_rules.ts'
import type { ServerContext } from '../context.ts'
import { untrackedTtlMs } from '../map/current_cache.ts'
import { describeData } from '../map/tile_data.ts'
import {
  findMetatiles,
  isWholeWorld,
  labelAreas,
  labelFrameOf,
  type Metatile,
  metatileAt,
  metatileCorner,
  seamsOf,
  worldPixels,
} from './metatile.ts'
import type { DrawnSource, LabelledSource } from './sources/drawn_source.ts'
import { readLayers } from './sources/read_layers.ts'

/** Sources with labels, and part of the map to label. */
export interface Labelling {
  readonly labelled: readonly Labelled[]
  readonly frame: ImageFrame
  readonly signal: AbortSignal
}

/**
 * Finds the labels of an image. Those of tiles are placed for a metatile, and cached: so adjacent tiles agree.
 *
 * @returns `place` for images that do not consist of tiles, undefined without labels
 * @throws {Problem} render/*
 */
export async function findImageLabels(
  context: Pick<ServerContext, 'draws' | 'layerCaches' | 'renderTimeoutSeconds'>,
  { labelled, frame, signal }: Labelling,
): Promise<DrawJob['labels']> {
  if (labelled.length === 0) return undefined
  const metatiles = findMetatiles(frame)
  if (metatiles.length === 0) return 'place'
  const lists = await Promise.all(
    metatiles.map(async (metatile) => {
      const labels = await placeMetatile(context, metatile, { labelled, signal })
      return ownLabels(labels, metatile, metatiles)
    }),
  )
  const labels = lists.flat()
  return labels.length === 0 ? undefined : cutOut(labels, { frame, periods: periodsOf(metatiles) })
}

/** Lists the distances at which labels of metatiles are repeated. Beside others, a metatile has the labels of both sides. */
function periodsOf([metatile]: readonly Metatile[]): readonly number[] {
  if (metatile === undefined || !isWholeWorld(metatile)) return [0]
  const world = worldPixels(metatile)
  return [0, -world, world]
}

/** A source with labels at the scale of an image. */
export interface Labelled {
  readonly source: DrawnSource
  readonly labels: LabelledSource
}

/** Returns the sources with labels at the scale of an image. One that is drawn several times is labelled once. */
export async function findLabelled(sources: readonly DrawnSource[], frame: ImageFrame): Promise<Labelled[]> {
  const scaleDenom = scaleDenomOf(resolutionOf(frame) * (frame.system?.metresPerUnit ?? 1))
  const found = await Promise.all(
    [...new Set(sources)].map(async (source) => {
      const labels = await source.findLabels?.(scaleDenom)
      return labels === undefined ? [] : [{ source, labels }]
    }),
  )
  return found.flat()
}

/** Metres, or other units of the frame, per pixel of 1/96 inch. */
function resolutionOf({ box, width, pixelRatio = 1 }: ImageFrame): number {
  return ((box[2] - box[0]) / width) * pixelRatio
}

/** Places the labels of a metatile, in pixels of the world. */
function placeMetatile(
  {
    draws,
    layerCaches,
    renderTimeoutSeconds,
  }: Pick<ServerContext, 'draws' | 'layerCaches' | 'renderTimeoutSeconds'>,
  metatile: Metatile,
  { labelled, signal }: { readonly labelled: readonly Labelled[]; readonly signal: AbortSignal },
): Promise<readonly PlacedLabel[]> {
  const frame = labelFrameOf(metatile)
  const shown = labelled.flatMap(({ source }) => source.shown ?? [])
  const layers = shown.map(({ layer }) => layer)
  const key = JSON.stringify([metatile, ...labelled.map(({ labels }) => labels.key)])
  const ttlMs = shown.length < labelled.length ? untrackedTtlMs : undefined
  return layerCaches.labels.get({ key, layers, ttlMs, signal }, async (stop) => {
    const resolution = resolutionOf(frame)
    const { width, height } = frame
    const job: DrawJob = {
      ...{ width, height, keepsWorldEdges: true },
      origin: [0, 0],
      scaleDenom: scaleDenomOf(resolution),
      pixelsPerMapUnit: 1 / resolution,
      layers: await readLayers(
        labelled.map(
          ({ labels }) =>
            (ended) =>
              labels.read(frame, ended),
        ),
        stop,
        { timeoutMs: renderTimeoutSeconds * 1000 },
      ),
    }
    const area = seamsOf(metatile)
    const placed = await draws.place(job, area, stop)
    const [x, y] = metatileCorner(metatile)
    const tile = placed.map((label) => moveLabel(label, x - area.box[0], y - area.box[1]))
    return { tile, data: layers.map((layer) => describeData(layer, labelAreas(metatile))) }
  })
}

/** Leaves out labels that belong to another of the metatiles, since it has them too. */
function ownLabels(
  labels: readonly PlacedLabel[],
  metatile: Metatile,
  metatiles: readonly Metatile[],
): readonly PlacedLabel[] {
  const isSame = (one: Metatile, other: Metatile) => one.column === other.column && one.row === other.row
  return labels.filter(({ anchor }) => {
    const owner = metatileAt(metatile.zoom, anchor)
    return isSame(owner, metatile) || !metatiles.some((other) => isSame(owner, other))
  })
}

/** Returns the labels that may be seen in an image, in its pixels of 1/96 inch. */
function cutOut(
  labels: readonly PlacedLabel[],
  { frame, periods }: { readonly frame: ImageFrame; readonly periods: readonly number[] },
): PlacedLabel[] {
  const { box, width, height, pixelRatio = 1 } = frame
  const zoomScale = 1 / resolutionOf(frame)
  const [left, top] = [
    Math.round((box[0] + mercatorHalfWorld) * zoomScale),
    Math.round((mercatorHalfWorld - box[3]) * zoomScale),
  ]
  const [right, bottom] = [left + width / pixelRatio, top + height / pixelRatio]
  const isNear = (label: PlacedLabel) => bboxesIntersect(reachOfLabel(label), [left, top, right, bottom])
  return labels
    .flatMap((label) => periods.map((by) => (by === 0 ? label : moveLabel(label, by, 0))))
    .filter(isNear)
    .map((label) => moveLabel(label, -left, -top))
}
