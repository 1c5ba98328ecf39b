import type { GeometryFamily } from '../../contract/geometry.ts'
import type { ByteGeometry } from '../../geo/byte_geometry.ts'
import { hasHeight } from '../../geo/byte_geometry.ts'
import type { FlatFeature } from '../flatgeobuf/flat_reader.ts'
import { type BadFeature, toldBadFeatures } from '../runner/vector_job.ts'
import type { Missing } from '../sources/missing.ts'
import { type Marks, openMarks } from './bit_set.ts'
import type { ColumnPlan } from './copy_row.ts'
import type { FeatureReader, ReadFeature } from './feature_reader.ts'
import { type FitRules, fitGeometry, isMisfit, type Misfit } from './fit_geometry.ts'
import { guessOn } from './guess_datatype.ts'
import { findBadValue, type ValueFault } from './value_check.ts'

/** Features of an intermediate file, and how they are scanned. */
export interface Features {
  readonly reader: FeatureReader
  readonly columns: readonly ColumnPlan[]
  /** Names of the columns. */
  readonly names: readonly string[]
  readonly rules: FitRules
  /** Numbers of features to skip, if the others are valid without repairs. */
  readonly passedOver?: Marks
}

/** A feature that can be loaded. */
export interface GoodFeature {
  readonly feature: FlatFeature
  readonly geometry: ByteGeometry
}

/** Yields the features that can be loaded. */
export function* eachGoodFeature(features: Features): Generator<GoodFeature> {
  const { passedOver } = features
  let place = 0
  for (const feature of features.reader.all()) {
    place += 1
    if (passedOver?.has(place)) continue
    const geometry = passedOver ? knownGeometry(feature, features) : judge(feature, features)
    if (geometry !== undefined && !isMisfit(geometry)) yield { feature, geometry }
  }
}

/** Returns the geometry of a feature that was valid without repairs. */
function knownGeometry(feature: FlatFeature, { reader }: Features): ByteGeometry | undefined {
  const geometry = reader.readGeometry(feature)
  return geometry !== undefined && 'parts' in geometry ? geometry : undefined
}

/** Returns the geometry to load, the fault of the feature, or undefined if it is skipped on request. */
function judge(feature: ReadFeature, features: Features): ByteGeometry | Misfit | undefined {
  const { fault } = feature
  // Only lossy jobs may drop parts of features.
  if (fault !== undefined && (fault.isMisplaced || features.rules.fix !== 'LOSSY')) return fault
  const geometry = features.reader.readGeometry(feature)
  const fitted = (geometry === undefined ? fault : undefined) ?? fitGeometry(geometry, features.rules)
  return fitted === undefined || isMisfit(fitted) ? fitted : (findBadField(feature, features) ?? fitted)
}

function findBadField(feature: FlatFeature, { columns, names, reader }: Features): Misfit | undefined {
  let misfit: Misfit | undefined
  let required = 0
  reader.eachProperty(feature, (value) => {
    const column = columns[value.column]
    if (column === undefined) return
    if (isRequired(column)) required += 1
    if (column.guess !== undefined) guessOn(column.guess, value)
    const fault = findBadValue(value, column)
    if (fault !== undefined) misfit ??= misfitOf(fault, names[value.column] ?? '')
  })
  if (misfit !== undefined || required === columns.filter(isRequired).length) return misfit
  return findEmpty(feature, { columns, names, reader })
}

/** Without a coordinate, GDAL would use 0. */
function isRequired({ use }: ColumnPlan): boolean {
  return use === 'ID' || use === 'COORDINATE'
}

function findEmpty(
  feature: FlatFeature,
  { columns, names, reader }: Pick<Features, 'columns' | 'names' | 'reader'>,
): Misfit {
  const found = new Set<number>()
  reader.eachProperty(feature, ({ column }) => found.add(column))
  const empty = columns.findIndex((column, index) => isRequired(column) && !found.has(index))
  return { reason: `its field ${names[empty]} is empty` }
}

function misfitOf({ text, isText = false, isRow = false }: ValueFault, name: string): Misfit {
  if (isRow) return { reason: text }
  return { reason: text.startsWith(':') ? `${name}${text}` : `the value of its field ${name}${text}`, isText }
}

/** Result of scanning all features. */
export interface Survey {
  /** Number of valid features of each family. */
  readonly families: ReadonlyMap<GeometryFamily, number>
  readonly hasMulti: boolean
  /** Whether any position has a Z other than 0. */
  readonly hasHeights: boolean
  readonly otherCount: number
  readonly badCount: number
  /** The first bad features, in order. */
  readonly bad: readonly BadFeature[]
  /** Number of features in the file, and of those with null geometries. */
  readonly count: number
  readonly bareCount: number
}

/** Scans features in order. */
export interface Surveyor {
  /** Returns the geometry to load; undefined if the feature is bad or skipped. */
  look(feature: ReadFeature): ByteGeometry | undefined
  /** Result so far. Features are numbered by their position in the file. */
  readonly survey: Survey
  /** Numbers of the features that are not loaded. */
  readonly passedOver: Marks
}

/** Result for a source without features. */
export const emptySurvey: Survey = {
  families: new Map(),
  bad: [],
  hasMulti: false,
  hasHeights: false,
  otherCount: 0,
  badCount: 0,
  count: 0,
  bareCount: 0,
}

/** Starts a scan. Features must be scanned in file order. */
export function startSurvey(features: Features): Surveyor {
  const families = new Map<GeometryFamily, number>()
  const bad: BadFeature[] = []
  const survey = { ...emptySurvey, families, bad }
  const passedOver = openMarks()
  const refuse = (misfit: Misfit) => {
    survey.badCount += 1
    if (bad.length < toldBadFeatures) bad.push({ number: survey.count, ...misfit })
  }
  const take = (geometry: ByteGeometry) => {
    const { family, isMulti, parts } = geometry
    families.set(family, (families.get(family) ?? 0) + 1)
    // A multi-geometry stays one even with a single part; a collection becomes one only if it has several parts.
    survey.hasMulti ||= isMulti || parts.length > 1
    survey.hasHeights ||= hasHeight(geometry)
  }
  const look = (feature: ReadFeature) => {
    survey.count += 1
    if (feature.geometry === 0) survey.bareCount += 1
    const judged = judge(feature, features)
    if (judged !== undefined && !isMisfit(judged)) {
      take(judged)
      return judged
    }
    passedOver.add(survey.count)
    if (judged === undefined) survey.otherCount += 1
    else refuse(judged)
    return undefined
  }
  return { look, survey, passedOver }
}

/**
 * Adds the features that are missing in the file. Numbers features by their position in the source, and prefers the
 * reasons of missing features.
 */
export function addMissing(survey: Survey, { absentCount, first }: Missing): Survey {
  const absent = first.filter(({ isAbsent }) => isAbsent)
  const found = new Map<number, BadFeature>()
  for (const { number: place, ...misfit } of survey.bad) {
    let number = place
    for (const feature of absent) if (feature.number <= number) number += 1
    found.set(number, { number, ...misfit })
  }
  for (const { isAbsent: _, ...feature } of first) found.set(feature.number, feature)
  const bad = [...found.values()].sort((a, b) => a.number - b.number).slice(0, toldBadFeatures)
  return { ...survey, bad, badCount: survey.badCount + absentCount }
}
