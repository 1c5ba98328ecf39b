import type { GeometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { countOf, showNumber } from '../../core/count.ts'
import { hasNoRoom } from '../runner/disk_room.ts'
import type { GdalModule, OpenGdal } from '../runner/gdal_module.ts'
import type { SourceSummary, VectorJob, WireUnconvertible } from '../runner/vector_job.ts'
import { hasMeasures } from '../sources/declared_type.ts'
import { findMissing } from '../sources/missing.ts'
import { openSourceLayer } from '../sources/open_source.ts'
import { unreadable } from '../sources/open_with_gdal.ts'
import { readToEnd } from '../sources/read_fault.ts'
import type { AnySourceLayer, NativeLayer, SourceLayer } from '../sources/source.ts'
import { nameSource } from '../sources/source_name.ts'
import { encodingHint } from '../sources/text/encoding.ts'
import {
  followFeatures,
  openReferenceSystem,
  translateLayer,
  translationFault,
} from '../sources/translate.ts'
import { textKeyReader } from './bad_keys.ts'
import type { BitSet } from './bit_set.ts'
import { isField } from './copy_row.ts'
import { type Draft, type DraftSink, startDraft } from './draft.ts'
import { flatFeatureReader, type ReadFeature } from './feature_reader.ts'
import {
  addMissing,
  eachGoodFeature,
  emptyScan,
  type FeatureScan,
  type FeatureScanner,
  type Features,
  startScan,
} from './feature_scan.ts'
import { findReprojection, reprojectingReader } from './placed_reader.ts'
import { featuresOf, layoutOf, planReading, type ReadingPlan, settleColumn } from './reading_plan.ts'
import { startRows } from './row_writer.ts'

/** Receiver of the results of a conversion. */
export interface ConversionSink extends DraftSink {
  /** Sends the summary, after the rows. */
  summary(summary: SourceSummary): Promise<void>
  /** Reports progress: the number of scanned features, and the total. */
  tick(features?: number, total?: number): void
}

/**
 * Converts a source to the rows of a layer. If the source declares its types, rows are sent while it is scanned.
 * Otherwise, or if the data differs from the declaration, rows are sent after all features were scanned.
 *
 * @throws {Problem} source/*, gdal/*, request/invalid
 */
export async function convertVector(openGdal: OpenGdal, job: VectorJob, sink: ConversionSink): Promise<void> {
  const source = await openSourceLayer(openGdal, job, () => sink.tick())
  sink.tick()
  if (await convertLayer(openGdal, { source, job }, sink)) return
  const exact = source.check?.openExactly?.()
  if (exact !== undefined) await convertLayer(openGdal, { source: exact, job }, sink)
}

/** @returns false if GDAL may have changed values; then the rows that were sent must be discarded */
async function convertLayer(
  openGdal: OpenGdal,
  { source, job }: Pick<ReadingPlan, 'source' | 'job'>,
  sink: ConversionSink,
): Promise<boolean> {
  const plan = planReading(openGdal, source, job)
  const scanned =
    'native' in source
      ? await scanNative(plan, source, sink)
      : await translateAll(openGdal(), { ...plan, source }, sink)
  if (scanned === undefined) return false
  const { scan } = scanned
  if (source.degrees === 'guessed') rejectMisplaced(scan, source.name)
  // Skipping errors must not skip the whole source.
  if (scan.badCount > 0 && (!job.skipErrors || scan.families.size === 0)) throw badFeatures(scan, plan)
  const geometry = decideGeometry(scan, plan)
  const rowCount = [...scan.families.values()].reduce((sum, count) => sum + count, 0)
  let filled: Uint8Array | undefined
  if (scanned.draft?.matches(geometry)) filled = await scanned.draft.end()
  else {
    const columns = scanned.features?.columns
    await sink.layout({ ...layoutOf(plan, columns), geometry, rowCount })
    filled = await sendAll(scanned, { plan, geometry, sink })
  }
  await sink.summary({
    format: source.format,
    layer: source.name,
    hasIds: plan.idColumn >= 0,
    rowCount,
    filledFields: plan.columns.flatMap(({ keyname }, index) => (filled?.[index] === 1 ? [keyname] : [])),
    otherFields: plan.columns.flatMap(({ keyname, use }) =>
      use === 'NONE' && keyname !== '' ? [keyname] : [],
    ),
    otherCount: scan.otherCount,
    badCount: scan.badCount,
    bad: scan.bad,
    badKeys: scan.badKeys,
    notes: findNotes(source),
  })
  return true
}

function findNotes(source: AnySourceLayer): string[] {
  const { degrees, columns: { strings, wkt } = {}, check } = source
  const isMeasured = 'layer' in source && hasMeasures(source.layer.geomType)
  const position = 'The coordinates were assumed to be longitude and latitude (EPSG:4326).'
  const measures = 'The measures (M) of the geometries were dropped, since layers do not support them.'
  return [
    ...(degrees === 'guessed' ? [position] : []),
    ...(isMeasured || wkt?.hasMeasures ? [measures] : []),
    check?.findNotes?.() ?? [],
    strings?.findNote?.() ?? [],
  ].flat()
}

/** Result of scanning all features of a source. */
interface ScannedSource {
  readonly scan: FeatureScan
  /** Undefined if the source has no features. */
  readonly features: Features | undefined
  /** Features that are not loaded. */
  readonly skipped: BitSet | undefined
  /** Rows that were sent during the scan. */
  readonly draft: Draft | undefined
}

/**
 * Translates a source, scans its features in the meantime, and sends rows if possible.
 *
 * @returns undefined if GDAL may have changed values
 */
async function translateAll(
  gdal: GdalModule,
  plan: ReadingPlan & { readonly source: SourceLayer },
  sink: ConversionSink,
): Promise<ScannedSource | undefined> {
  const { source, job, path } = plan
  const { check, columns: { strings } = {} } = source
  const comparing = check?.compare?.()
  comparing?.catch(() => undefined)
  const counting = check?.count?.()
  counting?.catch(() => undefined)
  let scanner: FeatureScanner | undefined
  let features: Features | undefined
  let draft: Draft | undefined
  const from = openReferenceSystem(gdal, source)
  const reproject = findReprojection(gdal, source, job.srs)
  await translateLayer(gdal, source, {
    path,
    srs: reproject === undefined ? job.srs : undefined,
    async follow(header, isDone) {
      const types = header.columns.map(({ type }) => type)
      const reader = flatFeatureReader(path, header)
      features = featuresOf(plan, types, reproject ? reprojectingReader(reader, reproject) : reader)
      scanner = startScan(features)
      draft = startDraft(plan, features, sink)
      await followFeatures(
        { path, header, isDone },
        createHandler({ scanner, draft, total: plan.total, sink }),
      )
    },
  })
  const compared = await comparing
  if (compared?.isDoubtful) return undefined
  strings?.settle?.()
  const scan = scanner?.scan ?? emptyScan
  const { count, nullCount } = scan
  const { layer } = source
  const total =
    compared?.total ??
    plan.total ??
    (await counting) ??
    readToEnd(gdal, source, () => layer.features.count(true))
  const readKey = textKeyReader(plan)
  const missing = findMissing(gdal, { source, srs: job.srs, from, total, count, nullCount, readKey })
  // A driver may open a damaged file without features.
  if (total === 0) await refuseFault(source)
  if (missing === undefined) {
    if (hasNoRoom(job.folder)) throw translationFault(path, '')
    throw await truncated(source, `${count} of ${countOf(total, 'feature')} can be read`)
  }
  const settled = features && { ...features, columns: features.columns.map(settleColumn) }
  return { scan: addMissing(scan, missing), features: settled, skipped: scanner?.skipped, draft }
}

interface HandlerParts extends Pick<ReadingPlan, 'total'> {
  readonly scanner: FeatureScanner
  readonly draft: Draft | undefined
  readonly sink: ConversionSink
}

/** Creates a function that scans each feature and sends its row. */
function createHandler({ scanner: { check, scan }, draft, total, sink }: HandlerParts) {
  return (feature: ReadFeature): Promise<void> | undefined => {
    const geometry = check(feature)
    if (scan.count % 10_000 === 0) sink.tick(scan.count, total)
    return geometry && draft?.add({ feature, geometry }, scan)
  }
}

/** Scans the features of a source that is read without GDAL, and sends rows if possible. */
async function scanNative(
  plan: ReadingPlan,
  { native }: NativeLayer,
  sink: ConversionSink,
): Promise<ScannedSource> {
  const features = featuresOf(plan, native.types, native.openReader(plan.job.srs))
  const scanner = startScan(features)
  const draft = startDraft(plan, features, sink)
  const follow = createHandler({ scanner, draft, total: native.count, sink })
  for (const feature of features.reader.all()) {
    const wait = follow(feature)
    if (wait !== undefined) await wait
  }
  const { scan, skipped } = scanner
  return { scan, features, skipped, draft }
}

interface Sending {
  readonly plan: ReadingPlan
  readonly geometry: GeometryParts
  readonly sink: ConversionSink
}

/**
 * Reads the features again, and sends them with the detected types.
 *
 * @returns by column, whether a row had a value in it
 */
async function sendAll(
  { features, skipped }: ScannedSource,
  { plan, geometry, sink }: Sending,
): Promise<Uint8Array | undefined> {
  if (features === undefined) return undefined
  const { job } = plan
  const { columns, rules, reader } = features
  const { family } = geometry
  const settled = { ...rules, family, isMulti: geometry.isMulti ? null : rules.isMulti }
  // Repairs have to be repeated; features that were valid without repairs are not checked again.
  const known = job.fix === 'NONE' && skipped !== undefined ? { skipped } : {}
  const rows = startRows({ ...geometry, srs: job.srs, columns, reader }, sink)
  for (const good of eachGoodFeature({ ...features, rules: settled, ...known })) {
    const wait = rows.add(good)
    if (wait !== undefined) await wait
  }
  await rows.end()
  return rows.filled
}

async function refuseFault({ name, check }: SourceLayer): Promise<void> {
  const fault = await check?.findFault?.()
  if (fault !== undefined) throw unreadable({ name }, fault)
}

async function truncated({ name, check }: SourceLayer, text: string): Promise<Error> {
  const fault = await check?.findFault?.()
  const why = fault === undefined ? '' : `: ${fault}`
  return problem('source/unreadable', `${nameSource(name)} is truncated: ${text}${why}`)
}

function rejectMisplaced({ bad }: FeatureScan, name: string): void {
  const first = bad.find(({ isMisplaced }) => isMisplaced)
  if (first === undefined) return
  throw problem(
    'source/no-srs',
    `${nameSource(name)} has no reference system, and feature ${first.number} is not in longitude and latitude`,
    { hint: 'Put a .prj file with the same name beside the table; in an upload, both into a ZIP archive.' },
  )
}

/** Returns the geometry type of the layer. A source with several families requires a choice. */
function decideGeometry(
  { families, hasMulti, hasHeights }: FeatureScan,
  { job, declared }: Pick<ReadingPlan, 'job' | 'declared'>,
): GeometryParts {
  const found = [...families.keys()]
  if (found.length > 1) {
    const counts = [...families].map(([family, count]) => `${count} ${family}`).join(', ')
    throw problem('source/bad-features', `the source has different geometry types: ${counts}`, {
      hint: 'Choose one with cast_geometry_type, and skip the others with skip_other_geometry_types.',
    })
  }
  const family = found[0] ?? job.family ?? declared?.family
  if (family === undefined) {
    throw problem('source/bad-features', 'the source has no features and does not declare a geometry type', {
      hint: 'Set cast_geometry_type, or upload a source with features.',
    })
  }
  const isMulti = found.length > 0 ? hasMulti : (declared?.isMulti ?? false)
  return {
    family,
    isMulti: job.isMulti ?? isMulti,
    hasZ: job.hasZ ?? (hasHeights || (declared?.hasZ ?? false)),
  }
}

function badFeatures(scan: FeatureScan, { columns }: ReadingPlan): Error {
  const { bad, badCount } = scan
  const more = badCount > bad.length ? [`and ${showNumber(badCount - bad.length)} more`] : []
  const lines = [...bad.map(({ number, reason }) => `feature ${number}: ${reason}`), ...more]
  return problem('source/bad-features', `${countOf(badCount, 'feature')} cannot be loaded`, {
    detail: lines.map((line) => `- ${line}`).join('\n'),
    ...(bad.some(({ isMisencoded }) => isMisencoded) ? { hint: encodingHint } : {}),
    data: {
      bad_count: badCount,
      bad: bad.map(({ number, reason }) => ({ number, reason })),
      unconvertible_count: scan.unconvertibleCount,
      unconvertible: [...scan.unconvertible].flatMap(([index, values]): WireUnconvertible[] => {
        const column = columns[index]
        if (column === undefined || !isField(column.use)) return []
        const { keyname, datatype: from, use: to } = column
        return [{ keyname, from, to, ...values }]
      }),
    },
  })
}
