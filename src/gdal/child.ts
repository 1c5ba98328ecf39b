// Entry of a child process: the only one that loads GDAL. A file that makes GDAL crash, loop or eat memory takes this
// process with it and nothing else.
import { enableCompileCache } from 'node:module'
import type { Job } from './runner/vector_job.ts'

// What GDAL may know of its surroundings: where its data stands, not what the server keeps secret, nor settings that
// happen to be there.
const known = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|GDAL_DATA|PROJ_(LIB|DATA)|NODE_\w+)$/
for (const name of Object.keys(process.env)) if (!known.test(name)) delete process.env[name]
process.env.PROJ_NETWORK = 'OFF'

// The server is gone: nobody reads on.
process.once('disconnect', () => process.exit(1))

// Half of the start is the loading of code; the second time it is read from the cache.
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
