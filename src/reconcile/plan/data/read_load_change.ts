import type { Field } from '../../../contract/classes/feature_layer.ts'
import { type GeometryType, loadedSrs } from '../../../contract/geometry.ts'
import { problem } from '../../../contract/problems.ts'
import { dataOf } from '../../../contract/registry.ts'
import { isProblem } from '../../../core/problem.ts'
import type { WantedFields } from '../../../gdal/runner/vector_job.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import { checkRasterSource } from '../../../transfer/check_raster.ts'
import { type FilledSource, findLostFields } from '../../../transfer/count_values.ts'
import type { DataChange } from '../../../transfer/data_loss.ts'
import { readSource, skippedOf } from '../../../transfer/read_source.ts'
import { compareFeatures, type SyncTarget } from '../../../transfer/sync/compare_features.ts'
import type { FeatureReader } from '../../../transfer/sync/feature_reader.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { LoadReading } from '../../model/plan_input.ts'
import { keynameThere } from '../fields/renamed_fields.ts'
import type { PlanReader } from '../plan_reader.ts'
import { loadOptionsOf } from './decide_load.ts'
import { listWantedKeys } from './feature_keys.ts'
import { withoutListed } from './plan_extensions.ts'

/** A layer whose data a plan would load. */
export interface LoadQuestion {
  readonly wanted: WantedResource
  /** Undefined for a new layer. */
  readonly actual: ActualResource | undefined
  /** Number of features on the server; unused with `key`. */
  readonly before: number
  /** Keynames of the fields that identify a feature, to compare the features by key, or their number without the server. */
  readonly key?: readonly string[] | undefined
  /** Whether the server converts values to the fields of the block while it reads the source, else after the load. */
  readonly converts: boolean
}

type Reader = Pick<PlanReader, 'countValues' | 'features'> & Partial<Pick<PlanReader, 'countFeatures'>>

/**
 * Reads the source of a layer on this machine and computes the changes that a load would make, except attachments.
 * Null if the source cannot be read on this machine, a Problem if no load can succeed.
 *
 * @throws {Problem} http/*, pipeline/interrupted
 */
export async function readLoadChange(
  reader: Reader,
  question: LoadQuestion,
  signal: AbortSignal | undefined,
): Promise<LoadReading> {
  const { wanted, actual, key } = question
  if (dataOf(wanted.cls)?.content === 'raster')
    return (await checkRasterSource(wanted.data?.path ?? '', signal)) ?? null
  if (actual === undefined || key === undefined) return readCounts(reader, question, signal)
  const { features } = reader
  if (features !== undefined) return readDifference(reader, { wanted, actual, key, features }, signal)
  const before = await reader.countFeatures?.(actual.id)
  if (before == null) return null
  const change = await readCounts(reader, { ...question, before }, signal)
  if (change === null || isProblem(change)) return change
  // The features of rows that are skipped stay, if there are any.
  return { ...change, after: change.after + (change.skipped?.bad_count ?? 0) }
}

/** Counts the features and values of the source, and compares the numbers with those of the layer. */
async function readCounts(
  reader: Reader,
  question: LoadQuestion,
  signal: AbortSignal | undefined,
): Promise<LoadReading> {
  const { wanted, actual, before } = question
  const geometryType = actual?.members.vector_layer?.geometry_type as GeometryType | undefined
  const path = wanted.data?.path ?? ''
  const options = loadOptionsOf(wanted)
  const contents = await readSource({
    ...{ path, options, geometryType, signal, keys: listWantedKeys(wanted) },
    ...(question.converts ? { wanted: wantedFields(question) } : { declared: declaredFields(question) }),
  })
  if (contents === undefined || isProblem(contents)) return contents ?? null
  const { featureCount: after, filledFields, unconvertible, keyFaults, otherFields, skipped } = contents
  const { fields: sourceFields, geometryType: sourceGeometry } = contents
  const read = {
    ...uncounted,
    after,
    filledFields,
    sourceFields,
    sourceGeometry,
    unconvertible,
    ...(skipped.bad_count === 0 ? {} : { skipped }),
    ...listedOf(wanted, [...sourceFields, ...otherFields.map((keyname) => ({ keyname }))]),
    ...(keyFaults && { keyFaults }),
  }
  if (actual === undefined) return { ...read, before: 0, lostFields: [] }
  const lostFields = await findLost(reader, actual, { after, filledFields })
  return { ...read, before, lostFields }
}

