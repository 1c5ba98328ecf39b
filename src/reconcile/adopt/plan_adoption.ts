import { createHash } from 'node:crypto'
import { formatSource, markerKeys } from '../../contract/markers.ts'
import type { Issue } from '../../core/issue.ts'
import { splitPointer } from '../../core/pointer.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import { type ActualResource, type ActualTree, pathOf, readsAll } from '../model/actual_tree.ts'
import type { Change, Edit, Plan, UnknownResource, WantedBody } from '../model/change.ts'
import { safeOptions } from '../model/plan_input.ts'
import { diffResource } from '../plan/diff.ts'
import { contextOf } from '../plan/diff_context.ts'
import { issueAt } from '../plan/issue_at.ts'
import { type Match, matchResources } from '../plan/match/match.ts'
import { planKeyRecord, withKeyRecord } from '../plan/match/renamed_keys.ts'
import { orderChanges } from '../plan/steps/order_steps.ts'

/** What an adoption plans. */
export interface AdoptionInput {
  readonly manifest: Manifest
  readonly actual: ActualTree
  /** URL of the server. */
  readonly server: string
  /** Manifests whose resources are taken over. */
  readonly from: ReadonlySet<string>
  /** Digests of sources by key whose features are those of the layer. */
  readonly sources: ReadonlyMap<string, string>
}

/**
 * Plans the marks and keynames that make a manifest the manager of existing resources, and nothing else: differences,
 * creations and deletions are left to the plan of the manifest. Pure.
 */
export function planAdoption(input: AdoptionInput): Plan {
  const { manifest, actual, server } = input
  const match = matchResources(manifest, actual)
  const draft: Draft = { changes: [], unknown: [], issues: [...match.issues], unchanged: 0 }
  const context = contextOf(
    { ...emptyInput, manifest, actual, server, options: safeOptions },
    match,
    new Set<string>(),
  )
  for (const [key, resource] of match.pairs) {
    const wanted = manifest.resources.get(key)
    if (wanted !== undefined && !wanted.existing) adoptOne(draft, { input, wanted, resource, context })
  }
  draft.issues.push(...suggestKeys(input, match))
  const order = orderChanges({
    manifest,
    actual,
    changes: draft.changes,
    pairs: match.pairs,
    recreated: new Set(),
  })
  return {
    version: 1,
    manifest: manifest.id,
    server,
    account: { name: actual.caller, readsAll: readsAll(actual) },
    landform: actual.landform,
    changes: order.changes,
    steps: order.steps,
    unchanged: draft.unchanged,
    unknown: draft.unknown,
    issues: [...draft.issues, ...order.issues],
    before: actual.byId,
    ids: new Map([...match.pairs].map(([key, { id }]) => [key, id] as const)),
    icons: new Map(),
    principals: actual.principals.ids,
    fingerprint: fingerprintOf(draft.changes),
  }
}

const emptyInput = { files: new Map(), counts: new Map() }

interface Draft {
  readonly changes: Change[]
  readonly unknown: UnknownResource[]
  readonly issues: Issue[]
  unchanged: number
}

interface Adoption {
  readonly input: AdoptionInput
  readonly wanted: WantedResource
  readonly resource: ActualResource
  readonly context: ReturnType<typeof contextOf>
}

function adoptOne(draft: Draft, adoption: Adoption): void {
  const { input, wanted, resource } = adoption
  const { key } = wanted
  const path = pathOf(input.actual, resource.id)
  const fault = findFault(adoption)
  if (fault !== undefined) draft.issues.push(fault)
  else if (resource.resmeta === undefined) {
    const reason = 'this account cannot read its metadata, which names the manager'
    draft.unknown.push({ key, cls: resource.cls, path, reason })
  } else {
    const change = changeOf(adoption, path)
    if (change === undefined) draft.unchanged += 1
    else draft.changes.push(change)
  }
}

function findFault({ input: { manifest, from }, wanted, resource }: Adoption): Issue | undefined {
  const { key } = wanted
  const { manager, cls } = resource
  if (wanted.cls !== undefined && wanted.cls !== cls) {
    const message = `"${key}" is a ${wanted.cls} in the manifest, but a ${cls} on the server`
    return issueAt(wanted, 'plan/wrong-class', message, '/cls')
  }
  if (manager === undefined || manager === manifest.id || from.has(manager)) return undefined
  const message = `"${key}" is managed by the manifest "${manager}"`
  const hint = `Take its resources over with --from ${manager}, or set the manifest id to "${manager}" if both are the same manifest.`
  return { ...issueAt(wanted, 'plan/foreign', message), hint }
}

