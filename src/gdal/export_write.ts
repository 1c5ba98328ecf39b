import { closeSync, mkdirSync, openSync, renameSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freeColumnName } from '../contract/export_formats.ts'
import { problem } from '../contract/problems.ts'
import { writeFlatFeature, writeFlatHeader } from './export_flat.ts'
import { type ExportJob, type JobRow, resultFolder } from './export_job.ts'
import { GrowingBytes } from './export_sink.ts'
import { formatVrt } from './export_vrt.ts'
import type { GdalModule } from './open.ts'

/** Rows, and what says that some were taken. */
interface Rows {
  readonly rows: AsyncIterable<Uint8Array>
  tick(): void
}

const pieceBytes = 1 << 20

/** Name of the layer in the intermediate file. */
const flatName = 'layer'

/**
 * Writes the rows that come as a file of a format: first into FlatGeobuf, which GDAL reads faster than all else and
 * which takes rows of any number as they come, then by GDAL's own translation.
 *
 * @throws {Problem} files/full, gdal/failed
 */
export async function writeExport(gdal: GdalModule, job: ExportJob, { rows, tick }: Rows): Promise<void> {
  const results = join(job.folder, resultFolder)
  mkdirSync(results)
  const target = join(results, job.fileName)
  const path = join(job.folder, 'rows.fgb')
  try {
    if (job.driver === 'FlatGeobuf') await writeFlatFile(gdal, job, { path, target, rows, tick })
    else {
      const idColumn = freeColumnName('id', job.columns)
      const columns = [{ name: idColumn, datatype: 'BIGINT' } as const, ...job.columns]
      await writeFlat({ ...job, columns, path, name: flatName, tick, rows })
      await translate(gdal, job, { target, source: formatVrt({ ...job, path, name: flatName, idColumn }) })
    }
  } catch (error) {
    throw explain(error, job.folder)
  }
}

interface FlatFile extends Rows {
  readonly path: string
  readonly target: string
}

// GDAL adds a spatial index. Features without geometry have no place in one: some versions drop them, so they stay out of it.
async function writeFlatFile(
  gdal: GdalModule,
  job: ExportJob,
  { path, target, rows, tick }: FlatFile,
): Promise<void> {
  const bareCount = await writeFlat({ ...job, path, name: job.layerName, rows, tick })
  if (bareCount > 0) renameSync(path, target)
  else await translate(gdal, job, { target, source: path })
}

interface FlatJob extends Rows, Pick<ExportJob, 'srs' | 'geometry' | 'columns'> {
  readonly path: string
  /** Name of the layer. */
  readonly name: string
}

/** Writes an intermediate file; gives how many features are without geometry. */
async function writeFlat({ path, rows, tick, ...target }: FlatJob): Promise<number> {
  const { columns } = target
  const file = openSync(path, 'wx')
  let bareCount = 0
  const sink = new GrowingBytes(2 * pieceBytes)
  const flush = () => {
    for (let at = 0; at < sink.at; ) at += writeSync(file, sink.bytes, at, sink.at - at)
    sink.at = 0
    tick()
  }
  const write = (line: string) => {
    if (!writeFlatFeature(sink, JSON.parse(line) as JobRow, columns)) bareCount += 1
    if (sink.at > pieceBytes) flush()
  }
  try {
    writeFlatHeader(sink, target)
    for await (const lines of linesOf(rows)) for (const line of lines) write(line)
    flush()
    return bareCount
  } finally {
    closeSync(file)
  }
}

const lineFeed = 0x0a

/** Gives the whole lines of each chunk together: waiting for each by itself would take longer than reading it. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let held: Uint8Array[] = []
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const end = bytes.lastIndexOf(lineFeed)
    if (end >= 0) {
      yield Buffer.concat([...held, bytes.subarray(0, end)])
        .toString()
        .split('\n')
      held = []
    }
    if (end + 1 < bytes.length) held.push(bytes.subarray(end + 1))
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
