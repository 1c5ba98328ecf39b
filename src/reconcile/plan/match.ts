import type { ProblemCode } from '../../contract/problems.ts'
import { problems } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import { type ActualResource, type ActualTree, labelOf } from '../model/actual_tree.ts'

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

interface Matching {
  readonly manifest: Manifest
  readonly actual: ActualTree
  readonly pairs: Map<string, ActualResource>
  readonly keyOf: Map<number, string>
  readonly suspects: Map<string, ActualResource>
  readonly issues: Issue[]
}

/**
 * Matches each resource of the manifest: by key, then by `was` or `id`, then by parent, class and display name among
 * resources without a match. Ambiguity is an issue.
 */
export function matchResources(manifest: Manifest, actual: ActualTree): Match {
  const matching: Matching = {
    manifest,
    actual,
    pairs: new Map(),
    keyOf: new Map(),
    suspects: new Map(),
    issues: [],
  }
  for (const wanted of manifest.resources.values()) matchByName(matching, wanted)
  // By place only after all keys and ids, so that it takes no resource that a key names. Parents come first.
  const nameless = indexNameless(matching)
  for (const wanted of manifest.resources.values())
    if (!matching.pairs.has(wanted.key)) matchByPlace(matching, wanted, nameless)
  return matching
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

function findOwned({ actual, issues }: Matching, wanted: WantedResource): ActualResource | undefined {
  const named = actual.byKeyname.get(wanted.key)
  const old = wanted.was === undefined ? undefined : actual.byKeyname.get(wanted.was)
  const numbered = wanted.id === undefined ? undefined : actual.byId.get(wanted.id)
  if (named !== undefined) {
    if (wanted.was !== undefined) issues.push(spent(wanted, old))
    if (wanted.id !== undefined && wanted.id !== named.id) issues.push(twoTargets(wanted, named))
    return named
  }
  if (old !== undefined && numbered !== undefined && old !== numbered) {
    const message = `"${wanted.key}" is ambiguous: was: refers to resource ${old.id}, id: to resource ${numbered.id}`
    issues.push(issueAt(wanted, 'plan/ambiguous', message, '/was'))
  }
  if (numbered === undefined && wanted.id !== undefined) {
    issues.push(issueAt(wanted, 'plan/missing', `the server has no resource with id ${wanted.id}`, '/id'))
  }
  return old ?? numbered
}

function spent(wanted: WantedResource, old: ActualResource | undefined): Issue {
  const message =
    old === undefined
      ? `"${wanted.key}" already has its new key; was: "${wanted.was}" has no effect`
      : `"${wanted.key}" and its old key "${wanted.was}" (resource ${old.id}) both exist; the plan does not change resource ${old.id}`
  return { ...issueAt(wanted, 'plan/spent', message, '/was'), severity: 'warning' }
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

type Nameless = ReadonlyMap<string, readonly ActualResource[]>

function indexNameless({ actual, keyOf }: Matching): Nameless {
  const index = new Map<string, ActualResource[]>()
  for (const resource of actual.byId.values()) {
    if (resource.parentId === null || keyOf.has(resource.id)) continue
    const place = placeOf(resource.parentId, resource.displayName)
    const there = index.get(place)
    if (there === undefined) index.set(place, [resource])
    else there.push(resource)
  }
  return index
}

const placeOf = (parentId: number, displayName: string) => `${parentId}/${displayName}`

function matchByPlace(matching: Matching, wanted: WantedResource, index: Nameless): void {
  const parent = wanted.parent === undefined ? undefined : matching.pairs.get(wanted.parent)
  if (wanted.existing || parent === undefined) return
  const there = index.get(placeOf(parent.id, wanted.displayName ?? wanted.key)) ?? []
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

/** Creates an error at the block of a resource or record, with the advice of its code. */
export function issueAt(
  wanted: Pick<WantedResource, 'spanOf'>,
  code: ProblemCode,
  ...[message, pointer = '']: [message: string, pointer?: Pointer]
): Issue {
  const span = wanted.spanOf(pointer)
  return { code, message, severity: 'error', span, pointer, hint: problems[code].advice }
}
