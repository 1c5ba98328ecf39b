/**
 * Sets up a fresh clone: packages, Node 24, GDAL, the browser code and, with `--test`, programs that the tests need.
 *
 * `npm start`, `npm test` and `npm run landform` run it first, with the Node of the system (18 or newer) and before any
 * package is installed. If nothing has changed it prints nothing and takes a few milliseconds; the steps are imported
 * only when needed. It never writes to stdout, which belongs to the command that follows.
 */
import { isWebBuilt } from './build-web.mjs'
import { isMetaschemaFetched } from './setup/metaschema.mjs'
import { areOgcSchemasFetched } from './setup/ogc-schemas.mjs'
import { arePythonPackagesInstalled } from './setup/python.mjs'
import { isSetUp } from './setup/stamp.mjs'
import { missingTestPrograms } from './setup/test-programs.mjs'

const forTests = process.argv.includes('--test')
const areTestsReady = () =>
  missingTestPrograms().length === 0 &&
  arePythonPackagesInstalled() &&
  areOgcSchemasFetched() &&
  isMetaschemaFetched()
if (!isSetUp({ forTests }) || !isWebBuilt() || (forTests && !areTestsReady())) {
  const { setUp } = await import('./setup/steps.mjs')
  process.exitCode = await setUp({ forTests })
}
