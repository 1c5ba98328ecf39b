import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { openFault } from './open_fault.ts'
import type { SourceFile, SourceLayer } from './source.ts'
import { nameSource } from './source_name.ts'

/** Returns the problem of a source that cannot be read. */
export function unreadable({ name }: Pick<SourceFile, 'name'>, reason: string, hint?: string): Error {
  const text = `${nameSource(name)} cannot be read: ${reason}`
  return problem('source/unreadable', text, hint === undefined ? {} : { hint })
}

/**
 * Opens the layers of a file with the first driver of GDAL that accepts it.
 *
 * @throws {Problem} source/unreadable with the reason of the first driver
 */
export async function openWithGdal(
  gdal: GdalModule,
  file: SourceFile,
  drivers: readonly string[],
): Promise<SourceLayer[]> {
  const { dataset, driver } = await openDataset(gdal, file, drivers)
  return dataset.layers.map((layer) => ({ dataset, layer, name: layer.name, format: driver }))
}

async function openDataset(
  gdal: GdalModule,
  file: SourceFile,
  drivers: readonly string[],
): Promise<{ dataset: Dataset; driver: string }> {
  const installed = new Set(gdal.drivers.getNames())
  const usable = drivers.filter((driver) => installed.has(driver))
  let reason = `this GDAL has no driver for ${drivers.join(' or ')}`
  for (const [index, driver] of usable.entries()) {
    try {
      return { dataset: await gdal.openAsync(file.path, 'r', driver), driver }
    } catch (error) {
      if (index === 0) reason = openFault(error, usable)
    }
  }
  throw unreadable(file, reason)
}
