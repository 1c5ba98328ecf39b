import type { ImageFormat, LabelChoice } from '../../../contract/formats/image_format.ts'
import { problem } from '../../../contract/problems.ts'
import type { Problem } from '../../../core/problem.ts'
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
 * Draws sources as an encoded image, in a turn of the caller: nothing is read before but what other services send.
 *
 * @throws {Problem} render/*
 */
export function drawSources(context: DrawContext, drawing: Drawing): Promise<DrawnImage> {
  const { draws } = context
  const { sources, frame, signal, labels } = drawing
  const draw = (fetched: ReadonlyLayers) =>
    draws.inTurn(() => workForMap(() => drawNow(context, drawing, fetched)), signal)
  const remote = labels === 'only' ? [] : sources.filter(({ fetchedFrom }) => fetchedFrom !== undefined)
  if (remote.length === 0) return draw(new Map())
  return draws.whileFetching(
    async () => draw(await workForMap(() => readSources(context, remote, drawing))),
    { width: frame.width, height: frame.height, signal },
  )
}

/** Layers of sources that are read. */
type ReadonlyLayers = ReadonlyMap<DrawnSource, JobLayer>

type DrawContext = Pick<ServerContext, 'draws' | 'layerCaches' | 'renderTimeoutSeconds'>

async function drawNow(context: DrawContext, drawing: Drawing, fetched: ReadonlyLayers): Promise<DrawnImage> {
  const { sources, frame, format = 'png', labels = 'yes', signal, isDebug = false } = drawing
  const { box, width, height, system, pixelRatio = 1 } = frame
  const resolution = (box[2] - box[0]) / width
  const [left, top] = system === undefined ? [-mercatorHalfWorld, mercatorHalfWorld] : [0, 0]
  const labelled = labels === 'no' ? [] : await findLabelled(sources, frame)
  const shown = labels === 'only' ? labelled.map(({ source }) => source) : sources
  const isPlacedOnly = labels === 'only' && findMetatiles(frame).length > 0
  const own = isPlacedOnly ? [] : shown.filter((source) => !fetched.has(source))
  const [placed, read] = await Promise.all([
    findImageLabels(context, { labelled, frame, signal }),
    readSources(context, own, drawing),
  ])
  const layers = isPlacedOnly ? [] : shown.flatMap((source) => fetched.get(source) ?? read.get(source) ?? [])
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

/** Reads the layers of sources; that of a source that is drawn several times is read once. */
async function readSources(
  { renderTimeoutSeconds }: DrawContext,
  shown: readonly DrawnSource[],
  { frame, signal, isFresh = false, labels = 'yes' }: Drawing,
): Promise<ReadonlyLayers> {
  const sources = [...new Set(shown)]
  const unread = new Set(sources)
  const reads = sources.map((source) => async (stop: AbortSignal) => {
    const layer = await source.read(frame, { signal: stop, isFresh, labels })
    unread.delete(source)
    return layer
  })
  const toOverdue = () => overdueFetch(unread, renderTimeoutSeconds)
  const layers = await readLayers(reads, signal, { timeoutMs: renderTimeoutSeconds * 1000, toOverdue })
  return new Map(sources.flatMap((source, at) => (layers[at] === undefined ? [] : [[source, layers[at]]])))
}

/** Returns the problem of a time limit in which other services did not send all images; undefined if the server itself was slow. */
function overdueFetch(unread: Iterable<DrawnSource>, seconds: number): Problem | undefined {
  const hosts = new Set([...unread].flatMap(({ fetchedFrom = [] }) => fetchedFrom))
  if (hosts.size === 0) return undefined
  const message = `${[...hosts].join(', ')} did not send the images of all layers within ${seconds} s.`
  return problem('external/unreachable', message, {
    hint: 'Try again later: the service is slow, and few requests are sent to it at a time.',
    data: { reason: 'timeout' },
  })
}
