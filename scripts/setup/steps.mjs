import { buildWeb, isWebBuilt } from '../build-web.mjs'
import { installPackages as installSystemPackages } from './apt.mjs'
import { buildGdal, downloadGdal, installBuildPackages, loadedGdal, restoreGdal } from './gdal.mjs'
import { withLock } from './lock.mjs'
import { describeNode, isNodeLinked, linkNode, needsOwnNode } from './node.mjs'
import { arePackagesInstalled, installPackages } from './packages.mjs'
import { isSetUp, writeStamp } from './stamp.mjs'
import { missingTestPrograms } from './test-programs.mjs'

/**
 * Does what is missing, one line a step.
 * @returns {Promise<number>} the exit code: 0, or 1 when the command that follows could not work
 */
export async function setUp({ forTests }) {
  try {
    await withLock(async () => {
      // While we waited for the lock, another one may have done it all.
      if (!isSetUp({ forTests })) await setUpPackages({ forTests })
      if (!isWebBuilt()) await step('building the pages', buildWeb)
      if (forTests) await setUpTestPrograms()
    })
    return 0
  } catch (error) {
    say(`setup: ${error.message}\n`)
    return 1
  }
}

async function setUpPackages({ forTests }) {
  if (!arePackagesInstalled()) await step('installing packages', installPackages)
  if (needsOwnNode() && !isNodeLinked()) await step('installing Node 24', linkNode)
  const node = await describeNode()
  const gdal = await findGdal(node)
  if (gdal === undefined && forTests) throw new Error('the tests need GDAL: see above for what is missing')
  writeStamp({ linked: node.linked, abi: node.abi, gdal: gdal !== undefined })
}

/** GDAL is wanted, not needed: without it the readers that use it say so when they are called. */
async function findGdal(node) {
  const version = (await loadedGdal(node)) ?? (await restoreGdal(node))
  if (version !== undefined) return version
  const downloaded = await attempt('fetching GDAL', () => downloadGdal(node))
  if (downloaded.value !== undefined) return downloaded.value
  const ready = await attempt('installing what a build of GDAL needs', installBuildPackages)
  if (ready.fault !== undefined) return explainMissingGdal(ready.fault)
  const built = await attempt('building GDAL (one to three minutes)', () => buildGdal(node))
  return built.fault === undefined ? built.value : explainMissingGdal(built.fault)
}

function explainMissingGdal(fault) {
  say(`setup: ${fault.message}\n`)
  say('setup: going on without GDAL: files other than GeoJSON and CSV can neither be read nor written.\n')
  return undefined
}

async function setUpTestPrograms() {
  const missing = missingTestPrograms()
  if (missing.length > 0) await step(`installing ${missing.join(' ')}`, () => installSystemPackages(missing))
}

/** A step that may fail: gives its value or its fault. */
async function attempt(title, action) {
  try {
    return { value: await step(title, action) }
  } catch (fault) {
    return { fault }
  }
}

async function step(title, action) {
  const start = Date.now()
  say(`setup: ${title} … `)
  try {
    const value = await action()
    say(`${seconds(start)}\n`)
    return value
  } catch (error) {
    say(`not possible (${seconds(start)})\n`)
    throw error
  }
}

const seconds = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`

const say = (text) => process.stderr.write(text)
