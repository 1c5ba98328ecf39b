import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sortTestFiles } from './test/support/projects.ts'
import { LongFirst } from './test/support/sequencer.ts'

/** What a worker may come to need: the embedded database, a browser, children that read with GDAL. */
const workerBytes = 3 * 2 ** 30

export default defineConfig({
  test: {
    globalSetup: ['test/support/global.ts'],
    setupFiles: ['test/support/leftovers.ts'],
    projects: Object.entries(sortTestFiles()).map(([name, include]) => ({
      extends: true as const,
      test: { name, include },
    })),
    // Processes, not threads: GDAL, worker threads of our own and signals behave as they do in production.
    pool: 'forks',
    // Programs, and children that read with GDAL, are started hundreds of times: their sources are compiled once.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compile', import.meta.url)) },
    // A worker keeps its modules and its embedded database for the next file; what a file leaves behind is a fault.
    isolate: false,
    sequence: { sequencer: LongFirst },
    maxWorkers: Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / workerBytes))),
    // Only for what hangs: an embedded database that starts in seconds takes a minute of a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // An empty run, a skipped test, or a promise that nobody waits for is a fault, not a success.
    passWithNoTests: false,
    allowOnly: false,
    dangerouslyIgnoreUnhandledErrors: false,
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.cache/tests.json' }]] : ['default'],
  },
})
