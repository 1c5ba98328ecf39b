import { type FileHandle, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExportFormat, freeColumnName, geometryColumnName } from '../../contract/export_formats.ts'
import { geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { copyHeader, copyTrailer, readCopyBody } from '../../core/copy_rows.ts'
import { isDiskFull } from '../../core/disk_full.ts'
import type { PackedFile } from '../../files/zip.ts'
import type { GdalFormatName, JobColumn } from '../../gdal/export/export_job.ts'
import { writeVector } from '../../gdal/export/write_vector.ts'
import { rowsStatement } from '../../store/feature/export_rows.ts'
import { readEach, splitReading } from '../features/read_parts.ts'
import type { ExportOrder } from './export_options.ts'
import { lackingPattern } from './text_encoding.ts'
import type { ExportSource } from './text_export.ts'

/** A layer that GDAL is to write. */
export interface GdalExport {
  readonly source: ExportSource
  readonly order: ExportOrder
  readonly format: GdalFormatName
  /** Name of the layer in the file. */
  readonly layerName: string
  readonly fileName: string
}

/** Files, and what they could not hold. */
export interface MadeFiles {
  readonly files: readonly PackedFile[]
  readonly notes: readonly string[]
}

/**
 * Has GDAL write a layer into files that have no name any more once this gives them: they go with the process, or when
 * their reader does, whatever happens.
 *
 * @throws {Problem} files/full, gdal/*, database/*; what the signal says
 */
export async function makeFiles(making: GdalExport): Promise<MadeFiles> {
  const { source, fileName } = making
  const folder = await mkdtemp(join(source.folder, 'export-')).catch(rethrowFull)
  try {
    const { folder: results, notes } = await runGdal(making, folder)
    // The one that is asked for comes first.
    const first = (name: string) => (name === fileName ? 0 : 1)
    const names = (await readdir(results)).toSorted((a, b) => first(a) - first(b) || (a < b ? -1 : 1))
    const files: PackedFile[] = []
    for (const name of names) files.push(await openFile(join(results, name), name, source.signal))
    return { files, notes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function runGdal({ source, layerName, order, format, fileName }: GdalExport, folder: string) {
  const { database, layer, signal } = source
  const { srs, encoding } = order
  const { asText = [], geometry }: ExportFormat = order.format
  // GDAL would leave out what the encoding does not have, and say nothing.
  const lacking = encoding === 'UTF-8' ? undefined : lackingPattern(encoding)
  const statements = splitReading({ layer, database }, order, ({ filter }) =>
    rowsStatement(layer, { ...order, filter }, { geometry, lacking }),
  )
  const named = order.columns.map(({ name, datatype }): JobColumn => {
    return { name, datatype: asText.includes(datatype) ? 'STRING' : datatype }
  })
  const wkt = { name: freeColumnName(geometryColumnName, named), datatype: 'STRING' } as const
  return writeVector(
    {
      ...{ format, encoding, folder, fileName, layerName, srs },
      geometry: geometryParts(layer.geometryType),
      columns: geometry === 'text' ? [wkt, ...named] : named,
    },
    {
      signal,
      feed: async (write) => {
        await write(copyHeader)
        await readEach({ database, statements, signal }, async (tx, { text, values }) => {
          for await (const rows of readCopyBody(tx.copyOut(text, values, 'binary'))) await write(rows)
        })
        await write(copyTrailer)
      },
    },
  )
}

function rethrowFull(error: unknown): never {
  if (!isDiskFull(error)) throw error
  throw problem('files/full', 'The disk is full while a layer is exported.', { cause: error })
}

async function openFile(path: string, name: string, signal: AbortSignal): Promise<PackedFile> {
  const file = await open(path, 'r')
  const { size: sizeBytes } = await file.stat()
  const close = () => void file.close().catch(() => undefined)
  // Nobody reads it any more, or ever.
  if (signal.aborted) close()
  signal.addEventListener('abort', close, { once: true })
  return { name, sizeBytes, content: readFile(file, close) }
}

async function* readFile(file: FileHandle, close: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* file.createReadStream({ autoClose: false, highWaterMark: 1 << 18 })
  } finally {
    close()
  }
}
