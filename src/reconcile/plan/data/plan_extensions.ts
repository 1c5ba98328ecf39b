import {
  countExtensions,
  type ExtensionsQuery,
  type ReadExtensions,
  statesOf,
} from '../../../api/read_extensions.ts'
import { problems } from '../../../contract/problems.ts'
import { dataOf, isCls } from '../../../contract/registry.ts'
import type { ExtensionCounts } from '../../../core/extension_counts.ts'
import type { Issue } from '../../../core/issue.ts'
import { findHint } from '../../../core/suggest.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { DataChange } from '../../../transfer/data_loss.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Change, DataLoad, ExtensionsBase } from '../../model/change.ts'
import type { PlanInput } from '../../model/plan_input.ts'
import { keynameThere } from '../fields/renamed_fields.ts'
import { issueAt } from '../issue_at.ts'
import { notCaptured } from '../plan_reader.ts'
import {
  checkExtensionLoss,
  compareExtensions,
  type ExtensionsDiff,
  hasKeyField,
} from './compare_extensions.ts'
import { checkFeatureKeys, holdsSource, namesOthers } from './feature_keys.ts'
import { listFinalFields, type PlannedLayer } from './final_fields.ts'

/** The planned descriptions and attachments of the features of a layer. */
export interface ExtensionsPlan extends ExtensionsDiff {
  readonly issues: readonly Issue[]
  /** What must be read before the plan is final. */
  readonly unread: readonly ExtensionsQuery[]
  /** Whether the source must be read before the plan is final: features that it does not have are named. */
  readonly unreadSource?: true
  /** Whether they are not compared because the capture that the plan is made against does not have them. */
  readonly isUncaptured?: true
}

const nothing = { edits: [], change: undefined, unknown: [], there: {}, issues: [], unread: [] }

/** Plans the descriptions and attachments of the features of a layer. Pure. */
export function planExtensions(
  { actual: tree, digests = new Map(), extensions, files, loads, options }: PlanInput,
  wanted: WantedResource,
  { actual, data }: PlannedLayer,
): ExtensionsPlan {
  const { features } = wanted
  if (features === undefined || (actual !== undefined && actual.cls !== wanted.cls)) return nothing
  if (tree.landform === undefined) return { ...nothing, issues: [unsupported(wanted)] }
  const isReloaded = data !== undefined && data.sync === undefined
  const there = actual === undefined ? [] : extensions?.get(actual.id)
  if (there === undefined)
    return { ...nothing, unread: actual === undefined ? [] : [queryOf(wanted, actual)] }
  if (there === notCaptured)
    return { ...nothing, isUncaptured: true, issues: [reportUncaptured(wanted, '/features')] }
  const state = { there, digests, isReloaded: actual !== undefined && isReloaded }
  const compared = compareExtensions(wanted, state)
  const issues = [...(options.allowLoss.has(wanted.key) ? [] : checkExtensionLoss(wanted, compared))]
  issues.push(...checkKeyField(wanted, listFinalFields(wanted, { actual, data })))
  const reading = loads?.get(wanted.key)
  const isSource = data !== undefined || holdsSource(wanted, actual, files.get(wanted.key))
  if (isSource) issues.push(...checkFeatureKeys(wanted, reading))
  const isUnread = isSource && reading === undefined && namesOthers(wanted, there ?? [])
  return { ...compared, issues, unread: [], ...(isUnread ? { unreadSource: true as const } : {}) }
}

/** Returns the query for the descriptions and attachments of a layer, with the key of the block as the server has it. */
export function queryOf({ features }: WantedResource, actual: ActualResource): ExtensionsQuery {
  const { id } = actual
  // Without the field, the features have no keys yet, and what they have is removed.
  if (features === undefined || !hasKeyField(actual, features)) return { id }
  return { id, key: keynameThere(actual, features.key) }
}

