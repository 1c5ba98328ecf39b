import type { GeometryFamily } from '../../contract/geometry.ts'
import { maxValuesBytes } from '../../contract/limits.ts'
import type { ByteGeometry } from '../../geo/byte_geometry.ts'
import { hasHeight } from '../../geo/byte_geometry.ts'
import type { FlatFeature } from '../flatgeobuf/flat_reader.ts'
import type { Value } from '../flatgeobuf/value.ts'
import {
  type BadFeature,
  type BadKeys,
  maxListedFeatures,
  maxNamedValues,
  type UnconvertibleValue,
} from '../runner/vector_job.ts'
import type { Missing } from '../sources/missing.ts'
import { type KeyReading, readKey, startKeyList } from './bad_keys.ts'
import { type BitSet, createBitSet } from './bit_set.ts'
import type { ColumnPlan } from './copy_row.ts'
import type { FeatureReader, ReadFeature } from './feature_reader.ts'
import { type FeatureFault, type FitRules, fitGeometry, isFault } from './fit_geometry.ts'
import { refineGuess } from './guess_datatype.ts'
import { findBadValue, isUnconvertible, type ValueFault } from './value_check.ts'
import { describeValue } from './value_convert.ts'

/** Features of an intermediate file, and how they are scanned. */
export interface Features {
  readonly reader: FeatureReader
  readonly columns: readonly ColumnPlan[]
  /** Names of the columns. */
  readonly names: readonly string[]
  readonly rules: FitRules
  /** Key whose values are collected for bad features. */
  readonly key?: KeyReading | undefined
  /** Numbers of features to skip, if the others are valid without repairs. */
  readonly skipped?: BitSet
  /** Receives the values that cannot be converted, by column. */
  readonly onUnconvertible?: (value: Value) => void
}

/** A feature that can be loaded. */
export interface GoodFeature {
  readonly feature: FlatFeature
  readonly geometry: ByteGeometry
}

/** Yields the features that can be loaded. */
export function* eachGoodFeature(features: Features): Generator<GoodFeature> {
  const { skipped } = features
  let number = 0
  for (const feature of features.reader.all()) {
    number += 1
    if (skipped?.has(number)) continue
    const geometry = skipped ? readValidGeometry(feature, features) : checkFeature(feature, features)
    if (geometry !== undefined && !isFault(geometry)) yield { feature, geometry }
  }
}

/** Returns the geometry of a feature that was valid without repairs. */
function readValidGeometry(feature: FlatFeature, { reader }: Features): ByteGeometry | undefined {
  const geometry = reader.readGeometry(feature)
  return geometry !== undefined && 'parts' in geometry ? geometry : undefined
}

/** Returns the geometry to load, the fault of the feature, or undefined if it is skipped on request. */
function checkFeature(feature: ReadFeature, features: Features): ByteGeometry | FeatureFault | undefined {
  const { fault } = feature
  // Only lossy jobs may drop parts of features.
  if (fault !== undefined && (fault.isMisplaced || features.rules.fix !== 'LOSSY')) return fault
  const geometry = features.reader.readGeometry(feature)
  if (geometry !== undefined && isFault(geometry)) return geometry
  const fitted = (geometry === undefined ? fault : undefined) ?? fitGeometry(geometry, features.rules)
  return fitted === undefined || isFault(fitted) ? fitted : (findBadField(feature, features) ?? fitted)
}

function findBadField(feature: FlatFeature, features: Features): FeatureFault | undefined {
  const { columns, names, reader, onUnconvertible } = features
  let found: FeatureFault | undefined
  let required = 0
  let sizeBytes = 0
  reader.eachProperty(feature, (value) => {
    const column = columns[value.column]
    if (column === undefined) return
    sizeBytes += value.size
    if (isRequired(column)) required += 1
    if (column.guess !== undefined) refineGuess(column.guess, value)
    const fault = findBadValue(value, column)
    if (fault === undefined) return
    if (onUnconvertible !== undefined && isUnconvertible(value, column)) onUnconvertible(value)
    found ??= describeFault(fault, names[value.column] ?? '')
  })
  if (found === undefined && sizeBytes > maxValuesBytes)
    return { reason: `its values have ${sizeBytes} bytes together, more than ${maxValuesBytes}` }
  if (found !== undefined || required === columns.filter(isRequired).length) return found
  return findEmpty(feature, { columns, names, reader })
}

/** Without a coordinate, GDAL would use 0. */
function isRequired({ use }: ColumnPlan): boolean {
  return use === 'ID' || use === 'COORDINATE'
}

function findEmpty(
  feature: FlatFeature,
  { columns, names, reader }: Pick<Features, 'columns' | 'names' | 'reader'>,
): FeatureFault {
  const found = new Set<number>()
  reader.eachProperty(feature, ({ column }) => found.add(column))
  const empty = columns.findIndex((column, index) => isRequired(column) && !found.has(index))
  return { reason: `field ${names[empty]} is empty` }
}

function describeFault(
  { message, isMisencoded = false, isRow = false }: ValueFault,
  name: string,
): FeatureFault {
  if (isRow) return { reason: message }
  const reason = message.startsWith(':') ? `${name}${message}` : `the value of field ${name}${message}`
  return { reason, isMisencoded }
}

