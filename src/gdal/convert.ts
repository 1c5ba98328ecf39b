import { join } from 'node:path'
import type { GeometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { openSourceLayer } from './dataset.ts'
import type { Bounds, FitRules } from './fit.ts'
import type { FlatHeader } from './flatgeobuf.ts'
import type { SourceField, VectorJob, WireSummary } from './job.ts'
import { makeMender } from './mend.ts'
import { findMissing } from './missing.ts'
import type { GdalModule } from './open.ts'
import type { ColumnPlan } from './row.ts'
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

/** Where a conversion reports to. */
export interface ConversionSink extends RowSender {
  summary(summary: WireSummary): Promise<void>
  /** Says that the work goes on. */
  tick(): void
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
  const { survey, features } = await lookAtAll(gdal, plan, sink)
  if (source.isGuessed) refuseMisplaced(survey, source.name)
  // A source of which nothing is left is not what anybody wants to have skipped.
  if (survey.badCount > 0 && (!job.skipErrors || survey.families.size === 0)) throw badFeatures(survey)
  const geometry = decideGeometry(survey, job, findDeclaredType(source))
  await sink.summary({
    format: source.format,
    layer: source.name,
    geometry,
    fields: plan.fields.filter((_, index) => index !== plan.idColumn),
    hasIds: plan.idColumn >= 0,
    rowCount: [...survey.families.values()].reduce((sum, count) => sum + count, 0),
    otherCount: survey.otherCount,
    badCount: survey.badCount,
    bad: survey.bad,
    notes: source.isGuessed ? ['The coordinates were taken for longitude and latitude, EPSG:4326.'] : [],
  })
  if (features === undefined) return
  const { columns, rules } = features
  const { family } = geometry
  const settled = { ...rules, family, isMulti: geometry.isMulti ? null : rules.isMulti }
  const areSound = job.fix === 'NONE' && survey.badCount + survey.otherCount === 0
  await sendRows({ ...features, rules: settled, areSound }, { ...geometry, srs: job.srs, columns }, sink)
}

/** What is read, and how its features are looked at. */
interface Plan {
  readonly source: SourceLayer
  readonly job: VectorJob
  readonly fields: readonly SourceField[]
  readonly idColumn: number
  /** Where the intermediate file goes. */
  readonly path: string
  readonly rules: FitRules
}

function planReading(gdal: GdalModule, source: SourceLayer, job: VectorJob): Plan {
  const fields = readFields(source)
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
    fields,
    idColumn: findIdColumn(fields, job),
    path: join(job.folder, 'features.fgb'),
    rules,
  }
}

/** Translates a source, and looks at its features meanwhile. */
async function lookAtAll(
  gdal: GdalModule,
  plan: Plan,
  sink: ConversionSink,
): Promise<{ survey: Survey; features: Features | undefined }> {
  const { source, job, path } = plan
  const counting = source.twin?.features.countAsync(true)
  counting?.catch(() => undefined)
  let surveyor: Surveyor | undefined
  const header = await translateLayer(gdal, source, {
    path,
    srs: job.srs,
    async follow(header, isDone) {
      const { look, survey } = startSurvey(featuresOf(plan, header))
      surveyor = { look, survey }
      await eachAsWritten({ path, header, isDone }, (feature) => {
        look(feature)
        if (survey.count % 10_000 === 0) sink.tick()
      })
    },
  })
  const survey = surveyor?.survey ?? emptySurvey
  const { count, bareCount } = survey
  const sourceSrs = sourceReferenceSystem(source)
  const { layer } = source
  const total = counting === undefined ? layer.features.count(true) : await counting
  const missing = findMissing(gdal, { layer, srs: job.srs, sourceSrs, total, count, bareCount })
  if (missing === undefined) throw translationFault(path, `GDAL wrote ${count} features, which are not all`)
  const features = header === undefined ? undefined : featuresOf(plan, header)
  return { survey: addMissing(survey, missing), features }
}

function featuresOf({ path, fields, idColumn, rules }: Plan, header: FlatHeader): Features {
  const columns = header.columns.map(({ type }, index): ColumnPlan => {
    return { type, use: index === idColumn ? 'ID' : (fields[index]?.datatype ?? 'STRING') }
  })
  return { path, header, columns, names: fields.map(({ name }) => name), rules }
}

function findIdColumn(fields: readonly SourceField[], { idSource, idFields }: VectorJob): number {
  if (idSource === 'SEQUENCE') return -1
  const column = idFields
    .map((name) => fields.findIndex((field) => field.name === name))
    .find((index) => index >= 0)
  if (column !== undefined) return column
  if (idSource === 'AUTO') return -1
  const names = fields.map(({ name }) => name).join(', ')
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
    throw problem('source/bad-features', 'the source has no features, and does not say what they would be')
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
  return problem('source/bad-features', `${badCount} features cannot be loaded`, {
    detail: lines.map((line) => `- ${line}`).join('\n'),
    ...(bad.some(({ isText }) => isText) ? { hint: encodingHint } : {}),
    data: { bad_count: badCount, bad: bad.map(({ number, reason }) => ({ number, reason })) },
  })
}

const encodingHint =
  'Name the encoding of the texts in source.encoding, such as CP1251; Shapefiles may bring it along in a .cpg file.'
