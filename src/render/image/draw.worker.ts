import { parentPort, workerData } from 'node:worker_threads'
import { isProblem } from '../../core/problem.ts'
import { encodePng, encodePngStrips } from '../raster/png.ts'
import { SpriteCache } from '../raster/sprite.ts'
import { isTransparent, type Surface } from '../raster/surface.ts'
import { encodeWebpOrJpeg } from '../raster/webp_jpeg.ts'
import { drawStrips, isOneStrip } from './draw_image.ts'
import type { DrawJob, DrawnImage } from './draw_job.ts'
import type { DrawReply, DrawRequest } from './draw_pool.ts'
import { loadSvgImages } from './svg_images.ts'

/** Number of the request whose client went away. */
const cancelled = workerData as Int32Array

const sprites = new SpriteCache()

parentPort?.on('message', async ({ number, job }: DrawRequest) => {
  try {
    const image = await draw(job, number)
    reply({ number, image }, [image.bytes.buffer])
  } catch (error) {
    const { code, message } = isProblem(error)
      ? error
      : { code: 'render/failed', message: error instanceof Error ? error.message : String(error) }
    reply({ number, failure: { code, message } })
  }
})

function reply(message: DrawReply, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

async function draw(job: DrawJob, number: number): Promise<DrawnImage> {
  const check = () => {
    if (Atomics.load(cancelled, 0) === number) throw new Error('cancelled')
  }
  const images = await loadSvgImages(job)
  let isEmpty = true
  function* strips(): Generator<Surface> {
    for (const strip of drawStrips(job, { sprites, images, check })) {
      isEmpty &&= isTransparent(strip)
      yield strip
    }
  }
  const bytes = await encodeImage(job, strips())
  return { bytes, isEmpty }
}

async function encodeImage(job: DrawJob, strips: Generator<Surface>): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, format = 'png' } = job
  if (format !== 'png') return copyOf(await encodeWebpOrJpeg({ width, height, format }, strips))
  if (!isOneStrip(job)) return copyOf(await encodePngStrips(job, strips))
  const [surface] = strips
  if (surface === undefined) throw new Error('an image without pixels')
  return copyOf(encodePng(surface))
}

// A small buffer of Node shares its memory with others, and cannot be transferred.
function copyOf(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
