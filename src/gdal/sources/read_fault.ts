import type { GdalModule } from '../runner/gdal_module.ts'
import { unreadable } from './open_with_gdal.ts'
import type { SourceFile } from './source.ts'

/** Level of errors, above warnings. @see https://gdal.org/api/cpl.html CPLErr */
const failure = 3

/**
 * Reads features with GDAL. When it cannot read a feature, the layer ends there, and GDAL only reports an error.
 *
 * @throws {Problem} source/unreadable with that error
 */
export function readToEnd<T>(gdal: GdalModule, file: Pick<SourceFile, 'name'>, read: () => T): T {
  gdal.lastError = null
  const result = read()
  const error = gdal.lastError as { readonly level: number; readonly message: string } | null
  if (error !== null && error.level >= failure) throw unreadable(file, error.message)
  return result
}
