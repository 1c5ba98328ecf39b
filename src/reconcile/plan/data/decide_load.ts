import { createHash } from 'node:crypto'
import type { ResourceContents } from '../../../api/read_contents.ts'
import { type GeometryType, geometryParts } from '../../../contract/geometry.ts'
import { formatSource, markerKeys } from '../../../contract/markers.ts'
import type { ProblemCode } from '../../../contract/problems.ts'
import { dataOf } from '../../../contract/registry.ts'
import { countOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import { isProblem, type Problem } from '../../../core/problem.ts'
import { findHint } from '../../../core/suggest.ts'
import type { WireUnconvertible } from '../../../gdal/runner/vector_job.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import {
  type DataChange,
  describeBlindLoad,
  describeDataLoss,
  losesData,
} from '../../../transfer/data_loss.ts'
import { nameEncoding } from '../../../transfer/source_encoding.ts'
import { countVersions } from '../../../transfer/sync/feature_difference.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { DataLoad, EditedData, SyncLoad, UnfilledFields, WantedBody } from '../../model/change.ts'
import { describeEdits, findEditedFeatures } from '../../model/data_edits.ts'
import { changesValues } from '../../model/layer_fields.ts'
import type { LoadReading, PlanOptions } from '../../model/plan_input.ts'
import { issueAt } from '../issue_at.ts'
import { reportUnconvertible } from './declared_fields.ts'
import { keepData } from './unfilled_fields.ts'

/** The current source file of a layer. */
export interface SourceFile {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
}

/** The decision whether to load the data of a layer. */
export interface SourceDecision {
  readonly load?: DataLoad
  /** Added fields without values, because there is no load. */
  readonly unfilled?: UnfilledFields
  readonly issues: readonly Issue[]
  /** The features of the resource must be counted before the plan is final. */
  readonly uncounted?: true
  /** The source must be read before the plan is final. */
  readonly unread?: true
  /** Who edited the data must be read before the plan is final. */
  readonly unreadContents?: true
}

/** Input of a decision about data. */
export interface SourceQuestion {
  readonly wanted: WantedResource
  /** Undefined if the layer will be created. */
  readonly actual: ActualResource | undefined
  readonly file: SourceFile
  /** Number of features; undefined if not yet requested, null if the server cannot count them. */
  readonly count: number | null | undefined
  /** Changes a load would make; undefined if not yet read. */
  readonly change: LoadReading | undefined
  /** Descriptions and attachments on the server that a load would delete; absent if not known. */
  readonly unlisted?: Pick<DataChange, 'lostAttachments' | 'lostDescriptions'> | undefined
  /** Who changed the data last, and when; absent if not read, null if the server does not tell. */
  readonly contents?: ResourceContents | null | undefined
  /** Keynames of fields that the plan drops. */
  readonly dropped: ReadonlySet<string>
  /** Keynames of fields that the plan adds. */
  readonly added: ReadonlySet<string>
  /** Keynames of fields that the plan converts, so that all features have to be loaded again. */
  readonly converted: ReadonlySet<string>
  readonly options: Pick<PlanOptions, 'overwriteData' | 'allowLoss' | 'fuse'>
  /** Whether the server reports the content of a source before it replaces the data. */
  readonly prepares: boolean
}

/** Returns the load options of a source; the geometry type of the block sets the casts. */
export function loadOptionsOf({ data, members }: WantedResource): Readonly<Record<string, unknown>> {
  const type = members.vector_layer?.geometry_type as GeometryType | undefined
  if (type === undefined) return data?.options ?? {}
  const { family, isMulti, hasZ } = geometryParts(type)
  return { cast_geometry_type: family, cast_is_multi: isMulti, cast_has_z: hasZ, ...data?.options }
}

/** Computes the digest for the source marker, over the bytes of the file and the load options. */
export function sourceDigest(sha256: string, options: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(`${sha256}\n${JSON.stringify(sorted)}`)
    .digest('hex')
}

/**
 * Decides whether to load the source of a layer: if it differs from the marker on the server, if the data have changed
 * since the last load, or if the plan adds fields, whose values come from the source. Data that were edited on the server stop the plan unless the manifest or the caller
 * chooses a policy. Existing data without a marker are never overwritten without `overwriteData`.
 */
