import { mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { freeColumnName } from '../contract/export_formats.ts'
import { problem } from '../contract/problems.ts'
import { type Rows, writeFlat, writeFlatIndexed } from './export_file.ts'
import { type ExportJob, resultFolder } from './export_job.ts'
import { formatVrt } from './export_vrt.ts'
import type { GdalModule } from './open.ts'

/** Name of the layer in the intermediate file. */
const flatName = 'layer'

/**
 * Writes the rows that come as a file of a format: first into FlatGeobuf, which GDAL reads faster than all else and
 * which takes rows of any number as they come, then by GDAL's own translation.
 *
 * @throws {Problem} files/full, gdal/failed
 */
export async function writeExport(openGdal: () => GdalModule, job: ExportJob, rows: Rows): Promise<void> {
  const results = join(job.folder, resultFolder)
  mkdirSync(results)
  const target = join(results, job.fileName)
  const path = join(job.folder, 'rows.fgb')
  try {
    if (job.driver === 'FlatGeobuf')
      await writeFlatIndexed({ ...job, ...rows, name: job.layerName, path: target }, path)
    else {
      const idColumn = freeColumnName('id', job.columns)
      const columns = [{ name: idColumn, datatype: 'BIGINT' } as const, ...job.columns]
      await writeFlat({ ...job, ...rows, columns, path, name: flatName })
      await translate(openGdal(), job, {
        target,
        source: formatVrt({ ...job, path, name: flatName, idColumn }),
      })
    }
  } catch (error) {
    throw explain(error, job.folder)
  }
}

async function translate(
  gdal: GdalModule,
  { driver, options }: ExportJob,
  { target, source }: { target: string; source: string },
): Promise<void> {
  const dataset = gdal.open(source)
  try {
    const written = await gdal.vectorTranslateAsync(target, dataset, ['-f', driver, ...options])
    written.close()
  } finally {
    dataset.close()
  }
}

/** A full disk shows in many ways, and GDAL does not say that it is one. */
function explain(error: unknown, folder: string): unknown {
  const { bavail, bsize } = statfsSync(folder)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT' || bavail * bsize < 1 << 20)
    return problem('files/full', 'The disk is full while a layer is exported.', { cause: error })
  const message = error instanceof Error ? error.message : String(error)
  return problem('gdal/failed', message, { cause: error })
}