/** Values of a column that cannot be converted to the wanted datatype. */
export interface UnconvertibleValues {
  readonly count: number
  /** The first of them. */
  readonly first: readonly UnconvertibleValue[]
}

/** Result of scanning all features. */
export interface FeatureScan {
  /** Number of valid features of each family. */
  readonly families: ReadonlyMap<GeometryFamily, number>
  readonly hasMulti: boolean
  /** Whether any position has a Z other than 0. */
  readonly hasHeights: boolean
  readonly otherCount: number
  readonly badCount: number
  /** The first bad features, in order. */
  readonly bad: readonly BadFeature[]
  readonly badKeys: BadKeys
  /** Values that cannot be converted, by column. */
  readonly unconvertible: ReadonlyMap<number, UnconvertibleValues>
  /** Number of bad features that have such values. */
  readonly unconvertibleCount: number
  /** Number of features in the file, and of those with null geometries. */
  readonly count: number
  readonly nullCount: number
}

/** Scans features in order. */
export interface FeatureScanner {
  /** Returns the geometry to load; undefined if the feature is bad or skipped. */
  check(feature: ReadFeature): ByteGeometry | undefined
  /** Result so far. Features are numbered by their position in the file. */
  readonly scan: FeatureScan
  /** Numbers of the features that are not loaded. */
  readonly skipped: BitSet
}

/** Result for a source without features. */
export const emptyScan: FeatureScan = {
  families: new Map(),
  bad: [],
  badKeys: { values: [], texts: [] },
  unconvertible: new Map(),
  unconvertibleCount: 0,
  hasMulti: false,
  hasHeights: false,
  otherCount: 0,
  badCount: 0,
  count: 0,
  nullCount: 0,
}

/** Starts a scan. Features must be scanned in file order. */
export function startScan(features: Features): FeatureScanner {
  const families = new Map<GeometryFamily, number>()
  const bad: BadFeature[] = []
  const unconvertible = new Map<number, UnconvertibleValues>()
  const keys = startKeyList()
  const scan = {
    ...emptyScan,
    families,
    bad,
    badKeys: { values: keys.list, texts: [] },
    unconvertible,
  }
  const skipped = createBitSet()
  let last = 0
  const onUnconvertible = (value: Value) => {
    if (last < scan.count) scan.unconvertibleCount += 1
    last = scan.count
    const { count, first } = unconvertible.get(value.column) ?? { count: 0, first: [] }
    const isNamed = first.length < maxNamedValues
    const next = isNamed ? [...first, { number: scan.count, value: describeValue(value) }] : first
    unconvertible.set(value.column, { count: count + 1, first: next })
  }
  const watched = { ...features, onUnconvertible }
  const reject = (feature: ReadFeature, fault: FeatureFault) => {
    scan.badCount += 1
    if (features.key !== undefined) keys.add(readKey(feature, features.key, features.reader))
    if (bad.length < maxListedFeatures) bad.push({ number: scan.count, ...fault })
  }
  const accept = (geometry: ByteGeometry) => {
    const { family, isMulti, parts } = geometry
    families.set(family, (families.get(family) ?? 0) + 1)
    // A multi-geometry stays one even with a single part; a collection becomes one only if it has several parts.
    scan.hasMulti ||= isMulti || parts.length > 1
    scan.hasHeights ||= hasHeight(geometry)
  }
  const check = (feature: ReadFeature) => {
    scan.count += 1
    if (feature.geometry === 0) scan.nullCount += 1
    const checked = checkFeature(feature, watched)
    if (checked !== undefined && !isFault(checked)) {
      accept(checked)
      return checked
    }
    skipped.add(scan.count)
    if (checked === undefined) scan.otherCount += 1
    else reject(feature, checked)
    return undefined
  }
  return { check, scan, skipped }
}

/**
 * Adds the features that are missing in the file. Numbers features by their position in the source, and prefers the
 * reasons of missing features.
 */
export function addMissing(scan: FeatureScan, { absentCount, first, keys }: Missing): FeatureScan {
  const absent = first.filter(({ isAbsent }) => isAbsent)
  const positionOf = (position: number) => {
    let number = position
    for (const feature of absent) if (feature.number <= number) number += 1
    return number
  }
  const found = new Map<number, BadFeature>()
  for (const feature of scan.bad) {
    const number = positionOf(feature.number)
    found.set(number, { ...feature, number })
  }
  const unconvertible = new Map(
    [...scan.unconvertible].map(([column, values]) => [
      column,
      { ...values, first: values.first.map((one) => ({ ...one, number: positionOf(one.number) })) },
    ]),
  )
  for (const { isAbsent: _, ...feature } of first) found.set(feature.number, feature)
  const bad = [...found.values()].sort((a, b) => a.number - b.number).slice(0, maxListedFeatures)
  const badKeys = { values: scan.badKeys.values, texts: keys }
  return { ...scan, bad, badKeys, badCount: scan.badCount + absentCount, unconvertible }
}