/** Compares the fields that a block lists with those of the source; empty if it lists none. */
function listedOf(
  { members }: WantedResource,
  source: readonly { readonly keyname: string }[],
): Pick<DataChange, 'listedFields'> {
  const listed = members.feature_layer?.fields as readonly NamedField[] | undefined
  if (listed === undefined) return {}
  const without = (fields: typeof source, others: typeof source) => {
    const names = new Set(others.map(({ keyname }) => keyname))
    return fields.flatMap(({ keyname }) => (names.has(keyname) ? [] : [keyname]))
  }
  return { listedFields: { leftOut: without(source, listed), lacking: without(listed, source) } }
}

/** The fields to which a load converts values while it reads them, as the server does. */
function wantedFields(question: LoadQuestion): WantedFields | undefined {
  const { wanted, actual } = question
  if (actual === undefined || wanted.data?.options.keep_fields !== true) {
    const fields = declaredFields(question)
    return fields && { fields, keepsOthers: true }
  }
  const declared = new Map(declaredFields(question)?.map(({ keyname, datatype }) => [keyname, datatype]))
  const fields = fieldsOf(actual).map(({ keyname, datatype }) => ({
    keyname,
    datatype: declared.get(keyname) ?? datatype,
  }))
  return { fields, keepsOthers: false }
}

const declaredFields = ({ wanted }: LoadQuestion) =>
  wanted.members.feature_layer?.fields as readonly NamedField[] | undefined

/** A load of all features deletes what they all have, which is read with the plan of `features:`. */
const uncounted = { lostAttachments: 0, lostDescriptions: 0 }

const findLost = (
  reader: Reader,
  actual: ActualResource,
  source: Pick<FilledSource, 'after' | 'filledFields'>,
) => {
  const { id } = actual
  const fields = fieldsOf(actual).map(({ keyname, datatype }) => ({
    keyname: keynameThere(actual, keyname),
    datatype,
  }))
  const filledFields = source.filledFields.map((name) => keynameThere(actual, name))
  return findLostFields({ ...source, id, fields, filledFields }, reader.countValues)
}

interface ComparedLayer {
  readonly wanted: WantedResource
  readonly actual: ActualResource
  readonly key: readonly string[]
  readonly features: FeatureReader
}

/** Compares the source with the features of the layer by key. */
async function readDifference(
  reader: Reader,
  { features, wanted, actual, key }: ComparedLayer,
  signal: AbortSignal | undefined,
): Promise<LoadReading> {
  try {
    const result = await compareFeatures(features, {
      source: {
        ...{ path: wanted.data?.path ?? '', options: loadOptionsOf(wanted), signal },
        keys: listWantedKeys(wanted),
      },
      target: targetOf(actual),
      key,
      finalFields: wanted.members.feature_layer?.fields as readonly NamedField[] | undefined,
    })
    if (result === undefined) return notComparable(wanted.key)
    const { before, difference, summary, keyFaults, lackingFields: lacking } = result
    const after = result.after + (difference.kept?.count ?? 0)
    const isListed = wanted.members.feature_layer?.fields !== undefined
    const listed = isListed ? { listedFields: { leftOut: summary.otherFields, lacking } } : {}
    const lostFields = await findLost(reader, actual, { after, filledFields: summary.filledFields })
    const { filledFields } = summary
    const faults = keyFaults === undefined ? {} : { keyFaults }
    const skipped = summary.badCount === 0 ? {} : { skipped: skippedOf(summary) }
    return {
      ...{ before, after, lostFields, filledFields, difference },
      ...withoutListed(wanted, difference.removedExtensions),
      ...{ ...faults, ...listed, ...skipped },
    } satisfies DataChange
  } catch (error) {
    if (isProblem(error) && isSourceFault(error.code)) return error
    throw error
  }
}

/** Tells whether a fault concerns the source, and not the server or the run. */
const isSourceFault = (code: string) => /^(source|gdal|data|file|request)\//.test(code)

function notComparable(key: string) {
  return problem('data/not-comparable', `the server cannot compare the features of "${key}"`, {
    hint: 'Replace the data: mode: replace.',
  })
}

/** Describes a layer of the server for a comparison with a source. */
export function targetOf(actual: ActualResource): SyncTarget {
  const layer = actual.members.vector_layer
  return {
    id: actual.id,
    srs: (layer?.srs as { readonly id: number } | undefined)?.id ?? loadedSrs,
    geometryType: layer?.geometry_type as GeometryType,
    fields: fieldsOf(actual),
  }
}

type NamedField = Pick<Field, 'keyname' | 'datatype'> & { readonly was?: string }

function fieldsOf({ members }: ActualResource): readonly NamedField[] {
  return (members.feature_layer?.fields as readonly NamedField[] | undefined) ?? []
}
