import type { KeyRecord } from '../../../contract/markers.ts'
import type { Issue } from '../../../core/issue.ts'
import type { Manifest, WantedResource } from '../../../manifest/manifest.ts'
import { type ActualResource, type ActualTree, labelOf } from '../../model/actual_tree.ts'
import { issueAt } from '../issue_at.ts'
import { findRenames, type Renames } from './renamed_keys.ts'

/** Resources of the manifest matched with resources on the server. */
export interface Match<A = ActualResource> {
  /** What exists by key; new objects are absent. */
  readonly pairs: ReadonlyMap<string, A>
  /** Key by id of what is matched. */
  readonly keyOf: ReadonlyMap<number, string>
  /** What is probably the same object under an old key, by key. The plan changes neither. */
  readonly suspects: ReadonlyMap<string, A>
  readonly issues: readonly Issue[]
}

/** Resources of the manifest with their matches, and the keys that are recorded on them. */
export interface ResourceMatch extends Match {
  readonly keyRecords: ReadonlyMap<string, KeyRecord>
}

interface Matching {
  readonly renames: Renames
  readonly manifest: Manifest
  readonly actual: ActualTree
  readonly pairs: Map<string, ActualResource>
  readonly keyOf: Map<number, string>
  readonly suspects: Map<string, ActualResource>
  readonly issues: Issue[]
}

/**
 * Matches each resource of the manifest: by a rename that is due or recorded, then by key, then by `was` or `id`, then by parent,
 * class and display name among resources without a match. Ambiguity is an issue.
 */
export function matchResources(manifest: Manifest, actual: ActualTree): ResourceMatch {
  const renames = findRenames(manifest, actual)
  const matching: Matching = {
    renames,
    manifest,
    actual,
    pairs: new Map(),
    keyOf: new Map(),
    suspects: new Map(),
    issues: [...renames.issues],
  }
  for (const wanted of manifest.resources.values()) matchByName(matching, wanted)
  // By place only after all keys and ids, so that it takes no resource that a key names. Parents come first.
  for (const wanted of manifest.resources.values())
    if (!matching.pairs.has(wanted.key)) matchByPlace(matching, wanted)
  const { pairs, keyOf, suspects, issues } = matching
  return { pairs, keyOf, suspects, issues, keyRecords: renames.records }
}

function matchByName(matching: Matching, wanted: WantedResource): void {
  const found = wanted.existing ? findExisting(matching, wanted) : findOwned(matching, wanted)
  if (found !== undefined) claim(matching, wanted, found)
}

function findExisting({ actual, issues }: Matching, wanted: WantedResource): ActualResource | undefined {
  const found = wanted.id === undefined ? actual.byKeyname.get(wanted.key) : actual.byId.get(wanted.id)
  if (found !== undefined) return found
  const what = wanted.id === undefined ? `keyname "${wanted.key}"` : `id ${wanted.id}`
  const blind = actual.complete ? '' : ' that this account can read'
  issues.push(issueAt(wanted, 'plan/missing', `the server has no resource with ${what}${blind}`))
  return undefined
}

function findOwned(matching: Matching, wanted: WantedResource): ActualResource | undefined {
  const { actual, renames, issues } = matching
  const { key, was, id } = wanted
  const numbered = id === undefined ? undefined : actual.byId.get(id)
  // An undo names resources by id: keys may be those of others now.
  if (wanted.formerKeyname !== undefined && numbered !== undefined) return numbered
  const renamed = renames.due.get(key)
  if (renamed !== undefined) {
    if (numbered !== undefined && numbered !== renamed) issues.push(twoNames(wanted, renamed))
    return renamed
  }
  const old = was === undefined ? undefined : actual.byKeyname.get(was)
  const named = renames.settled.get(key) ?? unclaimed(renames, actual.byKeyname.get(key))
  if (named !== undefined) {
    if (was !== undefined) issues.push(spent(matching, wanted, old))
    if (id !== undefined && id !== named.id) issues.push(twoTargets(wanted, named))
    return named
  }
  if (old !== undefined && renames.claimed.has(old.id)) issues.push(takenKey(matching, wanted, old))
  if (numbered === undefined && id !== undefined)
    issues.push(issueAt(wanted, 'plan/missing', `the server has no resource with id ${id}`, '/id'))
  return numbered
}

