import { rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Layer } from 'gdal-async'
import type { Datatype, GeometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { readDeclaredType } from './declared.ts'
import { type FlatHeader, findFlatHeader, readFlatFeatures } from './flatgeobuf.ts'
import type { BadFeature, SourceField } from './job.ts'
import type { GdalModule } from './open.ts'
import type { SourceLayer } from './source.ts'

/** A source as an intermediate file, in the reference system that was asked for. */
export interface Translated {
  readonly path: string
  /** Undefined where the source has no features. */
  readonly header: FlatHeader | undefined
  readonly fields: readonly SourceField[]
  /** What the source says its geometries are. */
  readonly declared: GeometryParts | undefined
  /** Features that the file has no geometry for, or lacks altogether, in order. */
  readonly missing: readonly MissingFeature[]
}

/** A feature that GDAL did not translate. */
export interface MissingFeature extends BadFeature {
  /** Whether the file lacks it. */
  readonly isAbsent: boolean
}

/** Where a translation goes. */
export interface TranslateTarget {
  readonly path: string
  /** EPSG code. */
  readonly srs: number
}

/**
 * Writes a layer as FlatGeobuf with GDAL's own translation, in a thread of its own: its features come out at the speed
 * of GDAL, exactly, and can be read without it, where asking GDAL for each of them is ten times slower.
 *
 * @throws {Problem} source/no-srs, gdal/failed
 */
export async function translateLayer(
  gdal: GdalModule,
  source: SourceLayer,
  { path, srs }: TranslateTarget,
): Promise<Translated> {
  const { layer } = source
  const fields = layer.fields.map(({ name, type }) => ({ name, datatype: datatypeOf(type) }))
  const options = translationOptions(source, srs)
  const plain = layer.name.startsWith('-') ? selectAll(layer.name, fields) : [layer.name]
  let header = await translate(gdal, source, { path, options: [...options, ...plain] })
  if (!isComplete(header, fields)) {
    // Some versions drop a field without a name: given one, it stays.
    header = await translate(gdal, source, { path, options: [...options, ...selectAll(layer.name, fields)] })
  }
  if (!isComplete(header, fields))
    throw failure(path, `GDAL wrote ${header?.columns.length} of ${fields.length} fields`)
  const sourceSrs = sourceReferenceSystem(source)
  const missing = findMissing(gdal, { layer, header, path, srs, sourceSrs })
  return { path, header, fields, missing, declared: findDeclaredType(source) }
}

function isComplete(header: FlatHeader | undefined, fields: readonly SourceField[]): boolean {
  return header === undefined || header.columns.length === fields.length
}

/** What is translated, told by a query that gives the fields names of ours, in their order. */
function selectAll(layerName: string, fields: readonly SourceField[]): string[] {
  const quote = (name: string) => `"${name.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
  const columns = fields.map(({ name }, index) => `${quote(name)} AS f${index + 1}`)
  const list = columns.length === 0 ? '*' : columns.join(', ')
  return ['-dialect', 'OGRSQL', '-sql', `SELECT ${list} FROM ${quote(layerName)}`]
}

async function translate(
  gdal: GdalModule,
  { dataset }: SourceLayer,
  { path, options }: { readonly path: string; readonly options: string[] },
): Promise<FlatHeader | undefined> {
  try {
    rmSync(path, { force: true })
    const translated = await gdal.vectorTranslateAsync(path, dataset, options)
    translated.close()
    return findFlatHeader(path)
  } catch (error) {
    throw failure(path, error instanceof Error ? error.message : String(error))
  }
}

/** A full disk shows in many ways, but GDAL does not say that it is one. */
function failure(path: string, message: string): Error {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize < 1 << 20
    ? problem('files/full', 'the disk is full while a source is read')
    : problem('gdal/failed', message)
}

const listsAsText = ['IntegerList', 'Integer64List', 'RealList', 'StringList', 'Binary']
  .map((type) => `${type}=String`)
  .join(',')

function translationOptions(source: SourceLayer, srs: number): string[] {
  const declared = findDeclaredType(source)
  const isPlanar = declared !== undefined && !declared.hasZ
  const sourceSrs = sourceReferenceSystem(source)
  return [
    ...['-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO', '-mapFieldType', listsAsText],
    // Any type: what a layer declares need not be what it holds, and every mismatch is to be told, not dropped.
    ...['-nlt', 'GEOMETRY', '-nlt', 'CONVERT_TO_LINEAR', '-dim', isPlanar ? 'XY' : 'XYZ'],
    ...(sourceSrs === undefined ? [] : ['-s_srs', sourceSrs]),
    ...['-t_srs', `EPSG:${srs}`],
    // What cannot be reprojected is told by number further down.
    '-skipfailures',
  ]
}

/** In KML every position has a height, mostly of 0: that it has one says nothing. */
function findDeclaredType({ layer, format }: SourceLayer): GeometryParts | undefined {
  return format.endsWith('KML') ? undefined : readDeclaredType(layer.geomType)
}

/** Gives what to tell GDAL where the source itself has no reference system. */
function sourceReferenceSystem({ layer, name, isLonLat, isGuessed }: SourceLayer): string | undefined {
  if (layer.srs !== null) return undefined
  if (isLonLat || isGuessed) return 'EPSG:4326'
  throw problem('source/no-srs', `the layer ${JSON.stringify(name)} has no reference system`, {
    hint: 'Add it to the file; for a Shapefile, put its .prj file into the archive.',
  })
}

function datatypeOf(type: string): Datatype {
  return datatypes[type] ?? 'STRING'
}

/** Truth values are numbers; lists and whatever else there is are text. */
const datatypes: Readonly<Record<string, Datatype>> = {
  integer: 'INTEGER',
  integer64: 'BIGINT',
  real: 'REAL',
  date: 'DATE',
  time: 'TIME',
  dateTime: 'DATETIME',
}

interface Comparison {
  readonly layer: Layer
  readonly header: FlatHeader | undefined
  readonly path: string
  readonly srs: number
  readonly sourceSrs: string | undefined
}

/**
 * Finds the features that GDAL did not translate, where there are any. Some versions write no feature without a
 * geometry, others do; text that is not UTF-8 stops a feature in all of them.
 */
function findMissing(gdal: GdalModule, comparison: Comparison): MissingFeature[] {
  const { layer, path } = comparison
  const total = layer.features.count(true)
  const { written, bare } = countWritten(comparison)
  if (written === total && bare === 0) return []
  const findFault = faultFinder(gdal, comparison)
  const missing: MissingFeature[] = []
  let number = 0
  for (const feature of layer.features) {
    number += 1
    const fault = findFault(feature)
    if (fault !== undefined) missing.push({ number, isAbsent: fault.isText || bare === 0, ...fault })
  }
  const absent = missing.filter(({ isAbsent }) => isAbsent).length
  if (absent === total - written) return missing
  throw failure(
    path,
    `GDAL wrote ${written} of ${total} features, and of the others ${absent} have a known fault`,
  )
}

/** Counts the features of the file, and those among them that have no geometry. */
function countWritten({ path, header }: Comparison): { written: number; bare: number } {
  let written = 0
  let bare = 0
  if (header === undefined) return { written, bare }
  for (const { geometry } of readFlatFeatures(path, header)) {
    written += 1
    if (geometry === 0) bare += 1
  }
  return { written, bare }
}

type Feature = Parameters<Layer['features']['add']>[0]

interface Fault {
  readonly reason: string
  readonly isText?: boolean
  readonly isMisplaced?: boolean
}

function faultFinder(
  gdal: GdalModule,
  { layer, srs, sourceSrs }: Comparison,
): (feature: Feature) => Fault | undefined {
  const from = sourceSrs === undefined ? layer.srs : gdal.SpatialReference.fromUserInput(sourceSrs)
  const to = gdal.SpatialReference.fromEPSG(srs)
  const transformation = from === null ? undefined : new gdal.CoordinateTransformation(from, to)
  return (feature) => {
    if (Object.values(feature.fields.toObject()).some(hasReplacement)) {
      return { reason: 'a text of it is not UTF-8', isText: true }
    }
    const geometry = feature.getGeometry()
    if (geometry === null || geometry.isEmpty()) return { reason: 'it has no geometry' }
    try {
      if (transformation !== undefined) geometry.transform(transformation)
      return undefined
    } catch {
      return { reason: 'a position of it is outside the reference system', isMisplaced: true }
    }
  }
}

/** Where bytes are no UTF-8, reading them gives this character. */
function hasReplacement(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\uFFFD')
}
