import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { once } from '../core/once.ts'
import { isProblem } from '../core/problem.ts'
import { convertVector } from './import/convert_vector.ts'
import { jsonFrame } from './runner/frame.ts'
import { loadGdal, type OpenGdal } from './runner/gdal_module.ts'
import { settings } from './runner/settings.ts'
import type { Job, WireProblem } from './runner/vector_job.ts'

const output = new Socket({ fd: 3, readable: false, writable: true })

type Send = (frame: Buffer) => Promise<void>

interface Ends {
  readonly input: Readable
  readonly send: Send
}

/**
 * Runs a job, and sends its result or problem. Throws only if the output is closed.
 *
 * @param input rows that an export job reads
 * @returns whether GDAL was loaded
 */
export async function work(job: Job, input: Readable): Promise<boolean> {
  const send: Send = async (frame) => {
    await new Promise<void>((resolve, reject) => {
      output.write(frame, (error) => (error ? reject(error) : resolve()))
    })
  }
  try {
    await convert(job, { input, send })
  } catch (error) {
    await send(jsonFrame('problem', asWire(error)))
  }
  return isGdalLoaded
}

let isGdalLoaded = false

const openGdal: OpenGdal = once(() => {
  isGdalLoaded = true
  const gdal = loadGdal()
  for (const [name, value] of Object.entries(settings)) gdal.config.set(name, value)
  return gdal
})

async function convert(job: Job, { input, send }: Ends): Promise<void> {
  const summary = (found: object) => send(jsonFrame('summary', found))
  const layout = (found: object) => send(jsonFrame('layout', found))
  const tick = (features = 0, total?: number) => void send(jsonFrame('tick', { features, total }))
  if (!('kind' in job))
    return convertVector(openGdal, job, { layout, summary, frameBytes: job.pieceBytes, rows: send, tick })
  // Loaded on demand, since most jobs read features.
  if (job.kind === 'export') {
    const { writeExport } = await import('./export/write_export.ts')
    return summary(await writeExport(openGdal, job, { rows: input, tick }))
  }
  const { convertRaster } = await import('./raster/convert_raster.ts')
  await summary((await convertRaster(openGdal(), job, { tick })) ?? {})
}

function asWire(error: unknown): WireProblem {
  if (!isProblem(error)) {
    return { code: 'gdal/failed', message: error instanceof Error ? error.message : String(error) }
  }
  const { code, message, hint, detail, data } = error
  return { code, message, hint, detail, data }
}