export function decideSource(question: SourceQuestion): SourceDecision {
  const { wanted, actual, file, added, options, contents } = question
  if (actual === undefined) return loadNew(question)
  const edited = withWrites(findEdits(actual), actual, contents)
  const digest = sourceDigest(file.sha256, loadOptionsOf(wanted))
  if (options.overwriteData.has(wanted.key)) {
    const isSourceChanged = actual.source !== undefined && actual.source.digest !== digest
    return replaceData(question, {
      reason: 'requested',
      edited,
      ...(isSourceChanged ? { isSourceChanged } : {}),
    })
  }
  if (actual.source === undefined) return decideUnmarked(question)
  if (wanted.data?.mode === 'seed') return keepData(question)
  const isSame = actual.source.digest === digest
  if (isSame && edited === undefined)
    return added.size === 0 ? { issues: [] } : replaceData(question, { reason: 'fields added', edited })
  const reason = isSame ? 'data changed on the server' : 'source changed'
  const decision = replaceData(question, { reason, edited })
  if (edited === undefined || ['replace', 'sync'].includes(wanted.data?.mode ?? '')) return decision
  return { ...decision, issues: [...decision.issues, reportEdits(wanted, edited)] }
}

/** The source of a new layer is read, so that its faults are known before the apply. */
function loadNew(question: SourceQuestion): SourceDecision {
  const { wanted, change, prepares } = question
  const load = loadOf(question, 'new')
  // Other servers may read other sources than landform.
  if (!prepares || dataOf(wanted.cls) === undefined) return { load, issues: [] }
  // A layer that is deleted and created again was compared with the old one.
  const isCompared = isProblem(change) && change.data.source_geometry !== undefined
  if (change === undefined || isCompared) return { load, issues: [], unread: true }
  const issues = checkNewSource(wanted, change)
  if (isProblem(change) || change === null) return { load, issues }
  const known = { ...withoutDropped(change, new Set()), before: 0, lostFields: [] }
  return { load: { ...load, change: known }, issues }
}

/** Reports a source from which no layer can be created. */
export function checkNewSource(wanted: WantedResource, reading: LoadReading): Issue[] {
  if (isProblem(reading)) return reportFaults(wanted, reading)
  return reading === null ? [] : checkKey(wanted, reading.sourceFields)
}

/** Reports a key field that a new layer would not have. Lists of fields in the block are checked with the manifest. */
function checkKey(wanted: WantedResource, source: DataChange['sourceFields']): Issue[] {
  const { data, members } = wanted
  if (source === undefined || members.feature_layer?.fields !== undefined) return []
  const names = source.map(({ keyname }) => keyname)
  const missing = data?.featureKey?.find((name) => !names.includes(name))
  if (missing === undefined) return []
  const message = `"${wanted.key}" will have no field "${missing}"`
  const hint = findHint(missing, names) ?? `Use one of: ${names.join(', ')}.`
  return [{ ...issueAt(wanted, 'data/key', message, '/data/key'), hint }]
}

/** Tells whether the data were edited since the load that the marker records. */
export function isEdited(resource: ActualResource): boolean {
  return findEdits(resource) !== undefined
}

/** Finds edits since the load that the marker records. */
function findEdits({ source, dataVersion }: ActualResource): EditedData | undefined {
  if (source === undefined || dataVersion === undefined || dataVersion === source.version) return undefined
  return { changes: dataVersion > source.version ? dataVersion - source.version : undefined }
}

/** The server does not record who edited which feature, but which features changed, and who changed the data last. */
function withWrites(
  edited: EditedData | undefined,
  { source }: ActualResource,
  contents: SourceQuestion['contents'],
): EditedData | undefined {
  if (edited === undefined || source === undefined || contents?.data_changed === undefined) return edited
  const features = findEditedFeatures(contents.changed_features, source.version)
  return {
    ...edited,
    last: { at: contents.data_changed, by: contents.data_user ?? null },
    ...(features === undefined ? {} : { features }),
  }
}

function reportEdits(wanted: WantedResource, edited: EditedData): Issue {
  const message = `the data of "${wanted.key}" were edited on the server${describeEdits(edited)}, and loading the source would overwrite the edits`
  const hint = `To overwrite the edits, use --overwrite-data ${wanted.key} or data: { mode: replace }. To keep them, use data: { mode: seed }.`
  return { ...issueAt(wanted, 'plan/data-edited', message, '/data'), hint }
}

type Reason = Pick<DataLoad, 'reason' | 'isSourceChanged'> & { readonly edited: EditedData | undefined }

function replaceData(question: SourceQuestion, reason: Reason): SourceDecision {
  const decision = decideReplacement(question, reason)
  const isUnread = reason.edited !== undefined && question.contents === undefined
  return isUnread ? { ...decision, unreadContents: true } : decision
}

