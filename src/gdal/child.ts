// Entry of a child process: the only one that loads GDAL. A file that makes GDAL crash, loop or eat memory takes this
// process with it and nothing else.
import { once } from 'node:events'
import { Socket } from 'node:net'
import { isProblem } from '../core/problem.ts'
import { convertVector } from './convert.ts'
import { jsonFrame } from './frame.ts'
import type { Job, WireProblem } from './job.ts'
import { type GdalModule, loadGdal } from './open.ts'
import { settings } from './settings.ts'

const outputDescriptor = 3

// What GDAL may know of its surroundings: where its data stands, not what the server keeps secret, nor settings that
// happen to be there.
const known = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|GDAL_DATA|PROJ_(LIB|DATA)|NODE_\w+)$/
for (const name of Object.keys(process.env)) if (!known.test(name)) delete process.env[name]
process.env.PROJ_NETWORK = 'OFF'

// The server is gone: nobody reads on.
process.once('disconnect', () => process.exit(1))

process.once('message', (job: Job) => {
  run(job).then(
    () => process.exit(0),
    () => process.exit(1),
  )
})

type Send = (frame: Buffer) => Promise<void>

async function run(job: Job): Promise<void> {
  const output = new Socket({ fd: outputDescriptor, readable: false, writable: true })
  const send: Send = async (frame) => {
    await new Promise<void>((resolve, reject) => {
      output.write(frame, (error) => (error ? reject(error) : resolve()))
    })
  }
  try {
    await convert(job, send)
    await send(jsonFrame('end', {}))
  } catch (error) {
    await send(jsonFrame('problem', asWire(error)))
  }
  output.end()
  await once(output, 'close')
}

/** Loads GDAL, which takes a quarter of a second, for those that need it. */
function openGdal(): GdalModule {
  const gdal = loadGdal()
  for (const [name, value] of Object.entries(settings)) gdal.config.set(name, value)
  return gdal
}

async function convert(job: Job, send: Send): Promise<void> {
  const summary = (found: object) => send(jsonFrame('summary', found))
  const tick = (features = 0) => void send(jsonFrame('tick', { features }))
  if (!('kind' in job))
    return convertVector(openGdal(), job, { summary, frameBytes: job.pieceBytes, rows: send, tick })
  // Loaded for those that need it: most jobs are to read features.
  if (job.kind === 'export') {
    const { writeExport } = await import('./export_write.ts')
    await writeExport(openGdal, job, { rows: process.stdin, tick })
    return summary({})
  }
  const { convertRaster } = await import('./raster_convert.ts')
  await summary(await convertRaster(openGdal(), job, { tick }))
}

function asWire(error: unknown): WireProblem {
  if (!isProblem(error)) {
    return { code: 'gdal/failed', message: error instanceof Error ? error.message : String(error) }
  }
  const { code, message, hint, detail, data } = error
  return { code, message, hint, detail, data }
}
