import type { ExtensionsQuery } from '../../../api/read_extensions.ts'
import { problems } from '../../../contract/problems.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { DataLoad } from '../../model/change.ts'
import type { PlanInput } from '../../model/plan_input.ts'
import { issueAt } from '../match.ts'
import { keynameThere } from '../renamed_fields.ts'
import {
  checkExtensionLoss,
  compareExtensions,
  type ExtensionsDiff,
  hasKeyField,
} from './compare_extensions.ts'

/** The planned descriptions and attachments of the features of a layer. */
export interface ExtensionsPlan extends ExtensionsDiff {
  readonly issues: readonly Issue[]
  /** What must be read before the plan is final. */
  readonly unread: readonly ExtensionsQuery[]
}

/** The layer on the server, undefined if it is created, and the planned load. */
export interface ExtendedLayer {
  readonly actual: ActualResource | undefined
  readonly data: DataLoad | undefined
}

const nothing = { edits: [], change: undefined, unknown: [], there: 0, issues: [], unread: [] }

/** Plans the descriptions and attachments of the features of a layer. Pure. */
export function planExtensions(
  { actual: tree, digests = new Map(), extensions, options }: PlanInput,
  wanted: WantedResource,
  { actual, data }: ExtendedLayer,
): ExtensionsPlan {
  const { features } = wanted
  if (features === undefined || (actual !== undefined && actual.cls !== wanted.cls)) return nothing
  if (tree.landform === undefined) return { ...nothing, issues: [unsupported(wanted)] }
  const isReloaded = data !== undefined && data.sync === undefined
  const there = actual === undefined ? [] : extensions?.get(actual.id)
  // Without the field, the features have no keys yet, and what they have is removed.
  const key =
    actual !== undefined && hasKeyField(actual, features) ? keynameThere(actual, features.key) : undefined
  if (there === undefined) return { ...nothing, unread: actual === undefined ? [] : [{ id: actual.id, key }] }
  const state = { there, digests, isReloaded: actual !== undefined && isReloaded }
  const compared = compareExtensions(wanted, state)
  const issues = options.allowLoss.has(wanted.key) ? [] : checkExtensionLoss(wanted, compared)
  return { ...compared, issues, unread: [] }
}

function unsupported(wanted: WantedResource): Issue {
  const message = `"${wanted.key}": this server does not take descriptions and attachments by the key of the feature`
  return {
    ...issueAt(wanted, 'plan/unsupported', message, '/features'),
    hint: problems['plan/unsupported'].advice,
  }
}
