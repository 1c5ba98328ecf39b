import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Extension } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { keepInCache } from './cache.ts'
import { filterTar } from './tar.ts'

/** Names the bundle: another version of the package makes its own. */
export const bundleName = 'postgis-0.2.8-lean.tar.gz'

/** What makes the extension, and the extensions beside it: a database that has PostGIS needs neither. */
const dispensable = /\.sql$|raster|topology/

/**
 * PostGIS for a database that has it already. The package brings rasters and topologies along, libraries of 16 MB each
 * that are compiled at every start: without them a database starts in less than half of the time, and takes 270 MB less.
 *
 * @param cacheFolder where the bundle is kept
 */
export function leanPostgis(cacheFolder: string): Extension {
  return {
    ...postgis,
    async setup(pglite, options) {
      const made = await postgis.setup(pglite, options)
      const { bundlePath } = made
      if (bundlePath === undefined) return made
      const path = join(cacheFolder, bundleName)
      if (!existsSync(path))
        await keepInCache(
          path,
          filterTar(await readFile(bundlePath), (name) => !dispensable.test(name)),
        )
      return { ...made, bundlePath: pathToFileURL(path) }
    },
  }
}
