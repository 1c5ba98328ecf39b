import { type FileHandle, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ExportFormat,
  freeColumnName,
  geometryColumnName,
} from '../../contract/formats/export_formats.ts'
import { geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { copyHeader, copyTrailer, readCopyBody } from '../../core/copy_rows.ts'
import { isDiskFull } from '../../core/disk_full.ts'
import type { PackedFile } from '../../files/zip.ts'
import type { GdalFormatName, JobColumn } from '../../gdal/export/export_job.ts'
import { writeVector } from '../../gdal/export/write_vector.ts'
import { rowsStatement } from '../../store/feature/export_rows.ts'
import { readEach, splitReading } from '../features/read_parts.ts'
import type { ExportOptions } from './export_options.ts'
import { unsupportedPattern } from './text_encoding.ts'
import type { ExportSource } from './text_export.ts'

/** An export of a layer by GDAL. */
export interface GdalExport {
  readonly source: ExportSource
  readonly options: ExportOptions
  readonly format: GdalFormatName
  /** Name of the layer in the file. */
  readonly layerName: string
  readonly fileName: string
}

/** Exported files, and notes on what they cannot represent. */
export interface ExportedFiles {
  readonly files: readonly PackedFile[]
  readonly notes: readonly string[]
}

/**
 * Exports a layer with GDAL. The files are unlinked before this returns, so that the system frees them when they are
 * closed or the process ends.
 *
 * @throws {Problem} files/full, gdal/*, database/*; the reason of the signal
 */
export async function exportFiles(options: GdalExport): Promise<ExportedFiles> {
  const { source, fileName } = options
  const folder = await mkdtemp(join(source.folder, 'export-')).catch(rethrowFull)
  try {
    const { folder: results, notes } = await runGdal(options, folder)
    // The main file comes first.
    const first = (name: string) => (name === fileName ? 0 : 1)
    const names = (await readdir(results)).toSorted((a, b) => first(a) - first(b) || (a < b ? -1 : 1))
    const files: PackedFile[] = []
    for (const name of names) files.push(await openFile(join(results, name), name, source.signal))
    return { files, notes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function runGdal({ source, layerName, options, format, fileName }: GdalExport, folder: string) {
  const { database, layer, signal } = source
  const { srs, encoding } = options
  const { asText = [], geometry }: ExportFormat = options.format
  // GDAL would silently drop characters that the encoding does not have.
  const unsupported = encoding === 'UTF-8' ? undefined : unsupportedPattern(encoding)
  const statements = splitReading({ layer, database }, options, ({ filter }) =>
    rowsStatement(layer, { ...options, filter }, { geometry, lacking: unsupported }),
  )
  const named = options.columns.map(({ name, datatype }): JobColumn => {
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
          for await (const rows of readCopyBody(tx.copyOut(text, values, { format: 'binary' })))
            await write(rows)
        })
        await write(copyTrailer)
      },
    },
  )
}

function rethrowFull(error: unknown): never {
  if (!isDiskFull(error)) throw error
  throw problem('files/full', 'Cannot export the layer: the disk is full.', { cause: error })
}

async function openFile(path: string, name: string, signal: AbortSignal): Promise<PackedFile> {
  const file = await open(path, 'r')
  const { size: sizeBytes } = await file.stat()
  const close = () => void file.close().catch(() => undefined)
  // The request may end before the file is read.
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
