import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sortTestFiles } from './test/support/projects.ts'
import { LongFirst } from './test/support/sequencer.ts'

/** Maximum memory of a worker: the embedded database, a browser, GDAL child processes. */
const workerBytes = 3 * 2 ** 30

/** A whole run is one project: workers and PostgreSQL are started once, and no core waits for the end of a project. */
const splits = process.argv.some((argument) => argument.startsWith('--project'))

export default defineConfig({
  test: {
    globalSetup: ['test/support/global.ts'],
    setupFiles: ['test/support/leftovers.ts', 'test/support/count_cases.ts'],
    ...(splits
      ? {
          projects: Object.entries(sortTestFiles()).map(([name, include]) => ({
            extends: true,
            test: { name, include },
          })),
        }
      : { include: ['test/**/*.test.ts'] }),
    // Processes, not threads, so that GDAL, worker threads and signals behave as in production.
    pool: 'forks',
    // The program and GDAL child processes are started hundreds of times: caches their compiled sources.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compile', import.meta.url)) },
    // A worker keeps its modules and its embedded database for the next file; leftovers of a file fail it.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // One more than there are cores: a worker waits for other processes, but each loads all modules and its own embedded database.
    maxWorkers: Math.max(1, Math.min(availableParallelism() + 1, Math.floor(totalmem() / workerBytes))),
    // Only for hanging tests: an embedded database that starts in seconds takes a minute on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // An empty run, a focused test or an unhandled rejection fails the run.
    passWithNoTests: false,
    allowOnly: false,
    dangerouslyIgnoreUnhandledErrors: false,
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.cache/tests.json' }]] : ['default'],
  },
})