/** The keyname of a resource that is renamed names no block. */
function unclaimed({ claimed }: Renames, found: ActualResource | undefined): ActualResource | undefined {
  return found === undefined || claimed.has(found.id) ? undefined : found
}

function spent({ manifest }: Matching, wanted: WantedResource, old: ActualResource | undefined): Issue {
  const { key, was = '' } = wanted
  const isPassedOn = manifest.resources.has(was)
  const message =
    old === undefined || isPassedOn
      ? `"${key}" already has its new key; was: "${was}" has no effect`
      : `"${key}" and its old key "${was}" (resource ${old.id}) both exist; the plan does not change resource ${old.id}`
  const issue = { ...issueAt(wanted, 'plan/spent', message, '/was'), severity: 'warning' as const }
  return isPassedOn ? { ...issue, hint: passedOnHint } : issue
}

/** Keys that were edited back look like a rename that is complete. */
const passedOnHint =
  'Remove was: because the rename is complete. To give the keys back, apply once without was:, and then add it again.'

/** Either the resource with the new key was deleted, or the rename is a new one: a former one is recorded on the other resource. */
function takenKey({ manifest }: Matching, wanted: WantedResource, { id }: ActualResource): Issue {
  const { key, was = '' } = wanted
  const message = `no resource has the key "${key}", and resource ${id}, whose key is "${was}", is recorded as that of "${was}"`
  const isRenamed = manifest.resources.get(was)?.was !== undefined
  const other = isRenamed ? ` If resource ${id} becomes "${key}", remove was: of "${was}" instead.` : ''
  return {
    ...issueAt(wanted, 'plan/ambiguous', message, '/was'),
    hint: `To create "${key}", remove its was:.${other}`,
  }
}

function twoNames(wanted: WantedResource, renamed: ActualResource): Issue {
  const message = `"${wanted.key}" is ambiguous: was: refers to resource ${renamed.id}, id: to resource ${wanted.id}`
  return issueAt(wanted, 'plan/ambiguous', message, '/was')
}

function twoTargets(wanted: WantedResource, named: ActualResource): Issue {
  const message = `"${wanted.key}" is ambiguous: its keyname belongs to resource ${named.id}, but id: is ${wanted.id}`
  return issueAt(wanted, 'plan/ambiguous', message, '/id')
}

function claim({ pairs, keyOf, issues }: Matching, wanted: WantedResource, found: ActualResource): void {
  const other = keyOf.get(found.id)
  if (other !== undefined) {
    const message = `"${wanted.key}" and "${other}" both match resource ${found.id}`
    issues.push(issueAt(wanted, 'plan/ambiguous', message))
    return
  }
  pairs.set(wanted.key, found)
  keyOf.set(found.id, wanted.key)
}

function matchByPlace(matching: Matching, wanted: WantedResource): void {
  const parent = wanted.parent === undefined ? undefined : matching.pairs.get(wanted.parent)
  if (wanted.existing || parent === undefined) return
  const there = matching.actual.findNamed(parent.id, wanted.displayName ?? wanted.key)
  const alike = there.filter((one) => one.cls === wanted.cls && !matching.keyOf.has(one.id))
  const [found, second] = alike.filter((one) => one.keyname === null)
  if (second !== undefined) {
    const message = `"${wanted.key}" matches both resource ${found?.id} and resource ${second.id}`
    matching.issues.push(issueAt(wanted, 'plan/ambiguous', message))
  } else if (found !== undefined) claim(matching, wanted, found)
  else reportRenamed(matching, wanted, alike)
}

// Same parent, class and name, managed by this manifest under a key that it no longer has: probably renamed.
function reportRenamed(
  { manifest, suspects, issues }: Matching,
  wanted: WantedResource,
  alike: readonly ActualResource[],
): void {
  const old = alike.find(
    (one) => one.manager === manifest.id && one.keyname !== null && !manifest.resources.has(one.keyname),
  )
  if (old === undefined) return
  suspects.set(wanted.key, old)
  const message = `"${wanted.key}" is probably resource ${old.id}, which this manifest manages as "${labelOf(old)}"`
  issues.push({
    ...issueAt(wanted, 'plan/renamed', message),
    hint: `If it was renamed, add was: ${labelOf(old)}.`,
  })
}
