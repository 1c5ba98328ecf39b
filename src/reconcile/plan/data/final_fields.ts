import { dataOf } from '../../../contract/registry.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { DataLoad } from '../../model/change.ts'

/** The layer on the server, undefined if it is created, and the planned load. */
export interface PlannedLayer {
  readonly actual: ActualResource | undefined
  readonly data: DataLoad | undefined
}

/** Lists the keynames of the fields after the change of a layer whose block lists none; undefined if they are not known. */
export function listFinalFields(
  { data }: WantedResource,
  layer: PlannedLayer,
): readonly string[] | undefined {
  const { actual, data: load } = layer
  const there = actual === undefined ? [] : (actual.members.feature_layer?.fields as NamedFields | undefined)
  const names = there?.map(({ keyname }) => keyname)
  if (load === undefined || (data?.options.keep_fields === true && actual !== undefined)) return names
  const { sourceFields, difference } = load.change ?? {}
  if (difference === undefined) return sourceFields?.map(({ keyname }) => keyname)
  const kept = names?.filter((name) => !difference.missingFields.includes(name))
  return kept && [...kept, ...difference.newFields.map(({ name }) => name)]
}

type NamedFields = readonly { readonly keyname: string }[]

/** Keynames of the fields after the plan, by key of layers whose blocks do not list them. */
export type FinalFields = Map<string, readonly string[]>

/** Notes the fields of a layer after the plan, if they are known. */
export function noteFinalFields(fields: FinalFields, wanted: WantedResource, layer: PlannedLayer): void {
  if (wanted.members.feature_layer?.fields !== undefined) return
  const isFromSource = layer.actual === undefined && dataOf(wanted.cls)?.content === 'features'
  const isOnServer = layer.actual?.members.feature_layer?.fields !== undefined
  const names = isFromSource || isOnServer ? listFinalFields(wanted, layer) : undefined
  if (names !== undefined) fields.set(wanted.key, names)
}

/** Reports fields that a style reads and that its layer does not have after the plan. */
export function checkStyleFields(
  fields: FinalFields,
  { parent = '', checkFields }: WantedResource,
): readonly Issue[] {
  const names = checkFields === undefined ? undefined : fields.get(parent)
  return names === undefined ? [] : (checkFields?.(names) ?? [])
}
