import { parentPort, workerData } from 'node:worker_threads'
import { isProblem } from '../../core/problem.ts'
import { allowExpressionWork } from '../../style/expression/expression_work.ts'
import { type AddWork, createWorkCounter, workOf } from '../draw/draw_work.ts'
import type { LabelFrame } from '../label/label_frame.ts'
import type { LabelPen } from '../label/label_pen.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import { encodePng, encodePngStrips } from '../raster/png.ts'
import { SpriteCache } from '../raster/sprite.ts'
import { isTransparent, releaseSurface, type Surface } from '../raster/surface.ts'
import { encodeWebpOrJpeg } from '../raster/webp_jpeg.ts'
import { drawStrips, isOneStrip } from './draw_image.ts'
import type { DrawJob, DrawnImage, ProbeJob } from './draw_job.ts'
import type { DrawFailure, DrawReply, DrawRequest, PoolJob } from './draw_pool.ts'
import { placeJobLabels } from './job_labels.ts'
import { probeRaster } from './raster_window.ts'
import { loadSvgImages } from './svg_images.ts'

/** Number of the request whose client went away. */
const cancelled = workerData as Int32Array

const sprites = new SpriteCache()

// Only the fonts of the packages are used, so that every server draws the same labels.
process.env.DISABLE_SYSTEM_FONTS_LOAD = '1'

let labelPen: Promise<LabelPen> | undefined

/** Returns the pen of this thread. The library is loaded when the first label is drawn. */
function findPen(): Promise<LabelPen> {
  labelPen ??= import('../label/canvas_pen.ts').then(({ createCanvasPen }) => createCanvasPen())
  return labelPen
}

parentPort?.on('message', async ({ number, job, frame }: DrawRequest) => {
  try {
    // A thread draws one image at a time.
    allowExpressionWork(workOf('width' in job ? job.width * job.height : 0))
    if ('probe' in job) {
      const values = probeRaster(job)
      reply(values === undefined ? { number } : { number, values })
      return
    }
    if (frame !== undefined && !('legend' in job)) {
      reply({ number, labels: await place(job, number, frame) })
      return
    }
    const image = await draw(job, number)
    reply({ number, image }, [image.bytes.buffer])
  } catch (error) {
    reply({ number, failure: failureOf(error) })
  }
})

function failureOf(error: unknown): DrawFailure {
  if (isProblem(error)) return { code: error.code, message: error.message }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}

function reply(message: DrawReply, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** Creates the check of a request: that its client is still there, and that its work is not too much. */
function checkOf(number: number, pixels = 0): AddWork {
  const count = createWorkCounter(pixels)
  return (work = 0) => {
    if (Atomics.load(cancelled, 0) === number) throw new Error('cancelled')
    if (work !== 0) count(work)
  }
}

async function place(job: DrawJob, number: number, frame?: LabelFrame): Promise<PlacedLabel[]> {
  return placeJobLabels(job, { pen: await findPen(), check: checkOf(number) }, frame)
}

async function draw(job: Exclude<PoolJob, ProbeJob>, number: number): Promise<DrawnImage> {
  if (!('legend' in job)) return drawMap(job, number)
  const { drawLegend } = await import('../legend/draw_legend.ts')
  const textPen = hasTextMarkers(job.items) ? { textPen: await findPen() } : {}
  return drawLegend(job, { sprites, check: checkOf(number), ...textPen })
}

async function drawMap(job: DrawJob, number: number): Promise<DrawnImage> {
  const check = checkOf(number, job.width * job.height)
  const placed = job.labels === 'place' ? await place(job, number) : (job.labels ?? [])
  const labels = placed.length === 0 ? {} : { labels: { placed, pen: await findPen() } }
  const marks = job.marks === undefined ? {} : { markPen: await findPen() }
  const images = await loadSvgImages(job, { placed, addWork: check })
  const textPen = hasTextMarkers(job.layers) ? { textPen: await findPen() } : {}
  let isEmpty = true
  function* strips(): Generator<Surface> {
    for (const strip of drawStrips(job, { sprites, images, check, ...labels, ...marks, ...textPen })) {
      isEmpty &&= isTransparent(strip)
      yield strip
    }
  }
  const bytes = await encodeImage(job, strips())
  return { bytes, isEmpty }
}

/** Reports whether layers or legends have markers of letters. */
function hasTextMarkers(styled: readonly object[]): boolean {
  return styled.some((one) => {
    const { style, symbol }: { readonly style?: unknown; readonly symbol?: unknown } = one
    return JSON.stringify([style, symbol]).includes('"kind":"text"')
  })
}

async function encodeImage(job: DrawJob, strips: Generator<Surface>): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, format = 'png' } = job
  if (format !== 'png') return copyOf(await encodeWebpOrJpeg({ width, height, format }, strips))
  if (!isOneStrip(job)) return encodePngStrips(job, strips)
  const [surface] = strips
  if (surface === undefined) throw new Error('an image without pixels')
  const bytes = encodePng(surface)
  releaseSurface(surface)
  return bytes
}

// A small buffer of Node shares its memory with others, and cannot be transferred.
function copyOf(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
