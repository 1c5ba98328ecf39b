import { linkSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { VectorJob } from '../runner/vector_job.ts'
import { gatherParts } from './companions.ts'
import { dataExtensions, type Format, findFormat, packedTables } from './find_format.ts'
import { type BrokenGeometry, checkGeoJson, writeWithout } from './geojson/geojson_check.ts'
import { beginsWithRecord, countRecords } from './geojson/json_records.ts'
import { prepareMif } from './mapinfo/mif.ts'
import { countRows, isNative, isSeamless } from './mapinfo/tab.ts'
import { openFault } from './open_fault.ts'
import { findShapeTexts } from './shapefile/dbf_text.ts'
import type { SourceFile, SourceLayer } from './source.ts'
import { nameSource } from './source_name.ts'
import { openTable } from './table/open_table.ts'
import { holdsHugeNumbers, refuseNul } from './text/plain_text.ts'
import { isText, needsRecoding, recodeFile } from './text/recode.ts'
import { findXmlFault, isXml, prepareXml } from './xml/xml_text.ts'

/**
 * Opens the layer of a source that a job asks for.
 *
 * @throws {Problem} source/unreadable, source/layers
 */
export async function openSourceLayer(gdal: GdalModule, job: VectorJob): Promise<SourceLayer> {
  const layers: SourceLayer[] = []
  for (const file of await findFiles(job)) layers.push(...(await openFile(gdal, file, job)))
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
function layersWithShapes(layers: readonly SourceLayer[]): readonly SourceLayer[] {
  const withShapes = layers.filter(({ layer }) => layer.geomType !== wkbNone)
  return withShapes.length > 0 ? withShapes : layers
}

function unreadable({ name }: { name: string }, reason: string): Error {
  return problem('source/unreadable', `${nameSource(name)} cannot be read: ${reason}`)
}

async function findFiles(job: VectorJob): Promise<SourceFile[]> {
  if (statSync(job.path).size === 0) throw unreadable(job, 'it is empty')
  const format = findFormat(job.path, job.name)
  if (format === undefined) throw unreadable(job, 'it is of no known vector format')
  const isArchive = format.extension === '.zip'
  if (!isArchive && !packedTables.has(format.extension)) return [nameFile(job, format.extension)]
  // Loaded for those that need it: most sources are no archives.
  const { listArchive, unpackArchive } = await import('../../files/archive.ts')
  if (!isArchive) {
    await listArchive(job.path, job.unpackLimitBytes)
    return [nameFile(job, format.extension)]
  }
  const limits = { folder: join(job.folder, 'archive'), limitBytes: job.unpackLimitBytes }
  const paths = await unpackArchive(job.path, limits)
  const files = paths
    .filter((path) => dataExtensions.includes(extname(path).toLowerCase()) && !isHidden(path))
    .map((path) => ({ path, name: basename(path) }))
  if (files.length === 0) throw unreadable(job, 'the archive holds no data of a known vector format')
  return files
}

/** Files that systems put beside the data: `__MACOSX/._roads.shp`. */
function isHidden(path: string): boolean {
  return basename(path).startsWith('.')
}

/** Gives the file a name that drivers know, without copying it. */
function nameFile(job: VectorJob, extension: string): SourceFile {
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

async function openFile(gdal: GdalModule, given: SourceFile, job: VectorJob): Promise<SourceLayer[]> {
  const format = findFormat(given.path, given.name)
  if (format === undefined) return []
  const { extension } = format
  if (extension === '.shp') return openShapefile(gdal, gatherParts(given, extension), { job, format })
  if (extension === '.mif') return openMif(gdal, gatherParts(given, extension), { job, format })
  if (extension === '.tab') return openTab(gdal, given, format)
  const isRecoded = needsRecoding({ path: given.path, extension }, job.encoding)
  const file = isRecoded ? await recode(given, job) : given
  if (isXml(extension)) return openXml(gdal, await prepareXml(file, job.folder), format)
  if (isText(extension)) refuseNul(file, extension)
  const facts = isRecoded ? { recodedFrom: job.encoding } : {}
  if (extension === '.geojson') return openGeoJson(gdal, file, { format, facts, job })
  const layers = openTable(gdal, { path: file.path, extension, job }) ?? (await openPlain(gdal, file, format))
  return layers.map((layer) => ({ ...layer, ...facts }))
}

async function openPlain(gdal: GdalModule, file: SourceFile, format: Format): Promise<SourceLayer[]> {
  const { dataset, driver } = await openDataset(gdal, file, format)
  const isLonLat = driver === 'TopoJSON'
  return dataset.layers.map((layer) => {
    return { dataset, layer, name: layer.name, format: driver, isLonLat, isGuessed: false }
  })
}

interface TextFile {
  readonly format: Format
  readonly facts: Pick<SourceLayer, 'recodedFrom'>
  readonly job: VectorJob
}

/** Opens a file, and looks meanwhile for what GDAL passes over in it. */
async function openGeoJson(
  gdal: GdalModule,
  file: SourceFile,
  { format, facts, job }: TextFile,
): Promise<SourceLayer[]> {
  const opening = openPlain(gdal, file, format)
  opening.catch(() => undefined)
  const { broken, stranger, hasLongPositions } = checkGeoJson(file.path)
  const layers = await opening
  const more = { ...facts, hasHugeNumbers: once(() => holdsHugeNumbers(file.path)) }
  if (!layers.every((layer) => layer.format.startsWith('GeoJSON')))
    return layers.map((layer) => ({ ...layer, ...more }))
  if (stranger !== undefined)
    throw unreadable(file, `member ${stranger.number} of its features is no Feature, but ${stranger.reason}`)
  // To lose parts of features is what such a job allows.
  const isWhole = broken.length === 0 || job.fix === 'LOSSY'
  const found = isWhole ? layers : await openPlain(gdal, await leaveOut(file, broken, job), format)
  const isSequence = layers[0]?.format === 'GeoJSONSeq' || beginsWithRecord(file.path)
  const all = {
    ...more,
    hasLongPositions,
    ...(isSequence ? { total: countRecords(file.path) } : {}),
    ...(isWhole ? {} : { broken }),
  }
  return found.map((layer) => ({ ...layer, ...all }))
}

async function leaveOut(
  { path, name }: SourceFile,
  broken: readonly BrokenGeometry[],
  { folder }: VectorJob,
): Promise<SourceFile> {
  const target = join(mkdtempSync(join(folder, 'geojson-')), basename(path))
  await writeWithout(path, broken, target)
  return { path: target, name }
}

function once(find: () => boolean): () => boolean {
  let found: boolean | undefined
  return () => {
    found ??= find()
    return found
  }
}

/** Of broken XML the drivers say no more than that it is. */
async function openXml(gdal: GdalModule, file: SourceFile, format: Format): Promise<SourceLayer[]> {
  const findFault = () => findXmlFault(file.path)
  const opened = await tryOpen(openPlain(gdal, file, format))
  if (opened.layers?.every(({ layer }) => layer.srs !== null)) {
    return opened.layers.map((layer) => ({ ...layer, findFault }))
  }
  const fault = await findFault()
  if (fault !== undefined) throw unreadable(file, fault)
  if (opened.layers === undefined) throw opened.error
  return opened.layers
}

async function tryOpen(
  opening: Promise<SourceLayer[]>,
): Promise<{ layers?: SourceLayer[]; error?: unknown }> {
  try {
    return { layers: await opening }
  } catch (error) {
    return { error }
  }
}

async function openShapefile(
  gdal: GdalModule,
  file: SourceFile,
  { job, format }: { readonly job: VectorJob; readonly format: Format },
): Promise<SourceLayer[]> {
  const { gdalEncoding, texts } = findShapeTexts(file, job.encoding)
  gdal.config.set('SHAPE_ENCODING', gdalEncoding)
  const layers = await openPlain(gdal, file, format)
  return layers.map((layer) => (texts === undefined ? layer : { ...layer, texts }))
}

async function openMif(
  gdal: GdalModule,
  given: SourceFile,
  { job, format }: { readonly job: VectorJob; readonly format: Format },
): Promise<SourceLayer[]> {
  const folder = mkdtempSync(join(job.folder, 'mif-'))
  const { file, declared } = await prepareMif(given, { folder, encoding: job.encoding })
  const layers = await openPlain(gdal, file, format)
  return layers.map((layer) => ({ ...layer, declared }))
}

async function openTab(gdal: GdalModule, given: SourceFile, format: Format): Promise<SourceLayer[]> {
  const text = readFileSync(given.path, 'latin1')
  if (isSeamless(text)) throw unreadable(given, 'it refers to other files')
  if (!isNative(text)) return openPlain(gdal, given, format)
  const file = gatherParts(given, '.tab')
  const total = countRows(file)
  const layers = await openPlain(gdal, file, format)
  return layers.map((layer) => ({ ...layer, total }))
}

async function recode({ path, name }: SourceFile, { folder, encoding = '' }: VectorJob): Promise<SourceFile> {
  const target = join(mkdtempSync(join(folder, 'recoded-')), basename(path))
  await recodeFile(path, { encoding, target, name })
  return { path: target, name }
}

/** Opens a file with the first driver that takes it; what the first one has to say of a bad file says most. */
async function openDataset(
  gdal: GdalModule,
  file: SourceFile,
  format: Format,
): Promise<{ dataset: Dataset; driver: string }> {
  const known = new Set(gdal.drivers.getNames())
  const drivers = format.drivers.filter((driver) => known.has(driver))
  let reason = `this GDAL has no driver for ${format.drivers.join(' or ')}`
  for (const [index, driver] of drivers.entries()) {
    try {
      return { dataset: await gdal.openAsync(file.path, 'r', driver), driver }
    } catch (error) {
      if (index === 0) reason = openFault(error, drivers)
    }
  }
  throw unreadable(file, reason)
}