function decideReplacement(
  question: SourceQuestion,
  { reason, edited, isSourceChanged }: Reason,
): SourceDecision {
  const { wanted, actual, count, change, converted } = question
  const isNotSynced = wanted.data?.mode === 'sync' && converted.size > 0
  const load = {
    ...loadOf(question, reason),
    ...(isSourceChanged ? { isSourceChanged } : {}),
    ...(edited === undefined ? {} : { edited }),
    ...(isNotSynced ? { notSynced: [...converted] } : {}),
  }
  const sync = findSync(question)
  if (sync !== undefined) return syncData(question, { ...load, sync })
  if (dataOf(actual?.cls)?.content !== 'features') return decideRaster(question, load)
  if (count === undefined) return { load, issues: [], uncounted: true }
  const counted = { ...load, before: count }
  if (count === 0) return { load: counted, issues: [] }
  if (count !== null && change === undefined) return { load: counted, issues: [], unread: true }
  const { prepares, dropped } = question
  if (isProblem(change) && prepares) return { load: counted, issues: reportFaults(wanted, change) }
  if (!change || isProblem(change))
    return {
      load: counted,
      issues: prepares || load.lossFuse === undefined ? [] : [reportBlind(wanted, count)],
    }
  const known = { ...withoutDropped(change, dropped), ...question.unlisted }
  const otherFamily = describeOtherFamily(actual, change)
  if (otherFamily !== undefined)
    return { load: { ...counted, change: known }, issues: [reportFamily(wanted, otherFamily)] }
  const isLost = load.lossFuse !== undefined && losesData(known, load.lossFuse)
  return { load: { ...counted, change: known }, issues: isLost ? [reportLoss(wanted, known)] : [] }
}

function decideRaster({ wanted, change, prepares }: SourceQuestion, load: DataLoad): SourceDecision {
  if (!prepares) return { load, issues: [] }
  if (change === undefined) return { load, issues: [], unread: true }
  return { load, issues: isProblem(change) ? reportFaults(wanted, change) : [] }
}

/** Describes that a source has another geometry family than a layer: styles, maps and clients depend on it. */
export function describeOtherFamily(
  actual: ActualResource | undefined,
  reading: LoadReading | undefined,
): string | undefined {
  const layer = actual?.members.vector_layer?.geometry_type as GeometryType | undefined
  // A comparison by key stops at another family.
  const found = isProblem(reading) ? reading.data.source_geometry : reading?.sourceGeometry
  const source = found as GeometryType | undefined
  if (layer === undefined || source === undefined) return undefined
  if (geometryParts(layer).family === geometryParts(source).family) return undefined
  return `the source has geometry type ${source}, the layer ${layer}`
}

function reportFamily(wanted: WantedResource, what: string): Issue {
  const { key } = wanted
  const hint = `To delete and recreate it with all resources below it, use --replace ${key}. To load only features of the type of the layer, set cast_geometry_type and skip_other_geometry_types in data.`
  return { ...issueAt(wanted, 'plan/replace', `cannot change "${key}" in place: ${what}`, '/data'), hint }
}

/** Returns how to synchronize a layer; undefined for another mode, and if all features have to be loaded again. */
function findSync({ wanted, actual, file, converted }: SourceQuestion): SyncLoad | undefined {
  const { mode, featureKey: key = [] } = wanted.data ?? {}
  if (mode !== 'sync' || converted.size > 0 || actual?.dataVersion === undefined) return undefined
  return { key, sha256: file.sha256, dataVersion: actual.dataVersion }
}

function syncData(
  { wanted, actual, change, dropped }: SourceQuestion,
  load: DataLoad & { readonly sync: SyncLoad },
): SourceDecision {
  if (change === undefined) return { load, issues: [], unread: true }
  const otherFamily = describeOtherFamily(actual, change)
  if (otherFamily !== undefined) return { load, issues: [reportFamily(wanted, otherFamily)] }
  if (isProblem(change)) return { load, issues: reportFaults(wanted, change) }
  if (change === null) return { load, issues: [] }
  const known = withoutDropped(change, dropped)
  const { difference } = known
  const versions = difference === undefined ? 1 : countVersions(difference, dropped.size > 0)
  const version = load.sync.dataVersion + versions
  const isLost = load.lossFuse !== undefined && losesData(known, load.lossFuse)
  const { edited, ...rest } = load
  const overwrites = difference === undefined || difference.patch.count + dropped.size > 0
  return {
    load: {
      ...rest,
      ...(edited === undefined || !overwrites ? {} : { edited }),
      ...{ version, before: known.before, change: known },
    },
    issues: isLost ? [reportLoss(wanted, known)] : [],
  }
}

/** Reports why a source cannot be loaded: values that cannot be converted by field, at its datatype. */
function reportFaults(wanted: WantedResource, fault: Problem): Issue[] {
  const { bad_count: count, unconvertible_count: known, unconvertible = [] } = fault.data
  const fields = unconvertible as readonly WireUnconvertible[]
  const isWhole = fields.length > 0 && count === known
  return [
    ...fields.map(({ first, ...field }) => ({
      ...reportUnconvertible(wanted, {
        ...field,
        first: first.map(({ number, value }) => ({ feature: number, value })),
      }),
      hint: 'Correct the values, skip their features with data: { skip_errors: true }, or keep the datatype and add another field.',
    })),
    ...(isWhole ? [] : [reportFault(wanted, fault)]),
  ]
}

