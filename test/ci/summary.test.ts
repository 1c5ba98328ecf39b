import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../.ci/summary.mjs', import.meta.url))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landform-summary-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Sums up tests of these statuses; without any, there is no report. */
function sumUp(statuses: readonly string[] | undefined, exits: readonly [tests: number, start: number]) {
  const report = join(folder, `${statuses?.join('-') ?? 'none'}.json`)
  const assertionResults = statuses?.map((status) => ({ status, fullName: 'keeps its word' }))
  const numPassedTests = statuses?.filter((status) => status === 'passed').length
  const testResults = [{ name: 'a.test.ts', status: 'passed', message: '', assertionResults }]
  if (statuses !== undefined) writeFileSync(report, JSON.stringify({ numPassedTests, testResults }))
  const { stdout, status } = spawnSync(process.execPath, [script, report, ...exits.map(String)], {
    encoding: 'utf8',
  })
  return { exit: status, last: stdout.trimEnd().split('\n').at(-1) }
}

test('a run succeeds if every test passed and both commands succeeded', () => {
  expect(sumUp(['passed', 'passed'], [0, 0])).toEqual({ exit: 0, last: '2 passed, 0 failed' })
})

test.each(['skipped', 'pending', 'todo', 'failed'])('a test that is %s fails the run', (status) => {
  expect(sumUp(['passed', status], [0, 0])).toEqual({ exit: 1, last: '1 passed, 1 failed' })
})

test.each([
  ['no test ran', [], [0, 0], '0 passed, 1 failed'],
  ['there is no report', undefined, [0, 0], '0 passed, 1 failed'],
  ['the checks before the tests fail', undefined, [1, 0], '0 passed, 1 failed'],
  ['vitest fails for a reason that is no test', ['passed'], [1, 0], '1 passed, 1 failed'],
  ['the start command fails', ['passed'], [0, 3], '1 passed, 1 failed'],
] as const)('a run is bad when %s', (_, statuses, exits, last) => {
  expect(sumUp(statuses, exits)).toEqual({ exit: 1, last })
})
