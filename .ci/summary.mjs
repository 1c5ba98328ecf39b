/**
 * Summarizes a run of `.ci/run`: `summary.mjs <JSON report of vitest> <exit code of npm test> <exit code of npm
 * start>`. Skipped tests count as failed, as do commands that fail although all tests pass.
 */
import { existsSync, readFileSync } from 'node:fs'

const [reportFile, testsExit, startExit] = process.argv.slice(2)
const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : undefined
const failures = []

for (const file of report?.testResults ?? []) {
  if (file.status === 'failed' && file.message) failures.push(`${file.name}: ${file.message}`)
  for (const test of file.assertionResults) {
    if (test.status !== 'passed') failures.push(`${test.status}: ${file.name}: ${test.fullName}`)
  }
}
const passed = report?.numPassedTests ?? 0
if (report !== undefined && passed === 0) failures.push('no test ran')
if (testsExit !== '0' && failures.length === 0) failures.push(`npm test exited with ${testsExit}: see above`)
if (startExit !== '0') failures.push(`npm start -- --once exited with ${startExit}: see above`)
if (testsExit === '0' && report === undefined) failures.push('npm test wrote no report')

for (const failure of failures) console.log(failure)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
