import { createRequire } from 'node:module'
import type * as Gdal from 'gdal-async'
import { problem } from '../../contract/problems.ts'

/** The functions of GDAL. */
export type GdalModule = typeof Gdal

const require = createRequire(import.meta.url)

/**
 * Loads GDAL into this process. Only child processes may: a bad file can crash it, and its calls cannot be stopped.
 *
 * @throws {Problem} gdal/missing where the optional dependency is not installed, or was built for another Node
 */
export function loadGdal(): GdalModule {
  try {
    return require('gdal-async') as GdalModule
  } catch (cause) {
    throw problem('gdal/missing', `gdal-async cannot be loaded: ${firstLine(cause)}`, { cause })
  }
}

/** Tells whether the optional dependency is there, without loading it. */
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
