import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { GeometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { datatypeOf } from '../export/field_type.ts'
import {
  type FlatFeature,
  type FlatHeader,
  type FlatReader,
  findFlatHeader,
  openFlatReader,
} from '../flatgeobuf/flat_reader.ts'
import { hasNoRoom } from '../runner/disk_room.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { SourceField } from '../runner/vector_job.ts'
import { isCurved, readDeclaredType } from './declared_type.ts'
import type { SourceLayer } from './source.ts'

/** Looks at features while they are translated. */
export interface Follower {
  /** Called once there is something to look at; to be done when the file is, and has been read to its end. */
  follow(header: FlatHeader, isDone: () => boolean): Promise<void>
}

/** Where a translation goes. */
export interface TranslateTarget extends Follower {
  readonly path: string
  /** EPSG code. */
  readonly srs: number
}

/** Gives the fields of a layer as what they become. */
export function readFields({ layer }: SourceLayer): SourceField[] {
  return layer.fields.map(({ name, type }) => ({ name, datatype: datatypeOf(type) }))
}

/**
 * Writes a layer as FlatGeobuf with GDAL's own translation, in a thread of its own: its features come out at the speed
 * of GDAL, exactly, and can be read without it, where asking GDAL for each of them is ten times slower.
 *
 * @returns the header; undefined where the source has no features
 * @throws {Problem} source/no-srs, gdal/failed, files/full
 */
export async function translateLayer(
  gdal: GdalModule,
  source: SourceLayer,
  target: TranslateTarget,
): Promise<FlatHeader | undefined> {
  const fields = readFields(source)
  const options = translationOptions(source, target.srs)
  const { name } = source.layer
  const plain = name.startsWith('-') ? selectAll(name, fields) : [name]
  let header = await translate(gdal, source, { ...target, fields, options: [...options, ...plain] })
  if (header !== undefined && header.columns.length < fields.length) {
    // Some versions drop a field without a name: given one, it stays.
    header = await translate(gdal, source, {
      ...target,
      fields,
      options: [...options, ...selectAll(name, fields)],
    })
  }
  if (header === undefined || header.columns.length === fields.length) return header
  throw translationFault(target.path, `GDAL wrote ${header.columns.length} of ${fields.length} fields`)
}

/** What is translated, told by a query that gives the fields names of ours, in their order. */
function selectAll(layerName: string, fields: readonly SourceField[]): string[] {
  const quote = (name: string) => `"${name.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
  const columns = fields.map(({ name }, index) => `${quote(name)} AS f${index + 1}`)
  const list = columns.length === 0 ? '*' : columns.join(', ')
  return ['-dialect', 'OGRSQL', '-sql', `SELECT ${list} FROM ${quote(layerName)}`]
}

interface Task extends TranslateTarget {
  readonly fields: readonly SourceField[]
  readonly options: string[]
}

/** How often a file that grows is looked at. */
const pauseMs = 5

async function translate(
  gdal: GdalModule,
  { dataset }: SourceLayer,
  { path, options, fields, follow }: Task,
): Promise<FlatHeader | undefined> {
  rmSync(path, { force: true })
  let isDone = false
  const work = gdal
    .vectorTranslateAsync(path, dataset, options)
    .then((translated) => translated.close())
    .finally(() => {
      isDone = true
    })
  work.catch(() => undefined)
  let header = findFlatHeader(path)
  while (header === undefined && !isDone) {
    await setTimeout(pauseMs)
    header = findFlatHeader(path)
  }
  if (header?.columns.length === fields.length) await follow(header, () => isDone)
  try {
    await work
    return header
  } catch (error) {
    throw translationFault(path, error instanceof Error ? error.message : String(error))
  }
}

/** Looks at a feature; gives a promise where it is to be waited for before the next. */
type Look = (feature: FlatFeature) => Promise<void> | undefined

/** Shows the features of a file that may still be growing, in order, to its end. */
export async function eachAsWritten(
  { path, header, isDone }: { path: string; header: FlatHeader; isDone: () => boolean },
  look: Look,
): Promise<void> {
  const reader = openFlatReader(path, header)
  try {
    for (;;) {
      // Asked first: what was written before it was done is read below.
      const wasDone = isDone()
      await showWritten(reader, look)
      if (wasDone) return
      await setTimeout(pauseMs)
    }
  } finally {
    reader.close()
  }
}

async function showWritten(reader: FlatReader, look: Look): Promise<void> {
  for (let feature = reader.next(); feature !== undefined; feature = reader.next()) {
    const wait = look(feature)
    if (wait !== undefined) await wait
  }
}

/** Makes the fault of a translation: a full disk shows in many ways, but GDAL does not say that it is one. */
export function translationFault(path: string, message: string): Error {
  return hasNoRoom(dirname(path))
    ? problem('files/full', 'the disk is full while a source is read')
    : problem('gdal/failed', message)
}

const listsAsText = ['IntegerList', 'Integer64List', 'RealList', 'StringList', 'Binary'].map(
  (type) => `${type}=String`,
)
/** What a field is said to be need not be what it holds: cut to it, its values would become others. */
const wideNumbers = ['Integer(Boolean)=Integer', 'Integer(Int16)=Integer', 'Real(Float32)=Real']
const fieldTypes = [...listsAsText, ...wideNumbers].join(',')

function translationOptions(source: SourceLayer, srs: number): string[] {
  const declared = findDeclaredType(source)
  const isPlanar = declared !== undefined && !declared.hasZ
  const sourceSrs = sourceReferenceSystem(source)
  return [
    ...['-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO', '-mapFieldType', fieldTypes],
    ...typeOptions(source, isPlanar),
    ...(sourceSrs === undefined ? [] : ['-s_srs', sourceSrs]),
    ...['-t_srs', `EPSG:${srs}`],
    // What cannot be reprojected is told by number further down.
    '-skipfailures',
  ]
}

/**
 * Any type: what a layer declares need not be what it holds, and every mismatch is to be told, not dropped. Where it
 * declares curves they become lines, which GDAL does only where it is told nothing else.
 */
function typeOptions({ layer }: SourceLayer, isPlanar: boolean): string[] {
  return isCurved(layer.geomType)
    ? ['-nlt', 'CONVERT_TO_LINEAR']
    : ['-nlt', 'GEOMETRY', '-dim', isPlanar ? 'XY' : 'XYZ']
}

/** Gives what the source says its geometries are. */
export function findDeclaredType({ layer, isUntyped }: SourceLayer): GeometryParts | undefined {
  return isUntyped ? undefined : readDeclaredType(layer.geomType)
}

/** How GDAL writes what a GeoPackage says of a reference system that nobody knows. */
const undefinedSystem = /^\w+\["Undefined (Cartesian|geographic) SRS"/i

/**
 * Gives what to tell GDAL where the source itself has no reference system.
 *
 * @throws {Problem} source/no-srs where nobody knows
 */
export function sourceReferenceSystem({ layer, name, degrees }: SourceLayer): string | undefined {
  if (layer.srs !== null && !undefinedSystem.test(layer.srs.toWKT())) return undefined
  if (degrees !== undefined) return 'EPSG:4326'
  throw problem('source/no-srs', `the layer ${JSON.stringify(name)} has no reference system`, {
    hint: 'Add it to the file; for a Shapefile, put its .prj file into the archive.',
  })
}
