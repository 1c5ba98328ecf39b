import { buildWeb, isWebBuilt } from '../build-web.mjs'
import { installPackages as installSystemPackages } from './apt.mjs'
import { buildGdal, downloadGdal, installBuildPackages, loadedGdal, restoreGdal } from './gdal.mjs'
import { withLock } from './lock.mjs'
import { fetchMetaschema, isMetaschemaFetched } from './metaschema.mjs'
import { describeNode, isNodeLinked, linkNode, needsOwnNode } from './node.mjs'
import { areOgcSchemasFetched, fetchOgcSchemas } from './ogc-schemas.mjs'
import { arePackagesInstalled, installPackages } from './packages.mjs'
import { arePythonPackagesInstalled, installPythonPackages } from './python.mjs'
import { isSetUp, writeStamp } from './stamp.mjs'
import { missingTestPrograms } from './test-programs.mjs'

/**
 * Runs the missing steps and prints one line for each.
 * @returns {Promise<number>} exit code: 0, or 1 if the command that follows cannot work
 */
export async function setUp({ forTests }) {
  try {
    await withLock(async () => {
      // Another process may have completed the set-up while this one waited for the lock.
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
  if (gdal === undefined && forTests)
    throw new Error('the tests require GDAL, which could not be set up: see above')
  writeStamp({ linked: node.linked, abi: node.abi, gdal: gdal !== undefined })
}

/** GDAL is optional: without it, commands that use it report that it is missing. */
async function findGdal(node) {
  const version = (await loadedGdal(node)) ?? (await restoreGdal(node))
  if (version !== undefined) return version
  const downloaded = await attempt('downloading GDAL', () => downloadGdal(node))
  if (downloaded.value !== undefined) return downloaded.value
  const ready = await attempt('installing the build dependencies of GDAL', installBuildPackages)
  if (ready.fault !== undefined) return explainMissingGdal(ready.fault)
  const built = await attempt('building GDAL (one to three minutes)', () => buildGdal(node))
  return built.fault === undefined ? built.value : explainMissingGdal(built.fault)
}

function explainMissingGdal(fault) {
  say(`setup: ${fault.message}\n`)
  say('setup: continuing without GDAL: only GeoJSON and CSV files can be read and written.\n')
  return undefined
}

async function setUpTestPrograms() {
  const missing = missingTestPrograms()
  if (missing.length > 0) await step(`installing ${missing.join(' ')}`, () => installSystemPackages(missing))
  if (!arePythonPackagesInstalled()) await step('installing Python packages', installPythonPackages)
  // Their tests say so if they are missing.
  if (!areOgcSchemasFetched()) await attempt('fetching the schemas of WFS', fetchOgcSchemas)
  if (!isMetaschemaFetched()) await attempt('fetching the metaschema of Pulumi', fetchMetaschema)
}

/** Runs a step that may fail, and returns its value or its error. */
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
    say(`failed (${seconds(start)})\n`)
    throw error
  }
}

const seconds = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`

const say = (text) => process.stderr.write(text)
