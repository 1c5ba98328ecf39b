// Entry of the child process, the only one that loads GDAL. A file that makes GDAL crash, hang or exhaust memory affects
// this process only.
import { enableCompileCache, flushCompileCache } from 'node:module'
import type { JobEnd } from './runner/gdal_child.ts'
import type { Job } from './runner/vector_job.ts'

// Environment that GDAL needs, such as the paths of its data; without secrets of the server and accidental settings.
const known = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|GDAL_DATA|PROJ_(LIB|DATA)|NODE_\w+)$/
for (const name of Object.keys(process.env)) if (!known.test(name)) delete process.env[name]
process.env.PROJ_NETWORK = 'OFF'

// The server has ended.
process.once('disconnect', () => process.exit(1))

// Loading code takes half of the start, so compiled code is cached.
enableCompileCache()
const loading = import('./work.ts')

/** A process that has used more memory, in bytes, takes no other job. */
const maxReusableBytes = 256 * 2 ** 20

// The server kills the process, or sends the next job.
process.on('message', (job: Job) => {
  runJob(job).then(
    (end) => process.send?.(end),
    () => process.exit(1),
  )
})

async function runJob(job: Job): Promise<JobEnd> {
  const { work } = await loading
  flushCompileCache()
  const isGdalLoaded = await work(job, process.stdin)
  return { isReusable: !isGdalLoaded && process.memoryUsage.rss() < maxReusableBytes }
}
