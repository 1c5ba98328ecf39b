/**
 * Makes a fresh clone ready to run: packages, Node 24, GDAL, the pages' code and, with `--test`, what the tests need.
 *
 * `npm start`, `npm test` and `npm run landform` call it first, with whatever Node the system has (18 or newer)
 * and before any package is installed. When nothing has changed it says nothing and costs a few milliseconds,
 * which is why the steps are imported only when there is something to do. It never writes to stdout: that
 * belongs to the command that follows.
 */
import { isWebBuilt } from './build-web.mjs'
import { isSetUp } from './setup/stamp.mjs'
import { missingTestPrograms } from './setup/test-programs.mjs'

const forTests = process.argv.includes('--test')
if (!isSetUp({ forTests }) || !isWebBuilt() || (forTests && missingTestPrograms().length > 0)) {
  const { setUp } = await import('./setup/steps.mjs')
  process.exitCode = await setUp({ forTests })
}
