import type { GeometryFamily } from '../contract/geometry.ts'
import { type FitRules, fitShape, isMisfit, type Misfit } from './fit.ts'
import { type FlatFeature, type FlatHeader, readFlatFeatures } from './flatgeobuf.ts'
import { type BadFeature, toldBadFeatures } from './job.ts'
import { type ColumnPlan, eachProperty, findBadValue, notText } from './row.ts'
import { findShape, hasHeight, type Shape } from './shape.ts'
import type { MissingFeature } from './translate.ts'

/** What one look at all features found. */
export interface Survey {
  /** How many good features there are of each family. */
  readonly families: ReadonlyMap<GeometryFamily, number>
  readonly hasMulti: boolean
  /** Whether any position has a z other than 0. */
  readonly hasHeights: boolean
  readonly otherCount: number
  readonly badCount: number
  /** The first of them, in order. */
  readonly bad: readonly BadFeature[]
}

/** Features of an intermediate file, and how they are looked at. */
export interface Features {
  readonly path: string
  readonly header: FlatHeader
  readonly columns: readonly ColumnPlan[]
  /** Names of the columns. */
  readonly names: readonly string[]
  readonly rules: FitRules
  /** Features that the file has no geometry for, or lacks, in order. */
  readonly missing: readonly MissingFeature[]
  /** Called now and then. */
  readonly onProgress: () => void
}

/** A feature that can be loaded. */
export interface GoodFeature {
  readonly feature: FlatFeature
  readonly shape: Shape
}

/** Gives the features that can be loaded, and reports the others; `onBad` in order, `onOther` too. */
export function* eachGoodFeature(
  features: Features,
  { onBad, onOther }: { onBad: (bad: BadFeature) => void; onOther: () => void },
): Generator<GoodFeature> {
  const { header, rules } = features
  const missing = [...features.missing].reverse()
  let number = 0
  for (const feature of readFlatFeatures(features.path, header)) {
    while (missing.at(-1)?.isAbsent && missing.at(-1)?.number === number + 1) {
      number += 1
      onBad(missing.pop() as BadFeature)
    }
    number += 1
    if (number % 10_000 === 0) features.onProgress()
    if (missing.at(-1)?.number === number) {
      onBad(missing.pop() as BadFeature)
      continue
    }
    const shape = fitShape(findShape(feature, header), rules)
    if (shape === undefined) {
      onOther()
      continue
    }
    const misfit = isMisfit(shape) ? shape : findBadField(feature, features)
    if (misfit !== undefined) onBad({ number, ...misfit })
    else if (!isMisfit(shape)) yield { feature, shape }
  }
  for (const feature of missing.reverse()) onBad(feature)
}

function findBadField(feature: FlatFeature, { columns, names }: Features): Misfit | undefined {
  let misfit: Misfit | undefined
  let hasId = false
  eachProperty(feature, columns, (value) => {
    const use = columns[value.column]?.use ?? 'STRING'
    if (use === 'ID') hasId = true
    const fault = findBadValue(value, use)
    if (fault === undefined) return
    misfit ??= { reason: `the value of its field ${names[value.column]} ${fault}`, isText: fault === notText }
  })
  const idColumn = columns.findIndex(({ use }) => use === 'ID')
  return misfit ?? (hasId || idColumn < 0 ? undefined : { reason: `its field ${names[idColumn]} is empty` })
}

/** Looks at all features once. */
export function surveyFeatures(features: Features): Survey {
  const families = new Map<GeometryFamily, number>()
  const bad: BadFeature[] = []
  const found = { hasMulti: false, hasHeights: false, otherCount: 0, badCount: 0 }
  const onBad = (feature: BadFeature) => {
    found.badCount += 1
    if (bad.length < toldBadFeatures) bad.push(feature)
  }
  const onOther = () => {
    found.otherCount += 1
  }
  for (const { shape } of eachGoodFeature(features, { onBad, onOther })) {
    const family = shape.family as GeometryFamily
    families.set(family, (families.get(family) ?? 0) + 1)
    found.hasMulti ||= isMultiShape(shape)
    found.hasHeights ||= hasHeight(shape)
  }
  return { families, bad, ...found }
}

/** A multi-geometry stays one, even of one part; a collection becomes one where it has to. */
function isMultiShape({ isMulti, parts }: Shape): boolean {
  return isMulti || parts.length > 1
}