function changeOf(adoption: Adoption, path: readonly string[]): Change | undefined {
  const { input, wanted, resource, context } = adoption
  const isOurs = resource.manager === input.manifest.id
  const { edits, body, adopts } = isOurs
    ? { edits: keynameEdit(wanted, resource), body: {}, adopts: false }
    : diffResource(withoutDifferences(adoption), resource, context)
  const source = sourceMark(input, wanted, resource)
  const items = {
    ...(isOurs ? planKeyRecord(wanted, resource, context.keyRecords) : {}),
    ...(source === undefined ? {} : { [markerKeys.source]: source }),
  }
  const isMarked = Object.keys(items).length > 0
  if (edits.length === 0 && !adopts && !isMarked) return undefined
  const marked = isMarked ? withItems(adoption, body, items) : body
  const records = edits.length === 0 ? withKeyRecord(undefined, items) : undefined
  const renamed = isOurs && edits.length > 0 ? { ...marked, resource: { keyname: wanted.key } } : marked
  return {
    action: edits.length === 0 ? 'adopt' : 'update',
    key: wanted.key,
    cls: resource.cls,
    displayName: resource.displayName,
    path,
    id: resource.id,
    ...(resource.version === undefined ? {} : { version: resource.version }),
    ...(adopts ? { adopts: true } : {}),
    ...(source === undefined ? {} : { marksSource: wanted.data?.source ?? '' }),
    ...(records === undefined ? {} : { records }),
    edits,
    body: renamed,
  }
}

function keynameEdit({ key }: WantedResource, { keyname }: ActualResource): Edit[] {
  return keyname === key ? [] : [{ pointer: '/keyname', from: keyname, to: key }]
}

/** The block with only what is the same on the server; the marker of the resource records these parts as set by the manifest. */
function withoutDifferences({ wanted, resource, context }: Adoption): WantedResource {
  const { edits, unknown } = diffResource(wanted, resource, context)
  const parts = new Set(
    [...edits.map(({ pointer }) => pointer), ...unknown].map((one) => splitPointer(one)[0]),
  )
  const members = Object.entries(wanted.members).filter(([member]) => !parts.has(member))
  const { displayName, parent, description, owner, permissions, resmeta, ...rest } = wanted
  return {
    ...rest,
    protect: resource.protect,
    members: Object.fromEntries(members),
    ...(displayName === undefined || parts.has('display_name') ? {} : { displayName }),
    ...(parent === undefined || parts.has('parent') ? {} : { parent }),
    ...(description === undefined || parts.has('description') ? {} : { description }),
    ...(owner === undefined || parts.has('owner') ? {} : { owner }),
    ...(permissions === undefined || parts.has('permissions') ? {} : { permissions }),
    ...(resmeta === undefined || parts.has('resmeta') ? {} : { resmeta }),
  }
}

/** Marker of the source of a layer whose features are those of the file. */
function sourceMark({ sources }: AdoptionInput, { key }: WantedResource, resource: ActualResource) {
  const digest = sources.get(key)
  const { dataVersion: version, source } = resource
  if (digest === undefined || version === undefined) return undefined
  if (source?.digest === digest && source.version === version) return undefined
  return formatSource({ digest, version })
}

function withItems({ resource, context }: Adoption, body: WantedBody, items: object): WantedBody {
  const { resmeta, marks } = resource
  const others = (body.resmeta?.items ?? (context.mergesMetadata ? {} : { ...resmeta, ...marks })) as object
  return { ...body, resmeta: { items: { ...others, ...items } } }
}

/** Names resources at the place of blocks that have no match: another keyname is never a match. */
function suggestKeys({ manifest, actual }: AdoptionInput, match: Match): Issue[] {
  const missing = [...manifest.resources.values()].filter(
    ({ key, existing }) => !existing && !match.pairs.has(key) && !match.suspects.has(key),
  )
  return missing.flatMap((wanted): Issue[] => {
    const parent = wanted.parent === undefined ? undefined : match.pairs.get(wanted.parent)
    const children = parent === undefined ? [] : actual.childrenOf(parent.id)
    const alike = children
      .flatMap((id) => actual.byId.get(id) ?? [])
      .find(
        (one) => one.cls === wanted.cls && one.displayName === wanted.displayName && !match.keyOf.has(one.id),
      )
    if (alike?.keyname == null) return []
    const message = `"${wanted.key}" has no match, but its place has a ${alike.cls} with the keyname "${alike.keyname}"`
    const hint = `If it is the same resource, add was: ${alike.keyname}.`
    return [{ ...issueAt(wanted, 'plan/renamed', message), severity: 'warning', hint }]
  })
}

function fingerprintOf(changes: readonly Change[]): string {
  const hash = createHash('sha256')
  for (const { key, id, version, edits, body } of changes)
    hash.update(JSON.stringify([key, id, version, edits, body]))
  return hash.digest('hex')
}
