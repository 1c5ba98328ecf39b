import { linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { SourceFormatName } from '../../contract/formats/source_formats.ts'
import { problem } from '../../contract/problems.ts'
import type { OpenGdal } from '../runner/gdal_module.ts'
import type { VectorJob } from '../runner/vector_job.ts'
import { readEnd, readStart } from './file_start.ts'
import { flatgeobuf } from './flatgeobuf/flatgeobuf_format.ts'
import { geojson } from './geojson/geojson_format.ts'
import { geopackage } from './geopackage/geopackage_format.ts'
import { mapinfoInterchange } from './mapinfo/mif_format.ts'
import { mapinfoTable } from './mapinfo/tab_format.ts'
import { unreadable } from './open_with_gdal.ts'
import { shapefile } from './shapefile/shapefile_format.ts'
import type { AnySourceLayer, SourceFile } from './source.ts'
import {
  extensionOf,
  type FileProbe,
  hasExtension,
  type Opening,
  type SourceFormat,
} from './source_format.ts'
import { csv } from './table/csv_format.ts'
import { ods, xlsx } from './table/sheet_format.ts'
import { gml, gpx, kml } from './xml/xml_format.ts'

const zipMagic = 'PK\u0003\u0004'

/** Source formats in order of precedence: formats recognized by content precede those recognized by name. */
const registry: { readonly [Name in SourceFormatName]: SourceFormat<Name> } = {
  GeoPackage: geopackage,
  FlatGeobuf: flatgeobuf,
  GeoJSON: geojson,
  XLSX: xlsx,
  ODS: ods,
  KML: kml,
  GPX: gpx,
  GML: gml,
  Shapefile: shapefile,
  MapInfoTable: mapinfoTable,
  MapInfoInterchange: mapinfoInterchange,
  CSV: csv,
}

/** Source formats in order of precedence. */
export const formats: readonly SourceFormat[] = Object.values(registry)

/**
 * Opens the requested layer of a source.
 *
 * @throws {Problem} source/unreadable, source/layers
 */
export async function openSourceLayer(
  openGdal: OpenGdal,
  job: VectorJob,
  tick: () => void,
): Promise<AnySourceLayer> {
  const layers: AnySourceLayer[] = []
  const opening: Opening = {
    get gdal() {
      return openGdal()
    },
    job,
    tick,
  }
  for (const { file, format } of await findFiles(job)) layers.push(...(await format.open(file, opening)))
  const wanted = job.layer
  const found = wanted === undefined ? spatialLayers(layers) : layers.filter(({ name }) => name === wanted)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (layers.length === 0) throw unreadable(job, 'it has no layers')
  const names = layers.map(({ name }) => name)
  const text =
    wanted === undefined
      ? `the source has ${layers.length} layers: ${names.join(', ')}`
      : `the source has no layer ${JSON.stringify(wanted)}; its layers are ${names.join(', ')}`
  throw problem('source/layers', text, { data: { layers: names } })
}

const wkbNone = 100

/** Selects layers with geometries: many GeoPackages also have tables without, such as styles. */
function spatialLayers(layers: readonly AnySourceLayer[]): readonly AnySourceLayer[] {
  const spatial = layers.filter((layer) => 'native' in layer || layer.layer.geomType !== wkbNone)
  return spatial.length > 0 ? spatial : layers
}

interface FoundFile {
  readonly file: SourceFile
  readonly format: SourceFormat
}

async function findFiles(job: VectorJob): Promise<FoundFile[]> {
  if (statSync(job.path).size === 0) throw unreadable(job, 'it is empty')
  const format = findFormat(job.path, job.name)
  if (format === undefined) throw unreadable(job, 'its format is not supported')
  if (format !== 'zip' && format.isZip !== true) return [{ file: nameFile(job, format), format }]
  // Loaded on demand, since most sources are not archives.
  const { listArchive, unpackArchive } = await import('../../files/archive.ts')
  if (format !== 'zip') {
    await listArchive(job.path, job.unpackLimitBytes)
    return [{ file: nameFile(job, format), format }]
  }
  const isWanted = (path: string) => isData(basename(path)) && !isHidden(path)
  const paths = await unpackArchive(job.path, {
    folder: join(job.folder, 'archive'),
    limitBytes: job.unpackLimitBytes,
    checkNames(names) {
      if (!names.some(isWanted)) throw unreadable(job, 'the archive has no file of a supported vector format')
    },
  })
  const files = paths.filter(isWanted).map((path) => ({ path, name: basename(path) }))
  return files.flatMap((file) => {
    const found = findFormat(file.path, file.name)
    if (found === 'zip') throw unreadable(file, 'it is an archive inside an archive')
    return found === undefined ? [] : [{ file, format: found }]
  })
}

/** Hidden files that operating systems add, such as `__MACOSX/._roads.shp`. */
function isHidden(path: string): boolean {
  return basename(path).startsWith('.')
}

/** Links the file under a name that drivers accept. */
function nameFile(job: VectorJob, { extensions: [extension] }: SourceFormat): SourceFile {
  const folder = join(job.folder, 'named')
  mkdirSync(folder)
  const stem = basename(job.name, extname(job.name))
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')
    .replace(/^\.+/, '')
  const path = join(folder, `${stem === '' ? 'layer' : stem.slice(0, 100)}${extension}`)
  try {
    // SQLite creates files next to the real path: a hard link keeps them out of the blob folder.
    linkSync(job.path, path)
  } catch {
    symlinkSync(job.path, path)
  }
  return { path, name: job.name }
}

/** Finds the format of a file by its content, else by its extension; `zip` for an archive. */
function findFormat(path: string, name: string): SourceFormat | 'zip' | undefined {
  const start = readStart(path, 4096).toString('latin1')
  const probe: FileProbe = {
    start,
    text: start.replace(/^\u00ef\u00bb\u00bf/, '').trimStart(),
    extension: extensionOf(name),
    readEnd: () => readEnd(path, 1 << 16).toString('latin1'),
  }
  const isZip = start.startsWith(zipMagic)
  const found = formats.find((format) => (format.isZip ?? false) === isZip && format.recognizes(probe))
  return found ?? (isZip ? 'zip' : undefined)
}

/** Tells by its name whether a file in an archive is data. */
export function isData(name: string): boolean {
  const extension = extensionOf(name)
  return formats.some(
    (format) => hasExtension(format, { extension }) && !format.sharedExtensions?.includes(extension),
  )
}
