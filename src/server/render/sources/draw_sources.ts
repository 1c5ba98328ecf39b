import type { ImageFormat, LabelChoice } from '../../../contract/formats/image_format.ts'
import { workForMap } from '../../../database/turns.ts'
import { mercatorHalfWorld } from '../../../geo/mercator.ts'
import type { DrawJob, DrawnImage, JobLayer } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import { scaleDenomOf } from '../../../style/match_rules.ts'
import type { ServerContext } from '../../context.ts'
import { findDebugMarks } from '../debug_frame.ts'
import { findImageLabels, findLabelled } from '../image_labels.ts'
import { findMetatiles } from '../metatile.ts'
import type { DrawnSource } from './drawn_source.ts'
import { readLayers } from './read_layers.ts'

/** Sources to draw, bottom first. */
export interface Drawing {
  readonly sources: readonly DrawnSource[]
  readonly frame: ImageFrame
  /** PNG by default. */
  readonly format?: ImageFormat
  readonly signal: AbortSignal
  /** Whether labels are drawn, or nothing else. @default 'yes' */
  readonly labels?: LabelChoice
  /** Whether images of other services are fetched again. */
  readonly isFresh?: boolean
  /** Whether tiles, or the image, are outlined. */
  readonly isDebug?: boolean
}

/**
 * Draws sources as an encoded image, in a turn of the caller: nothing is read before.
 *
 * @throws {Problem} render/*
 */
export function drawSources(context: DrawContext, drawing: Drawing): Promise<DrawnImage> {
  return context.draws.inTurn(() => workForMap(() => drawNow(context, drawing)), drawing.signal)
}

type DrawContext = Pick<ServerContext, 'draws' | 'layerCaches' | 'renderTimeoutSeconds'>

async function drawNow(
  context: DrawContext,
  { sources, frame, format = 'png', labels = 'yes', signal, isFresh = false, isDebug = false }: Drawing,
): Promise<DrawnImage> {
  const { box, width, height, system, pixelRatio = 1 } = frame
  const resolution = (box[2] - box[0]) / width
  const [left, top] = system === undefined ? [-mercatorHalfWorld, mercatorHalfWorld] : [0, 0]
  const labelled = labels === 'no' ? [] : await findLabelled(sources, frame)
  const shown = labels === 'only' ? labelled.map(({ source }) => source) : sources
  const isPlacedOnly = labels === 'only' && findMetatiles(frame).length > 0
  const [placed, layers] = await Promise.all([
    findImageLabels(context, { labelled, frame, signal }),
    readShown(isPlacedOnly ? [] : shown, {
      read: (source, stop) => source.read(frame, { signal: stop, isFresh, labels }),
      ...{ signal, timeoutMs: context.renderTimeoutSeconds * 1000 },
    }),
  ])
  const job: DrawJob = {
    width,
    height,
    origin: [(box[0] - left) / resolution, (top - box[3]) / resolution],
    scaleDenom: scaleDenomOf(resolution * pixelRatio * (system?.metresPerUnit ?? 1)),
    pixelsPerMapUnit: 1 / (resolution * pixelRatio),
    ...{ pixelRatio, format, layers },
    ...(placed === undefined ? {} : { labels: placed }),
    ...(labels === 'only' ? { showsLabelsOnly: true } : {}),
    ...(isDebug ? { marks: findDebugMarks(frame) } : {}),
  }
  return context.draws.draw(job, signal)
}

interface ShownReading {
  readonly read: (source: DrawnSource, stop: AbortSignal) => Promise<JobLayer>
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Reads the layers of sources; that of a source that is drawn several times is read once. */
async function readShown(
  shown: readonly DrawnSource[],
  { read, signal, timeoutMs }: ShownReading,
): Promise<JobLayer[]> {
  const sources = [...new Set(shown)]
  const reads = sources.map((source) => (stop: AbortSignal) => read(source, stop))
  const layers = await readLayers(reads, signal, { timeoutMs })
  const layerOf = new Map(sources.map((source, at) => [source, layers[at]]))
  return shown.flatMap((source) => layerOf.get(source) ?? [])
}
