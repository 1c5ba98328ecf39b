import PQueue from 'p-queue'
import { dataOf } from '../../contract/registry.ts'
import { compareIssues, type Issue } from '../../core/issue.ts'
import { isProblem } from '../../core/problem.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import type { LoadReading } from '../model/plan_input.ts'
import { checkNewSource } from '../plan/data/decide_load.ts'
import { checkDeclaredFields } from '../plan/data/declared_fields.ts'
import { checkFeatureKeys } from '../plan/data/feature_keys.ts'
import { checkStyleFields, type FinalFields } from '../plan/data/final_fields.ts'
import { checkKeyField } from '../plan/data/plan_extensions.ts'
import { readLoadChange } from '../plan/data/read_load_change.ts'

/** Maximum number of source readers; each of them uses a core. */
const maxReaders = 2

/**
 * Reads the data sources of a manifest, and reports all that can be known without a server: sources that cannot be loaded, values that
 * do not fit declared datatypes, and keys and styles with fields that the source does not have. Skips what cannot be read on this
 * machine.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function checkSources(
  { resources }: Pick<Manifest, 'resources'>,
  signal: AbortSignal | undefined,
): Promise<Issue[]> {
  const layers = [...resources.values()].filter(
    ({ cls, data }) => data !== undefined && dataOf(cls) !== undefined,
  )
  const queue = new PQueue({ concurrency: maxReaders })
  const read = layers.map((wanted) => async () => ({ wanted, reading: await readNew(wanted, signal) }))
  const checked = await queue.addAll<{ wanted: WantedResource; reading: LoadReading }>(read)
  const fields: FinalFields = new Map()
  for (const { wanted, reading } of checked) noteSourceFields(fields, wanted, reading)
  const issues = checked.flatMap(({ wanted, reading }) => checkOne(wanted, reading))
  const styles = [...resources.values()].flatMap((wanted) => checkStyleFields(fields, wanted))
  return [...issues, ...styles].sort(compareIssues)
}

const noServer = { countValues: async () => undefined }

const readNew = (wanted: WantedResource, signal: AbortSignal | undefined) =>
  readLoadChange(noServer, { wanted, actual: undefined, before: 0, converts: true }, signal)

/** Keynames of the fields of a source; undefined if it was not read. */
const namesIn = (reading: LoadReading) =>
  !reading || isProblem(reading) ? undefined : reading.sourceFields?.map(({ keyname }) => keyname)

function noteSourceFields(fields: FinalFields, { key, members }: WantedResource, reading: LoadReading): void {
  const names = members.feature_layer?.fields === undefined ? namesIn(reading) : undefined
  if (names !== undefined) fields.set(key, names)
}

function checkOne(wanted: WantedResource, reading: LoadReading): Issue[] {
  const issues = [
    ...checkNewSource(wanted, reading),
    ...checkDeclaredFields(wanted, reading),
    ...checkKeyField(wanted, namesIn(reading)),
    ...checkFeatureKeys(wanted, reading),
  ]
  // The source of an existing layer is not loaded again.
  return wanted.data?.mode === 'seed' ? issues.map((issue) => ({ ...issue, severity: 'warning' })) : issues
}
