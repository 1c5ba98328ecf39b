import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * The Debian packages of programs that the tests run and this machine lacks.
 * Looks at files only, so that it can be asked at every start; a stamp would outlive a changed machine.
 * @returns {string[]}
 */
export function missingTestPrograms() {
  const missing = []
  if (!hasPostgis() && !process.env.LANDFORM_TEST_POSTGRES) missing.push('postgresql-postgis')
  if (!isOnPath('ogr2ogr')) missing.push('gdal-bin')
  if (!['chromium', 'google-chrome', 'chrome'].some(isOnPath)) missing.push('chromium')
  return missing
}

/** A PostgreSQL that can be started from its own folder and that can `create extension postgis`. */
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
