import type { GeometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { hasNoRoom } from '../runner/disk_room.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { SourceSummary, VectorJob } from '../runner/vector_job.ts'
import { hasMeasures } from '../sources/declared_type.ts'
import { findMissing } from '../sources/missing.ts'
import { openSourceLayer } from '../sources/open_source.ts'
import type { AnySourceLayer, NativeLayer, SourceLayer } from '../sources/source.ts'
import { nameSource } from '../sources/source_name.ts'
import { encodingHint } from '../sources/text/encoding.ts'
import {
  eachAsWritten,
  sourceReferenceSystem,
  translateLayer,
  translationFault,
} from '../sources/translate.ts'
import type { Marks } from './bit_set.ts'
import { type Draft, type DraftSink, startDraft } from './draft.ts'
import { flatFeatureReader, type ReadFeature } from './feature_reader.ts'
import {
  addMissing,
  eachGoodFeature,
  emptySurvey,
  type Features,
  type Survey,
  type Surveyor,
  startSurvey,
} from './feature_scan.ts'
import { featuresOf, layoutOf, planReading, type ReadingPlan, settleColumn } from './reading_plan.ts'
import { startRows } from './row_writer.ts'

/** Where a conversion reports to. */
export interface ConversionSink extends DraftSink {
  /** Comes after the rows. */
  summary(summary: SourceSummary): Promise<void>
  /** Says that the work goes on, and how many features were looked at, of how many. */
  tick(features?: number, total?: number): void
}

/**
 * Reads a source as rows of a layer. What says itself what its rows are is sent while it is read; else, and where it
 * turns out to be something else, all of it is looked at before the first row is sent.
 *
 * @throws {Problem} source/*, gdal/*, request/invalid
 */
export async function convertVector(gdal: GdalModule, job: VectorJob, sink: ConversionSink): Promise<void> {
  const source = await openSourceLayer(gdal, job, () => sink.tick())
  sink.tick()
  if (await convertLayer(gdal, { source, job }, sink)) return
  const exact = source.check?.openExactly?.()
  if (exact !== undefined) await convertLayer(gdal, { source: exact, job }, sink)
}

/** @returns whether all was as GDAL gave it: else whatever was sent was sent in vain */
async function convertLayer(
  gdal: GdalModule,
  { source, job }: Pick<ReadingPlan, 'source' | 'job'>,
  sink: ConversionSink,
): Promise<boolean> {
  const plan = planReading(gdal, source, job)
  const look =
    'native' in source
      ? await lookAtNative(plan, source, sink)
      : await translateAll(gdal, { ...plan, source }, sink)
  if (look === undefined) return false
  const { survey } = look
  if (source.degrees === 'guessed') refuseMisplaced(survey, source.name)
  // A source of which nothing is left is not what anybody wants to have skipped.
  if (survey.badCount > 0 && (!job.skipErrors || survey.families.size === 0)) throw badFeatures(survey)
  const geometry = decideGeometry(survey, plan)
  const rowCount = [...survey.families.values()].reduce((sum, count) => sum + count, 0)
  if (look.draft?.standsFor(geometry)) await look.draft.end()
  else {
    const columns = look.features?.columns
    await sink.layout({ ...layoutOf(plan, columns), geometry, rowCount })
    await sendAll(look, { plan, geometry, sink })
  }
  await sink.summary({
    format: source.format,
    layer: source.name,
    hasIds: plan.idColumn >= 0,
    rowCount,
    otherCount: survey.otherCount,
    badCount: survey.badCount,
    bad: survey.bad,
    notes: findNotes(source),
  })
  return true
}

function findNotes(source: AnySourceLayer): string[] {
  const { degrees, columns: { texts, wkt } = {}, check } = source
  const isMeasured = 'layer' in source && hasMeasures(source.layer.geomType)
  const position = 'The coordinates were taken for longitude and latitude, EPSG:4326.'
  const measures = 'The measures (M) of its geometries are left out: layers have none.'
  return [
    ...(degrees === 'guessed' ? [position] : []),
    ...(isMeasured || wkt?.hasMeasures ? [measures] : []),
    check?.findNotes?.() ?? [],
    texts?.findNote?.() ?? [],
  ].flat()
}

/** What one look at all features of a source gave. */
interface Look {
  readonly survey: Survey
  /** Undefined where the source has none. */
  readonly features: Features | undefined
  /** Those that are not to be loaded. */
  readonly passedOver: Marks | undefined
  /** The rows that were sent meanwhile. */
  readonly draft: Draft | undefined
}

/**
 * Translates a source, looks at its features meanwhile, and sends what can be sent.
 *
 * @returns undefined where the source holds something else than what GDAL gave
 */
async function translateAll(
  gdal: GdalModule,
  plan: ReadingPlan & { readonly source: SourceLayer },
  sink: ConversionSink,
): Promise<Look | undefined> {
  const { source, job, path } = plan
  const { check, columns: { texts } = {} } = source
  const comparing = check?.compare?.()
  comparing?.catch(() => undefined)
  const counting = check?.count?.()
  counting?.catch(() => undefined)
  let surveyor: Surveyor | undefined
  let features: Features | undefined
  let draft: Draft | undefined
  await translateLayer(gdal, source, {
    path,
    srs: job.srs,
    async follow(header, isDone) {
      const types = header.columns.map(({ type }) => type)
      features = featuresOf(plan, types, flatFeatureReader(path, header))
      surveyor = startSurvey(features)
      draft = startDraft(plan, features, sink)
      await eachAsWritten({ path, header, isDone }, followerOf({ surveyor, draft, total: plan.total, sink }))
    },
  })
  const compared = await comparing
  if (compared?.isDoubtful) return undefined
  texts?.settle?.()
  const survey = surveyor?.survey ?? emptySurvey
  const { count, bareCount } = survey
  const sourceSrs = sourceReferenceSystem(source)
  const { layer } = source
  const total =
    compared?.total ?? plan.total ?? (counting === undefined ? layer.features.count(true) : await counting)
  const missing = findMissing(gdal, { source, srs: job.srs, sourceSrs, total, count, bareCount })
  if (missing === undefined) {
    if (hasNoRoom(job.folder)) throw translationFault(path, '')
    throw await breaksOff(source, `${count} of ${countOf(total, 'feature')} can be read`)
  }
  const settled = features && { ...features, columns: features.columns.map(settleColumn) }
  return { survey: addMissing(survey, missing), features: settled, passedOver: surveyor?.passedOver, draft }
}

interface Following extends Pick<ReadingPlan, 'total'> {
  readonly surveyor: Surveyor
  readonly draft: Draft | undefined
  readonly sink: ConversionSink
}

/** Makes what looks at each feature as it comes, and sends it. */
function followerOf({ surveyor: { look, survey }, draft, total, sink }: Following) {
  return (feature: ReadFeature): Promise<void> | undefined => {
    const geometry = look(feature)
    if (survey.count % 10_000 === 0) sink.tick(survey.count, total)
    return geometry && draft?.add({ feature, geometry }, survey)
  }
}

/** Looks at the features of a source that says itself what it holds, and sends what can be sent. */
async function lookAtNative(plan: ReadingPlan, { native }: NativeLayer, sink: ConversionSink): Promise<Look> {
  const features = featuresOf(plan, native.types, native.openReader(plan.job.srs))
  const surveyor = startSurvey(features)
  const draft = startDraft(plan, features, sink)
  const follow = followerOf({ surveyor, draft, total: native.count, sink })
  for (const feature of features.reader.all()) {
    const wait = follow(feature)
    if (wait !== undefined) await wait
  }
  const { survey, passedOver } = surveyor
  return { survey, features, passedOver, draft }
}

interface Sending {
  readonly plan: ReadingPlan
  readonly geometry: GeometryParts
  readonly sink: ConversionSink
}

/** Reads the features once more, as what they turned out to be. */
async function sendAll({ features, passedOver }: Look, { plan, geometry, sink }: Sending): Promise<void> {
  if (features === undefined) return
  const { job } = plan
  const { columns, rules, reader } = features
  const { family } = geometry
  const settled = { ...rules, family, isMulti: geometry.isMulti ? null : rules.isMulti }
  // What is to be mended has to be looked at again; what was good as it is has not.
  const known = job.fix === 'NONE' && passedOver !== undefined ? { passedOver } : {}
  const rows = startRows({ ...geometry, srs: job.srs, columns, reader }, sink)
  for (const good of eachGoodFeature({ ...features, rules: settled, ...known })) {
    const wait = rows.add(good)
    if (wait !== undefined) await wait
  }
  await rows.end()
}

async function breaksOff({ name, check }: SourceLayer, text: string): Promise<Error> {
  const fault = await check?.findFault?.()
  const why = fault === undefined ? '' : `: ${fault}`
  return problem('source/unreadable', `${nameSource(name)} breaks off: ${text}${why}`)
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
  { job, declared }: Pick<ReadingPlan, 'job' | 'declared'>,
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
  return problem('source/bad-features', `${countOf(badCount, 'feature')} cannot be loaded`, {
    detail: lines.map((line) => `- ${line}`).join('\n'),
    ...(bad.some(({ isText }) => isText) ? { hint: encodingHint } : {}),
    data: { bad_count: badCount, bad: bad.map(({ number, reason }) => ({ number, reason })) },
  })
}
