// Entry of the child process, the only one that loads GDAL. A file that makes GDAL crash, hang or exhaust memory affects
// this process only.
import { enableCompileCache } from 'node:module'
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

process.once('message', (job: Job) => {
  runJob(job).then(
    () => process.exit(0),
    () => process.exit(1),
  )
})

async function runJob(job: Job): Promise<void> {
  const { work } = await loading
  await work(job, process.stdin)
}