/** Warns that a capture does not have the descriptions and attachments of features that a block, or a load, may change. */
export function reportUncaptured(wanted: WantedResource, pointer: '/features' | '/data'): Issue {
  const effect =
    pointer === '/data' ? 'does not tell which of them the load deletes' : 'does not compare them'
  const message = `the capture has no descriptions and attachments of the features of "${wanted.key}", so the plan ${effect}`
  const hint = 'Capture them by naming the manifest: landform capture MANIFEST.'
  return { ...issueAt(wanted, 'plan/capture', message, pointer), severity: 'warning', hint }
}

/** A planned change of a layer. */
export interface ChangedLayer {
  readonly actual: ActualResource
  readonly data: DataLoad | undefined
  readonly features: ExtensionsDiff['change']
  /** Whether the data that the server kept are restored. */
  readonly restores: boolean
}

/** Tells whether a change replaces all features. */
const isReloaded = ({ data, restores }: ChangedLayer) =>
  restores || (data !== undefined && data.sync === undefined)

/** Returns the versions that a change is based on: of the data that it replaces, and of what it takes from features. */
export function basesOf(
  layer: ChangedLayer,
  extensions: PlanInput['extensions'],
): Pick<Change, 'dataVersion' | 'extensions'> {
  const base = baseOf(layer, extensions)
  const { cls, dataVersion } = layer.actual
  // The data of rasters change with the version of the resource.
  const isVersioned = isCls(cls) && dataOf(cls)?.content === 'features' && dataVersion !== undefined
  return {
    ...(base === undefined ? {} : { extensions: base }),
    ...(isVersioned && isReloaded(layer) ? { dataVersion } : {}),
  }
}

/** Returns the descriptions and attachments that a change writes or deletes; undefined if it does neither. */
function baseOf(layer: ChangedLayer, extensions: PlanInput['extensions']): ExtensionsBase | undefined {
  const { actual, data, features } = layer
  const { extensionsVersion: version } = actual
  const { difference } = data?.change ?? {}
  const takes = isReloaded(layer) || features !== undefined || (difference?.removed ?? 0) > 0
  if (version === undefined || !takes) return undefined
  const there = extensions?.get(actual.id)
  const states = there == null || there === notCaptured ? difference?.states : statesOf(there)
  return { version, ...(states === undefined ? {} : { states }) }
}

/**
 * Reports a key that is not a field of the layer after the change. Lists of fields in the block are checked with the manifest.
 *
 * @param names keynames of the fields after the change; undefined if they are not known
 */
export function checkKeyField(wanted: WantedResource, names: readonly string[] | undefined): Issue[] {
  const { features, members } = wanted
  if (features === undefined || members.feature_layer?.fields !== undefined) return []
  if (names === undefined || names.includes(features.key)) return []
  const message = `"${wanted.key}" has no field "${features.key}", whose values would identify its features`
  const hint = findHint(features.key, names) ?? 'Name a field of the layer.'
  return [{ ...issueAt(wanted, 'data/key', message, '/features/key'), hint }]
}

/** Descriptions and attachments that a load deletes of all features, because the block does not list them. */
export function countUnlisted(wanted: Pick<WantedResource, 'features'>, there: readonly ReadExtensions[]) {
  return withoutListed(wanted, countExtensions(there))
}

/** Of the descriptions and attachments that a load deletes, counts those that the block does not manage. */
export function withoutListed(
  { features }: Pick<WantedResource, 'features'>,
  { descriptions, attachments }: ExtensionCounts,
): Pick<DataChange, 'lostAttachments' | 'lostDescriptions'> {
  return {
    lostAttachments: features?.attachments === undefined ? attachments : 0,
    lostDescriptions: features?.descriptions === undefined ? descriptions : 0,
  }
}

function unsupported(wanted: WantedResource): Issue {
  const message = `"${wanted.key}": this server does not take descriptions and attachments by the key of the feature`
  return {
    ...issueAt(wanted, 'plan/unsupported', message, '/features'),
    hint: problems['plan/unsupported'].advice,
  }
}
