import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global.ts'],
    // Processes, not threads: GDAL, worker threads of our own and signals behave as they do in production.
    pool: 'forks',
    // Only for what hangs: a first start of the embedded database takes ten seconds of an idle machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // An empty run, a skipped test, or a promise that nobody waits for is a fault, not a success.
    passWithNoTests: false,
    allowOnly: false,
    dangerouslyIgnoreUnhandledErrors: false,
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.cache/tests.json' }]] : ['default'],
  },
})
