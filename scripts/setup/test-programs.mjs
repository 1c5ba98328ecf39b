import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { areOgcSchemasFetched } from './ogc-schemas.mjs'
import { arePythonPackagesInstalled } from './python.mjs'

/**
 * Returns the Debian packages of missing programs that the tests run. Checks files at every start, without a stamp,
 * since the machine may change.
 * @returns {string[]}
 */
export function missingTestPrograms() {
  const missing = []
  if (!hasPostgis() && !process.env.LANDFORM_TEST_POSTGRES) missing.push('postgresql-postgis')
  if (!isOnPath('ogr2ogr')) missing.push('gdal-bin')
  if (!isOnPath('mapserv')) missing.push('mapserver-bin')
  if (!isOnPath('wrk')) missing.push('wrk')
  if (!isOnPath('openssl')) missing.push('openssl')
  if (!isOnPath('python3')) missing.push('python3')
  if (!arePythonPackagesInstalled() && !isOnPath('pip3')) missing.push('python3-pip')
  if (!areOgcSchemasFetched() && !isOnPath('mvn')) missing.push('maven')
  // Of Chromium's two headless modes the one without windows: it takes less than half the processor time.
  if (!isOnPath('chromium-headless-shell')) missing.push('chromium-headless-shell')
  return missing
}

/** Reports whether a PostgreSQL server with PostGIS is installed. */
function hasPostgis() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  return versions.some(
    (version) =>
      existsSync(`/usr/lib/postgresql/${version}/bin/initdb`) &&
      existsSync(`/usr/share/postgresql/${version}/extension/postgis.control`),
  )
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)))
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
