import { linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { problem } from '../../contract/problems.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { VectorJob } from '../runner/vector_job.ts'
import { findFormat, isData } from './find_format.ts'
import { unreadable } from './open_with_gdal.ts'
import type { AnySourceLayer, SourceFile } from './source.ts'
import type { SourceFormat } from './source_format.ts'

/**
 * Opens the layer of a source that a job asks for.
 *
 * @throws {Problem} source/unreadable, source/layers
 */
export async function openSourceLayer(
  gdal: GdalModule,
  job: VectorJob,
  tick: () => void,
): Promise<AnySourceLayer> {
  const layers: AnySourceLayer[] = []
  for (const { file, format } of await findFiles(job))
    layers.push(...(await format.open(file, { gdal, job, tick })))
  const wanted = job.layer
  const found = wanted === undefined ? layersWithShapes(layers) : layers.filter(({ name }) => name === wanted)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (layers.length === 0) throw unreadable(job, 'it has no layers')
  const names = layers.map(({ name }) => name)
  const text =
    wanted === undefined
      ? `the source has ${layers.length} layers: ${names.join(', ')}`
      : `the source has no layer ${JSON.stringify(wanted)}, but ${names.join(', ')}`
  throw problem('source/layers', text, { data: { layers: names } })
}

const wkbNone = 100

/** Tables without shapes stand beside the data in many a GeoPackage: styles, for one. */
function layersWithShapes(layers: readonly AnySourceLayer[]): readonly AnySourceLayer[] {
  const withShapes = layers.filter((layer) => 'native' in layer || layer.layer.geomType !== wkbNone)
  return withShapes.length > 0 ? withShapes : layers
}

interface FoundFile {
  readonly file: SourceFile
  readonly format: SourceFormat
}

async function findFiles(job: VectorJob): Promise<FoundFile[]> {
  if (statSync(job.path).size === 0) throw unreadable(job, 'it is empty')
  const format = findFormat(job.path, job.name)
  if (format === undefined) throw unreadable(job, 'it is of no known vector format')
  if (format !== 'zip' && format.isZip !== true) return [{ file: nameFile(job, format), format }]
  // Loaded for those that need it: most sources are no archives.
  const { listArchive, unpackArchive } = await import('../../files/archive.ts')
  if (format !== 'zip') {
    await listArchive(job.path, job.unpackLimitBytes)
    return [{ file: nameFile(job, format), format }]
  }
  const limits = { folder: join(job.folder, 'archive'), limitBytes: job.unpackLimitBytes }
  const paths = await unpackArchive(job.path, limits)
  const files = paths
    .filter((path) => isData(basename(path)) && !isHidden(path))
    .map((path) => ({ path, name: basename(path) }))
  if (files.length === 0) throw unreadable(job, 'the archive holds no data of a known vector format')
  return files.flatMap((file) => {
    const found = findFormat(file.path, file.name)
    if (found === 'zip') throw unreadable(file, 'it is an archive inside an archive')
    return found === undefined ? [] : [{ file, format: found }]
  })
}

/** Files that systems put beside the data: `__MACOSX/._roads.shp`. */
function isHidden(path: string): boolean {
  return basename(path).startsWith('.')
}

/** Gives the file a name that drivers know, without copying it. */
function nameFile(job: VectorJob, { extensions: [extension] }: SourceFormat): SourceFile {
  const folder = join(job.folder, 'named')
  mkdirSync(folder)
  const stem = basename(job.name, extname(job.name))
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')
    .replace(/^\.+/, '')
  const path = join(folder, `${stem === '' ? 'layer' : stem.slice(0, 100)}${extension}`)
  try {
    // SQLite makes its files beside the real one: a second name keeps them out of the blobs.
    linkSync(job.path, path)
  } catch {
    symlinkSync(job.path, path)
  }
  return { path, name: job.name }
}
