import { linkSync, mkdirSync, symlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import { unpackArchive } from '../../files/archive.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { openFault } from '../sources/open_fault.ts'
import { rasterFolder, rasterName, unreadable } from './raster_fault.ts'
import type { RasterJob } from './raster_job.ts'
import { readRasterFormat, requireRasterFormat } from './raster_start.ts'

/** An open file, and where it was found: other files of its archive are beside it. */
export interface OpenedRaster {
  readonly dataset: Dataset
  readonly path: string
}

const [width, height, samples, rowsPerStrip, layout] = [256, 257, 277, 278, 284] as const

const [stripOffsets, tileWidth, tileHeight, tileOffsets] = [273, 322, 323, 324] as const

/** Number of values of a tag, and the first value if it is stored in the tag. */
interface Tag {
  readonly count: number
  readonly value: number
}

const plainForm = { startAt: 4, wordSize: 4, countSize: 2, entrySize: 12 } as const

const bigForm = { startAt: 8, wordSize: 8, countSize: 8, entrySize: 20 } as const

/** Sizes of integers in bytes, by tag type. */
const sizes: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [3, 2],
  [4, 4],
  [16, 8],
])

/**
 * Opens the GeoTIFF of a job, or the only one in a ZIP archive. Accepts no other format; GDAL reads no sidecar files.
 *
 * @throws {Problem} source/unreadable, source/bad-raster, files/full
 */
export async function openRaster(gdal: GdalModule, job: RasterJob): Promise<OpenedRaster> {
  const found = await findRaster(job)
  const path = nameFile(found, job.folder)
  await checkChunkCount(path, job)
  return { dataset: await openTiff(gdal, path, job), path: found }
}

async function openTiff(gdal: GdalModule, path: string, job: RasterJob): Promise<Dataset> {
  try {
    return await gdal.openAsync(path, 'r', 'GTiff')
  } catch (error) {
    throw unreadable(job, openFault(error, ['GeoTIFF']))
  }
}

async function findRaster(job: RasterJob): Promise<string> {
  if ((await requireRasterFormat(job.path, job)) === 'tiff') return job.path
  const folder = join(job.folder, 'archive')
  const checkNames = (names: readonly string[]) => checkRasterNames(job, names.filter(isRasterName))
  const limits = { folder, limitBytes: job.unpackLimitBytes, checkNames }
  const [only = ''] = (await unpackArchive(job.path, limits)).filter(isRasterName)
  if ((await readRasterFormat(only)) !== 'tiff')
    throw unreadable(job, `${JSON.stringify(basename(only))} is not a TIFF file`)
  return only
}

/**
 * Checks that an archive has one raster.
 *
 * @throws {Problem} source/unreadable, source/bad-raster
 */
function checkRasterNames(job: RasterJob, names: readonly string[]): void {
  if (names.length === 0) throw unreadable(job, 'the archive has no GeoTIFF')
  if (names.length === 1) return
  const message = `the archive has ${names.length} rasters: ${listSome(names.toSorted())}`
  throw problem('source/bad-raster', message, {
    hint: 'Upload each raster separately, one for each layer.',
  })
}

/** Skips hidden files that operating systems add, such as `__MACOSX/._map.tif`. */
const isRasterName = (path: string) =>
  ['.tif', '.tiff'].includes(extname(path).toLowerCase()) && !basename(path).startsWith('.')

const listSome = (names: readonly string[]) => names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '')

/** Links the file into an empty folder, so that GDAL does not read sidecar files. */
function nameFile(path: string, jobFolder: string): string {
  const folder = join(jobFolder, rasterFolder)
  mkdirSync(folder)
  const named = join(folder, rasterName)
  try {
    linkSync(path, named)
  } catch {
    symlinkSync(path, named)
  }
  return named
}

/**
 * Checks that a TIFF has as many strips or tiles as the size of its first image requires: GDAL would read missing ones as
 * black.
 *
 * @throws {Problem} source/unreadable
 * @see TIFF 6.0 section 2, and sections 3 and 15 for strips and tiles
 */
async function checkChunkCount(path: string, job: RasterJob): Promise<void> {
  const file = await open(path)
  try {
    const tags = await readTags(file).catch(() => new Map<number, Tag>())
    const expected = countChunks(tags)
    const found = Math.max(tags.get(stripOffsets)?.count ?? 0, tags.get(tileOffsets)?.count ?? 0)
    if (expected === undefined || !Number.isFinite(expected) || found >= expected) return
    throw unreadable(
      job,
      `it is truncated: it has ${found} strips or tiles, and its size requires ${expected}`,
    )
  } finally {
    await file.close()
  }
}

/** Computes the number of strips or tiles of an image; undefined if its size is missing. */
function countChunks(tags: ReadonlyMap<number, Tag>): number | undefined {
  const numberOf = (tag: number) => tags.get(tag)?.value
  const [columns, rows] = [numberOf(width), numberOf(height)]
  if (columns === undefined || rows === undefined) return undefined
  const across = Math.ceil(columns / (numberOf(tileWidth) ?? columns))
  const down = Math.ceil(rows / (numberOf(tileHeight) ?? Math.min(rows, numberOf(rowsPerStrip) ?? rows)))
  const planes = numberOf(layout) === 2 ? (numberOf(samples) ?? 1) : 1
  return across * down * planes
}

/** Reads the tags of the first image of a TIFF or BigTIFF file in either byte order. */
async function readTags(file: FileHandle): Promise<Map<number, Tag>> {
  const head = await readAt(file, 0, 16)
  const isLittle = head.toString('latin1', 0, 2) === 'II'
  const form = head[isLittle ? 2 : 3] === 43 ? bigForm : plainForm
  const number = (bytes: Buffer, at: number, size: number) =>
    readNumber(bytes.subarray(at, at + size), isLittle)
  const start = number(head, form.startAt, form.wordSize)
  const count = number(await readAt(file, start, form.countSize), 0, form.countSize)
  const entries = await readAt(file, start + form.countSize, Math.min(count, 1000) * form.entrySize)
  const tags = new Map<number, Tag>()
  for (let at = 0; at < entries.length; at += form.entrySize) {
    const size = sizes.get(number(entries, at + 2, 2)) ?? 1
    tags.set(number(entries, at, 2), {
      count: number(entries, at + 4, form.wordSize),
      value: number(entries, at + 4 + form.wordSize, size),
    })
  }
  return tags
}

function readNumber(bytes: Buffer, isLittle: boolean): number {
  const ordered = isLittle ? [...bytes].reverse() : [...bytes]
  return ordered.reduce((sum, byte) => sum * 256 + byte, 0)
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
