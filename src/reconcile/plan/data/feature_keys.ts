import type { ReadExtensions } from '../../../api/read_extensions.ts'
import { showNumber } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import { joinPointer } from '../../../core/pointer.ts'
import { isProblem } from '../../../core/problem.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { WantedKeys } from '../../../transfer/count_keys.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { LoadReading } from '../../model/plan_input.ts'
import { issueAt } from '../issue_at.ts'
import { isEdited, loadOptionsOf, type SourceFile, sourceDigest } from './decide_load.ts'
import { featureParts } from './feature_parts.ts'

/** Lists the keys of the features to which a block gives a description or attachments; undefined if it has none. */
export function listWantedKeys({ features }: Pick<WantedResource, 'features'>): WantedKeys | undefined {
  if (features === undefined) return undefined
  const { key: field, descriptions = [], attachments = [] } = features
  const attached = [...attachments].flatMap(([key, list]) => (list.length === 0 ? [] : [key]))
  const values = new Set([...[...descriptions].map(([key]) => key), ...attached])
  return values.size === 0 ? undefined : { field, values }
}

/** Tells whether the features of a layer are those of the source: they were loaded from it, and not edited since. */
export function holdsSource(
  wanted: WantedResource,
  actual: ActualResource | undefined,
  file: SourceFile | undefined,
): boolean {
  if (actual?.source === undefined || file === undefined || isEdited(actual)) return false
  return actual.source.digest === sourceDigest(file.sha256, loadOptionsOf(wanted))
}

/** Tells whether a block names features that have no description or attachments yet, so that it is not known whether they exist. */
export function namesOthers(wanted: WantedResource, there: readonly ReadExtensions[]): boolean {
  const known = new Set(there.flatMap(({ key, same }) => (key === null || same > 1 ? [] : [key])))
  return [...(listWantedKeys(wanted)?.values ?? [])].some((key) => !known.has(key))
}

/** Maximum number of keys that are reported one by one. */
const maxKeys = 10

/** Reports keys of descriptions and attachments that no feature of the source has, or several; finds nothing if it was not read. */
export function checkFeatureKeys(wanted: WantedResource, reading: LoadReading | undefined): Issue[] {
  const { key, features } = wanted
  if (!reading || isProblem(reading) || reading.keyFaults === undefined || features === undefined) return []
  const { missing, repeated, written } = reading.keyFaults
  const source = `the source of "${key}"`
  const faults = [
    ...missing.map(
      (one) => [one, `no feature of ${source} has ${features.key} ${JSON.stringify(one)}`] as const,
    ),
    ...repeated.map(
      ([one, count]) =>
        [
          one,
          `${showNumber(count)} features of ${source} have ${features.key} ${JSON.stringify(one)}`,
        ] as const,
    ),
  ]
  const issues = faults.slice(0, maxKeys).map(([one, message]): Issue => {
    const part = featureParts.find((name) => features[name]?.has(one)) ?? 'descriptions'
    const issue = issueAt(wanted, 'data/key', message, joinPointer('/features', part, one))
    const form = written.get(one)
    return form === undefined
      ? issue
      : { ...issue, hint: `Write the value as the field prints it: "${form}".` }
  })
  const others = faults.length - issues.length
  if (others <= 0) return issues
  const message = `${showNumber(others)} more keys in features of "${key}" do not identify one feature of its source`
  return [...issues, issueAt(wanted, 'data/key', message, '/features')]
}
