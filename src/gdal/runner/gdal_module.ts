import { createRequire, registerHooks } from 'node:module'
import type * as Gdal from 'gdal-async'
import { problem } from '../../contract/problems.ts'

/** Module of the GDAL bindings. */
export type GdalModule = typeof Gdal

/** Loads GDAL at the first call, since that takes a tenth of a second, and most GeoJSON is read without it. */
export type OpenGdal = () => GdalModule

const require = createRequire(import.meta.url)

/**
 * Loads GDAL into this process. Only for child processes, since a bad file can crash GDAL, and its calls cannot be
 * cancelled.
 *
 * @throws {Problem} gdal/missing if the optional dependency is not installed, or was built for another version of Node
 */
export function loadGdal(): GdalModule {
  const hook = skipXmlLibrary()
  try {
    return require('gdal-async') as GdalModule
  } catch (cause) {
    throw problem('gdal/missing', `gdal-async cannot be loaded: ${firstLine(cause)}`, { cause })
  } finally {
    hook.deregister()
  }
}

/**
 * Keeps gdal-async from loading xmlbuilder2, which takes a third of its loading time and is used only by its function
 * `wrapVRT`.
 */
function skipXmlLibrary(): { deregister(): void } {
  return registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'xmlbuilder2'
        ? { url: 'node:util', format: 'builtin', shortCircuit: true }
        : next(specifier, context),
  })
}

/** Tells whether the optional dependency is installed, without loading it. */
export function hasGdal(): boolean {
  try {
    require.resolve('gdal-async')
    return true
  } catch {
    return false
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
}