function reportFault(wanted: WantedResource, { code, message, hint, detail }: Problem): Issue {
  const pointer = code === 'data/key' ? '/data/key' : '/data'
  const text = `the source of "${wanted.key}" cannot be loaded: ${detail === undefined ? message : `${message}: ${detail.split('\n').join('; ')}`}`
  return {
    ...issueAt(wanted, code as ProblemCode, text, pointer),
    ...(hint === undefined ? {} : { hint: nameEncoding(hint, 'data.encoding') }),
  }
}

/** Removes the fields that the plan drops from the lost fields. */
export function withoutDropped(
  { filledFields: _, unconvertible: __, keyFaults: ___, ...change }: DataChange,
  dropped: ReadonlySet<string>,
): DataChange {
  return { ...change, lostFields: change.lostFields.filter(({ keyname }) => !dropped.has(keyname)) }
}

function reportLoss(wanted: WantedResource, change: DataChange): Issue {
  const message = `"${wanted.key}" would lose data: ${describeDataLoss(change)}`
  return { ...issueAt(wanted, 'data/loss', message, '/data'), hint: lossHint(wanted.key) }
}

function reportBlind(wanted: WantedResource, count: number | null): Issue {
  const { key } = wanted
  return { ...issueAt(wanted, 'data/loss', describeBlindLoad(key, count), '/data'), hint: lossHint(key) }
}

/**
 * Updates the source marker in a body that drops or converts fields: the server increments the data version for it,
 * which must not count as an edit. Data with other edits keep their marker.
 */
export function keepSource(body: WantedBody, actual: ActualResource): WantedBody {
  const { source, dataVersion, members } = actual
  const isKept = changesValues(body.feature_layer?.fields, members.feature_layer?.fields)
  if (!isKept || source === undefined || dataVersion !== source.version) return body
  const items = body.resmeta?.items as Readonly<Record<string, unknown>> | undefined
  const marker = { [markerKeys.source]: formatSource({ ...source, version: source.version + 1 }) }
  return { ...body, resmeta: { items: { ...items, ...marker } } }
}

/**
 * Replaces the digest in the source marker of a layer whose fields come back without their values, which only the source has: the
 * next plan loads it again, unless the data were edited.
 */
export function staleSource(body: WantedBody, { source }: ActualResource): WantedBody {
  if (source === undefined) return body
  const items = body.resmeta?.items as Readonly<Record<string, unknown>> | undefined
  const marker = { [markerKeys.source]: formatSource({ ...source, digest: unknownDigest }) }
  return { ...body, resmeta: { items: { ...items, ...marker } } }
}

const unknownDigest = '0'.repeat(64)

/** Returns the hint for a load that would lose data. */
export function lossHint(key: string): string {
  return `Check the source. If the loss is intended, use --allow-loss ${key}, or set data: { allow_loss: true }.`
}

function decideUnmarked(question: SourceQuestion): SourceDecision {
  const { wanted, actual, count } = question
  if (actual?.resmeta !== undefined && count === undefined) return { issues: [], uncounted: true }
  if (actual?.resmeta !== undefined && count === 0) return loadNew(question)
  const kept = keepData(question)
  if (wanted.data?.mode === 'seed') return kept
  if (actual !== undefined && actual.resmeta === undefined)
    return { ...kept, issues: [reportUnreadable(wanted), ...kept.issues] }
  const what = typeof count === 'number' ? `has ${countOf(count, 'feature')}` : 'has data'
  const message = `"${wanted.key}" ${what} of unknown origin on the server, which the plan keeps`
  const issue = {
    ...issueAt(wanted, 'plan/data-unknown', message, '/data'),
    severity: 'warning',
    hint: `To replace them, use --overwrite-data ${wanted.key}.`,
  } as const
  return { ...kept, issues: [issue, ...kept.issues] }
}

/** The metadata record the source of the data. */
function reportUnreadable(wanted: WantedResource): Issue {
  const { key } = wanted
  const message = `this account cannot read the metadata of "${key}", so the origin of its data is unknown, and the plan keeps them`
  const hint = `Use an account that has metadata.read on "${key}".`
  return { ...issueAt(wanted, 'plan/data-unknown', message, '/data'), severity: 'warning', hint }
}

function loadOf({ wanted, actual, file, options }: SourceQuestion, reason: DataLoad['reason']): DataLoad {
  const mayLose = wanted.data?.allowLoss === true || options.allowLoss.has(wanted.key)
  return {
    path: wanted.data?.path ?? '',
    source: wanted.data?.source ?? '',
    options: loadOptionsOf(wanted),
    sizeBytes: file.sizeBytes,
    version: actual === undefined ? 1 : (actual.dataVersion ?? 0) + 1,
    reason,
    ...(mayLose ? {} : { lossFuse: options.fuse }),
  }
}
