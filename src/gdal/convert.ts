import { join } from 'node:path'
import type { Datatype, GeometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { openSourceLayer } from './dataset.ts'
import { hasMeasures } from './declared.ts'
import { hasNoRoom } from './disk_room.ts'
import type { Bounds, FitRules } from './fit.ts'
import type { FlatHeader } from './flatgeobuf.ts'
import { guessedDatatype } from './guess.ts'
import type { SourceField, VectorJob, WireSummary } from './job.ts'
import { keynamesOf } from './keyname.ts'
import type { Marks } from './marks.ts'
import { makeMender } from './mend.ts'
import { findMissing } from './missing.ts'
import type { GdalModule } from './open.ts'
import { type ColumnPlan, type ColumnUse, isField } from './row.ts'
import { type RowSender, sendRows } from './rows.ts'
import type { SourceLayer } from './source.ts'
import { nameSource } from './source_name.ts'
import { addMissing, emptySurvey, type Features, type Survey, type Surveyor, startSurvey } from './survey.ts'
import {
  eachAsWritten,
  findDeclaredType,
  readFields,
  sourceReferenceSystem,
  translateLayer,
  translationFault,
} from './translate.ts'
import { type Conversion, findConversion } from './value_convert.ts'

/** Where a conversion reports to. */
export interface ConversionSink extends RowSender {
  summary(summary: WireSummary): Promise<void>
  /** Says that the work goes on, and how many features were looked at. */
  tick(features?: number): void
}

/**
 * Reads a source as rows of a layer: all of it is looked at before the first row is sent, so that nothing is written
 * of a source that is bad.
 *
 * @throws {Problem} source/*, gdal/*, request/invalid
 */
export async function convertVector(gdal: GdalModule, job: VectorJob, sink: ConversionSink): Promise<void> {
  const source = await openSourceLayer(gdal, job)
  sink.tick()
  const plan = planReading(gdal, source, job)
  const { survey, features, passedOver } = await lookAtAll(gdal, plan, sink)
  if (source.isGuessed) refuseMisplaced(survey, source.name)
  // A source of which nothing is left is not what anybody wants to have skipped.
  if (survey.badCount > 0 && (!job.skipErrors || survey.families.size === 0)) throw badFeatures(survey)
  const geometry = decideGeometry(survey, job, findDeclaredType(source))
  const loaded = plan.columns.flatMap(({ name, keyname, use: planned }, index) => {
    const use = features?.columns[index]?.use ?? planned
    return isField(use) ? [{ name, keyname, use }] : []
  })
  await sink.summary({
    format: source.format,
    layer: source.name,
    geometry,
    fields: loaded.map(({ name, use }) => ({ name, datatype: use })),
    keynames: loaded.map(({ keyname }) => keyname),
    hasIds: plan.idColumn >= 0,
    rowCount: [...survey.families.values()].reduce((sum, count) => sum + count, 0),
    otherCount: survey.otherCount,
    badCount: survey.badCount,
    bad: survey.bad,
    notes: findNotes(source),
  })
  if (features === undefined) return
  const { columns, rules } = features
  const { family } = geometry
  const settled = { ...rules, family, isMulti: geometry.isMulti ? null : rules.isMulti }
  // What is to be mended has to be looked at again; what was good as it is has not.
  const known = job.fix === 'NONE' && passedOver !== undefined ? { passedOver } : {}
  await sendRows({ ...features, rules: settled, ...known }, { ...geometry, srs: job.srs, columns }, sink)
}

function findNotes({ isGuessed, texts, layer }: SourceLayer): string[] {
  const position = 'The coordinates were taken for longitude and latitude, EPSG:4326.'
  const measures = 'The measures (M) of its geometries are left out: layers have none.'
  return [
    ...(isGuessed ? [position] : []),
    ...(hasMeasures(layer.geomType) ? [measures] : []),
    texts?.findNote() ?? [],
  ].flat()
}

/** What is read, and how its features are looked at. */
interface Plan {
  readonly source: SourceLayer
  readonly job: VectorJob
  readonly columns: readonly PlannedColumn[]
  readonly idColumn: number
  /** Where the intermediate file goes. */
  readonly path: string
  readonly rules: FitRules
}

/** A field of the source, and what becomes of it. */
interface PlannedColumn extends SourceField {
  readonly keyname: string
  readonly use: ColumnUse
  /** Whether what its texts mean is to be found out. */
  readonly isGuessed?: boolean
}

function planReading(gdal: GdalModule, source: SourceLayer, job: VectorJob): Plan {
  const fields = readFields(source).map((field) => nameField(field, source))
  const idColumn = findIdColumn(source, fields, job)
  const { family, isMulti, skipOthers, fix } = job
  const rules = {
    family,
    isMulti,
    skipOthers,
    fix,
    bounds: boundsOf(job.srs),
    mend: makeMender(gdal, job.srs),
  }
  return {
    source,
    job,
    columns: planColumns(source, { fields, job, idColumn }),
    idColumn,
    path: join(job.folder, 'features.fgb'),
    rules,
  }
}

/** A name that cannot be read is one that nobody could name. */
function nameField(field: SourceField, { texts, recodedFrom, name }: SourceLayer): SourceField {
  if (texts !== undefined) return { ...field, name: texts.readName(field.name) }
  if (recodedFrom === undefined || !field.name.includes('\uFFFD')) return field
  throw problem(
    'source/unreadable',
    `${nameSource(name)} cannot be read: the name of its field ${field.name} is not ${recodedFrom}`,
    { hint: encodingHint },
  )
}

/** Translates a source, and looks at its features meanwhile. */
async function lookAtAll(
  gdal: GdalModule,
  plan: Plan,
  sink: ConversionSink,
): Promise<{ survey: Survey; features: Features | undefined; passedOver: Marks | undefined }> {
  const { source, job, path } = plan
  const counting = source.twin?.features.countAsync(true)
  counting?.catch(() => undefined)
  let surveyor: Surveyor | undefined
  let features: Features | undefined
  await translateLayer(gdal, source, {
    path,
    srs: job.srs,
    async follow(header, isDone) {
      features = featuresOf(plan, header)
      surveyor = startSurvey(features)
      const { look, survey } = surveyor
      await eachAsWritten({ path, header, isDone }, (feature) => {
        look(feature)
        if (survey.count % 10_000 === 0) sink.tick(survey.count)
      })
    },
  })
  source.texts?.settle()
  const survey = surveyor?.survey ?? emptySurvey
  const { count, bareCount } = survey
  const sourceSrs = sourceReferenceSystem(source)
  const { layer } = source
  const total = source.total ?? (counting === undefined ? layer.features.count(true) : await counting)
  const missing = findMissing(gdal, { source, srs: job.srs, sourceSrs, total, count, bareCount })
  if (missing === undefined) {
    if (hasNoRoom(job.folder)) throw translationFault(path, '')
    throw await breaksOff(source, `${count} of ${total} features can be read`)
  }
  const settled = features && { ...features, columns: features.columns.map(settleColumn) }
  return { survey: addMissing(survey, missing), features: settled, passedOver: surveyor?.passedOver }
}

async function breaksOff({ name, findFault }: SourceLayer, text: string): Promise<Error> {
  const fault = await findFault?.()
  const why = fault === undefined ? '' : `: ${fault}`
  return problem('source/unreadable', `${nameSource(name)} breaks off: ${text}${why}`)
}

interface ColumnChoice {
  readonly fields: readonly SourceField[]
  readonly job: VectorJob
  readonly idColumn: number
}

function planColumns(
  { hidden, isText = false, declared = [] }: SourceLayer,
  { fields, job: { wanted }, idColumn }: ColumnChoice,
): PlannedColumn[] {
  const shown = fields.filter(({ name }) => hidden?.get(name) === undefined)
  const keynames = keynamesOf(shown.map(({ name }) => name))
  const datatypeOf = new Map(wanted?.fields.map(({ keyname, datatype }) => [keyname, datatype]))
  let next = 0
  return fields.map((field, index) => {
    const use = hidden?.get(field.name)
    if (use !== undefined) return { ...field, keyname: '', use }
    const keyname = keynames[next] ?? ''
    next += 1
    if (index === idColumn) return { ...field, keyname, use: 'ID' }
    const known = datatypeOf.get(keyname)
    if (known === undefined && wanted?.keepsOthers === false) return { ...field, keyname, use: 'NONE' }
    return {
      ...field,
      keyname,
      use: known ?? declared[index] ?? field.datatype,
      isGuessed: isText && known === undefined,
    }
  })
}

const unknownColumn: Pick<PlannedColumn, 'datatype' | 'use' | 'isGuessed'> = {
  datatype: 'STRING',
  use: 'STRING',
}

/** Reads texts as what they turned out to mean. */
function settleColumn(column: ColumnPlan): ColumnPlan {
  if (column.guess === undefined) return column
  const use = guessedDatatype(column.guess)
  const convert = use === 'STRING' ? undefined : findConversion('STRING', use)
  return {
    ...column,
    use,
    convert,
    guess: undefined,
    blankIsNull: column.blankIsNull === true && use === 'STRING',
  }
}

function featuresOf({ path, columns, job, source, rules }: Plan, header: FlatHeader): Features {
  const { texts, recodedFrom, hasHugeNumbers } = source
  // In a table of text there is no other way to write that there is no value.
  const blankIsNull = job.wanted !== undefined && source.format === 'CSV'
  const plans = header.columns.map(({ type }, index): ColumnPlan => {
    const { datatype, use, isGuessed } = columns[index] ?? unknownColumn
    const guess = isGuessed === true ? { kind: undefined } : undefined
    const isText = datatype === 'STRING' && use === 'STRING'
    const convert = isText ? texts?.read : conversionOf(datatype, use)
    const encoding = isText ? (texts?.encoding ?? recodedFrom) : undefined
    const isClamped = type === 'Long' ? hasHugeNumbers : undefined
    return { type, use, convert, encoding, isClamped, guess, blankIsNull: blankIsNull && use === 'STRING' }
  })
  return { path, header, columns: plans, names: columns.map(({ keyname, name }) => keyname || name), rules }
}

function conversionOf(from: Datatype, to: ColumnUse): Conversion | undefined {
  return isField(to) && to !== from ? findConversion(from, to) : undefined
}

function findIdColumn(
  { hidden }: SourceLayer,
  all: readonly SourceField[],
  { idSource, idFields }: VectorJob,
): number {
  if (idSource === 'SEQUENCE') return -1
  const column = idFields
    .map((name) => all.findIndex((field) => field.name === name && hidden?.get(name) === undefined))
    .find((index) => index >= 0)
  if (column !== undefined) return column
  if (idSource === 'AUTO') return -1
  const names = all
    .map(({ name }) => name)
    .filter((name) => hidden?.get(name) === undefined)
    .join(', ')
  throw problem('request/invalid', `the source has no field ${idFields.join(' or ')} for ids, but ${names}`)
}

/** Largest coordinates: the poles of web mercator, and its world once around to either side. */
function boundsOf(srs: number): Bounds {
  if (srs === 3857) return { x: 40_075_016.69, y: 242_528_681 }
  return srs === 4326 ? { x: 360, y: 90 } : { x: Number.MAX_VALUE, y: Number.MAX_VALUE }
}

function refuseMisplaced({ bad }: Survey, name: string): void {
  const first = bad.find(({ isMisplaced }) => isMisplaced)
  if (first === undefined) return
  throw problem(
    'source/no-srs',
    `${nameSource(name)} does not say its reference system, and feature ${first.number} is not in longitude and latitude`,
    { hint: 'Pack the table into a zip archive together with a .prj file of the same name.' },
  )
}

/** What the features cannot be told apart by: a source of several families has to be asked for one. */
function decideGeometry(
  { families, hasMulti, hasHeights }: Survey,
  job: VectorJob,
  declared: GeometryParts | undefined,
): GeometryParts {
  const found = [...families.keys()]
  if (found.length > 1) {
    const counts = [...families].map(([family, count]) => `${count} ${family}`).join(', ')
    throw problem('source/bad-features', `the source holds different geometries: ${counts}`, {
      hint: 'Choose one with cast_geometry_type; skip_other_geometry_types leaves the others out.',
    })
  }
  const family = found[0] ?? job.family ?? declared?.family
  if (family === undefined) {
    throw problem('source/bad-features', 'the source has no features, and does not say what they would be', {
      hint: 'Send features, or say with cast_geometry_type what there would be.',
    })
  }
  const isMulti = found.length > 0 ? hasMulti : (declared?.isMulti ?? false)
  return {
    family,
    isMulti: job.isMulti ?? isMulti,
    hasZ: job.hasZ ?? (hasHeights || (declared?.hasZ ?? false)),
  }
}

function badFeatures({ bad, badCount }: Survey): Error {
  const more = badCount > bad.length ? [`and ${badCount - bad.length} more`] : []
  const lines = [...bad.map(({ number, reason }) => `feature ${number}: ${reason}`), ...more]
  return problem(
    'source/bad-features',
    `${badCount} ${badCount === 1 ? 'feature' : 'features'} cannot be loaded`,
    {
      detail: lines.map((line) => `- ${line}`).join('\n'),
      ...(bad.some(({ isText }) => isText) ? { hint: encodingHint } : {}),
      data: { bad_count: badCount, bad: bad.map(({ number, reason }) => ({ number, reason })) },
    },
  )
}

const encodingHint =
  'Name the encoding of the texts in source.encoding, such as CP1251; Shapefiles may bring it along in a .cpg file.'
