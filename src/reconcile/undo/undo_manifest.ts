import type { Representation } from '../../contract/bodies/bodies.ts'
import { type JournalChange, type JournalEntry, successWords } from '../../contract/bodies/journal.ts'
import type { MetadataValue } from '../../contract/bodies/resource.ts'
import type { Field } from '../../contract/classes/feature_layer.ts'
import type { SetFields } from '../../contract/field_marks.ts'
import { formatSource, markerKeys } from '../../contract/markers.ts'
import { isCls } from '../../contract/registry.ts'
import { splitPointer } from '../../core/pointer.ts'
import { wholeSpan } from '../../core/span.ts'
import type { FormerManager, Manifest, WantedResource } from '../../manifest/manifest.ts'
import { nameRule, sortedRules } from '../model/access_rules.ts'
import { readFiles } from '../model/actual_files.ts'
import { type ActualResource, type ActualTree, labelOf, readActual } from '../model/actual_tree.ts'
import { type Digests, digestOrNull } from '../model/edit_digest.ts'
import { findRecorded, listOwners } from '../model/owned_fields.ts'
import { writeMembers } from '../pull/write_block.ts'
import { assignKeys } from './assign_keys.ts'
import type { KeptLayer } from './find_kept.ts'
import { findFormerOwner } from './former_owner.ts'
import { readAppliedTree } from './layer_tree_values.ts'
import { mergeBefore } from './merge_before.ts'
import { restoreReferences } from './restore_references.ts'

/** The state before an apply, as far as the apply changed it. */
export interface UndoManifest {
  /** The changed and deleted resources as they were. */
  readonly manifest: Manifest
  /** The changed and deleted resources before the apply, by key. */
  readonly former: ReadonlyMap<string, ActualResource>
  /** Resources that the apply created and that still exist. */
  readonly created: ReadonlySet<number>
  /** Items of merged layer trees that were changed since the apply, by web map. */
  readonly conflicts: ReadonlyMap<number, readonly string[]>
  /** Items and fields that lost references to deleted resources, and were changed since, by key. */
  readonly lateReferences: ReadonlyMap<string, readonly string[]>
  /** Owners that the account cannot give resources back to, by key. */
  readonly lostOwners: ReadonlyMap<string, string>
}

/** Lists the changes of an entry that were applied. */
export function listApplied({ changes = [] }: JournalEntry): readonly JournalChange[] {
  return changes.filter(isApplied).map(asApplied)
}

// A replacement that was interrupted after the deletion.
function asApplied(change: JournalChange): JournalChange {
  return change.action === 'replace' && change.outcome === 'deleted'
    ? { ...change, action: 'delete' }
    : change
}

/** Tells whether a change was applied. */
export function isApplied({ outcome }: JournalChange): boolean {
  return successWords.some((word) => word === outcome)
}

/**
 * Describes the resources that an apply changed or deleted as they were before, as a manifest. References to resources
 * that the apply deleted are keys, so that they lead to those that are created again; the others are ids.
 */
export function writeUndoManifest(
  entry: JournalEntry,
  actual: ActualTree,
  kept: ReadonlyMap<number, KeptLayer>,
): UndoManifest {
  const applied = listApplied(entry)
  const before = readBefore(applied, { actual, kept })
  const keyOf = assignKeys(before, actual, applied)
  const keys = new Set(keyOf.values())
  const restoring: Restoring = { entry, actual, kept, before, keyOf, keys, resources: new Map() }
  for (const one of before.values()) restore(restoring, one)
  return {
    manifest: { id: entry.manifest, resources: restoring.resources },
    former: new Map([...before].map(([id, one]) => [keyOf.get(id) ?? '', one.before])),
    created: listCreated(entry, actual),
    conflicts: new Map(
      [...before].flatMap(([id, { conflicts }]) => (conflicts === undefined ? [] : [[id, conflicts]])),
    ),
    lostOwners: new Map(
      [...before].flatMap(([id, { resource }]) => {
        const owner = findFormerOwner(resource, actual.byId.get(id), actual)
        return owner === undefined || owner.isAllowed ? [] : [[keyOf.get(id) ?? '', owner.name]]
      }),
    ),
    lateReferences: new Map(
      [...before].flatMap(([id, { lateReferences = [] }]) =>
        lateReferences.length === 0 ? [] : [[keyOf.get(id) ?? '', lateReferences]],
      ),
    ),
  }
}

/** Lists what the apply created and that still has the manager that it got: the manifest, or that of an undone deletion. */
function listCreated(entry: JournalEntry, actual: ActualTree): Set<number> {
  const made = listApplied(entry).flatMap(({ action, id, digests = {} }) => {
    const there = action === 'create' && id != null ? actual.byId.get(id) : undefined
    if (there === undefined) return []
    const given = digests['/managed_by']
    const manager = digestOrNull(there.manager)
    return manager === (given === undefined ? digestOrNull(entry.manifest) : given) ? [there.id] : []
  })
  return new Set(made)
}

/** A resource as an undo leaves it, with its state before the apply. */
interface BeforeApply {
  readonly resource: ActualResource
  readonly before: ActualResource
  /** Whether the apply was an undo that gave the resource back. */
  readonly isReleased: boolean
  /** Names of files that the apply added, with those that it renamed them from. */
  readonly addedFiles: WantedResource['addedFiles'] & {}
  /** Data that the apply deleted, in words. */
  readonly lost: readonly string[]
  /** Items of the layer tree that were changed since; undefined if it is not merged. */
  readonly conflicts: readonly string[] | undefined
  /** Items and fields that lost references, and were changed since. */
  readonly lateReferences?: readonly string[]
}

/**
 * Returns the resources as they would be without the changes, by id. A resource's own change has its state, above that of a
 * deletion.
 */
function readBefore(
  applied: readonly JournalChange[],
  { actual, kept }: Pick<Restoring, 'actual' | 'kept'>,
): Map<number, BeforeApply> {
  const found = new Map<number, BeforeApply>()
  for (const change of applied)
    for (const wire of change.before ?? []) {
      const before = readActual(wire as unknown as Representation)
      if (!found.has(before.id))
        found.set(before.id, { before, ...readOne(change, before, { actual, kept }) })
    }
  addReferrers(found, applied, actual)
  return found
}

/** Gives resources that still exist the references back that deletions took from them. */
function addReferrers(
  found: Map<number, BeforeApply>,
  applied: readonly JournalChange[],
  actual: ActualTree,
): void {
  const gone = new Set([...found.keys()].filter((id) => !actual.byId.has(id)))
  const referrers = applied.flatMap((change) => change.referrers ?? [])
  for (const wire of referrers) {
    const before = readActual(wire as unknown as Representation)
    const there = actual.byId.get(before.id)
    if (there === undefined) continue
    const own = found.get(before.id)
    const resource = own?.resource ?? there
    const { members, conflicts } = restoreReferences({ before, there: resource, gone })
    const whole = {
      isReleased: false,
      addedFiles: new Map<string, undefined>(),
      lost: [],
      conflicts: undefined,
    }
    found.set(before.id, {
      ...(own ?? { ...whole, before: there }),
      resource: { ...resource, members },
      lateReferences: [...(own?.lateReferences ?? []), ...conflicts],
    })
  }
}

function readOne(
  { id, action, version, digests = {}, loses = [], after }: JournalChange,
  before: ActualResource,
  { actual, kept }: Pick<Restoring, 'actual' | 'kept'>,
): Omit<BeforeApply, 'before'> {
  const isReleased = digests['/managed_by'] !== undefined
  const whole = { isReleased, addedFiles: new Map<string, undefined>(), lost: [], conflicts: undefined }
  const there = actual.byId.get(before.id)
  if (before.id !== id || action === 'delete' || action === 'replace' || there === undefined)
    return { ...whole, resource: before }
  const root = after?.webmap?.root_item
  const tree = root === undefined ? undefined : readAppliedTree(root, actual)
  const merged = mergeBefore({ before, there, digests, tree }, actual.principals)
  // Kept data have the fields that they had.
  const { feature_layer } = before.members
  const members = kept.has(id) ? { ...merged.resource.members, feature_layer } : merged.resource.members
  // An apply also records fields that have their values already: only later writes are a reason to merge the records.
  const marks = there.version === version ? before.marks : merged.resource.marks
  return {
    ...{ isReleased, addedFiles: listAddedFiles({ before, there, digests }), lost: loses },
    resource: { ...merged.resource, members, marks },
    conflicts: tree === undefined ? undefined : merged.conflicts,
  }
}

interface FileVersions {
  readonly before: ActualResource
  readonly there: ActualResource
  readonly digests: Digests
}

/** Lists the files that an apply added to a resource, with the names that it renamed them from. */
function listAddedFiles({ before, there, digests }: FileVersions): Map<string, string | undefined> {
  const [old = [], now = []] = [readFiles(before), readFiles(there)]
  const names = new Set(old.map(({ name }) => name))
  const left = new Map(now.map((file) => [file.name, file]))
  const gone = new Map(old.flatMap((file) => (left.has(file.name) ? [] : [[file.name, file.digest]])))
  const written = Object.entries(digests).flatMap(([pointer, digest]) => {
    const [top, name] = splitPointer(pointer)
    return top === 'files' && name !== undefined && digest !== null && !names.has(name) ? [name] : []
  })
  return new Map(
    written.map((name) => {
      const digest = left.get(name)?.digest
      const former = digest === undefined ? undefined : [...gone].find(([, one]) => one === digest)?.[0]
      if (former !== undefined) gone.delete(former)
      return [name, former]
    }),
  )
}

interface Restoring {
  readonly entry: JournalEntry
  readonly actual: ActualTree
  /** Data to restore by layer. */
  readonly kept: ReadonlyMap<number, KeptLayer>
  readonly before: ReadonlyMap<number, BeforeApply>
  readonly keyOf: ReadonlyMap<number, string>
  readonly keys: ReadonlySet<string>
  readonly resources: Map<string, WantedResource>
}

/** Adds a resource after its parent. */
function restore(restoring: Restoring, one: BeforeApply): void {
  const { before, keyOf, resources } = restoring
  const { resource } = one
  const key = keyOf.get(resource.id) ?? ''
  if (resources.has(key)) return
  const above = resource.parentId === null ? undefined : before.get(resource.parentId)
  if (above !== undefined) restore(restoring, above)
  const parent = above === undefined ? addAnchor(restoring, resource.parentId) : keyOf.get(above.resource.id)
  resources.set(key, wantedOf(restoring, { ...one, key, parent }))
}

/** Adds a parent that the apply did not change; returns its key. */
function addAnchor({ actual, resources, entry, keys }: Restoring, id: number | null): string | undefined {
  if (id === null) return undefined
  const there = actual.byId.get(id)
  // The keyname of an unchanged resource may be one that a changed resource had before.
  const label = there === undefined ? `#${id}` : labelOf(there)
  const key = keys.has(label) ? `#${id}` : label
  if (!resources.has(key))
    resources.set(key, {
      ...{ key, existing: true, id, protect: false, members: {} },
      records: new Map(),
      spanOf: spanOf(entry),
    })
  return key
}

interface Restored extends BeforeApply {
  readonly key: string
  readonly parent: string | undefined
}

function wantedOf(restoring: Restoring, restored: Restored): WantedResource {
  const { resource, before, key, parent } = restored
  const { entry, actual, keyOf } = restoring
  const { id, cls, displayName, description, protect, rules, resmeta } = resource
  const there = actual.byId.get(id)
  const { principals } = actual
  const owner = findFormerOwner(resource, there, actual)
  const members = isCls(cls) ? writeMembers({ tree: actual, keyOf }, resource, { cls, whole: true }) : {}
  return {
    key,
    formerKeyname: resource.keyname,
    formerKeyRecord: formatted(resource.marks[markerKeys.key]),
    existing: there !== undefined && there.manager !== entry.manifest,
    ...(there !== undefined ? { id } : isRestorable(entry, id) ? { formerId: id } : {}),
    ...(wasAdopted(restored, there, entry) ? formerOwner(before) : {}),
    ...(there === undefined && before.manager !== entry.manifest ? formerManagerOf(before) : {}),
    ...(restored.addedFiles.size === 0 ? {} : { addedFiles: restored.addedFiles }),
    protect,
    ...(isCls(cls) ? { cls } : {}),
    ...(parent === undefined ? {} : { parent }),
    displayName,
    ...(description === undefined ? {} : { description }),
    ...(owner?.isAllowed ? { owner: owner.name } : {}),
    ...(rules === undefined
      ? {}
      : {
          permissions: { owns: 'all', rules: sortedRules(rules.map((rule) => nameRule(rule, principals))) },
        }),
    ...(resmeta === undefined ? {} : { resmeta: { ...cleared(there), ...resmeta } }),
    members: members ?? {},
    ...renamedFields(resource, there),
    ...restoreOf(restoring, restored, there),
    records: recordsOf(restored, there, restoring),
    spanOf: spanOf(entry),
  }
}

const formatted = (mark: MetadataValue | undefined) => (typeof mark === 'string' ? mark : null)

/** Fields that the apply renamed get their former keynames back. */
function renamedFields(
  resource: ActualResource,
  there: ActualResource | undefined,
): Pick<WantedResource, 'formerFields'> {
  const names = new Map(fieldsOf(there).map(({ id, keyname }) => [id, keyname]))
  const renamed = fieldsOf(resource).flatMap(({ id, keyname }) => {
    const now = names.get(id)
    return now === undefined || now === keyname ? [] : [[keyname, now] as const]
  })
  return renamed.length === 0 ? {} : { formerFields: new Map(renamed) }
}

const fieldsOf = (resource: ActualResource | undefined) =>
  (resource?.members.feature_layer?.fields ?? []) as readonly Field[]

/** Data are restored with their source marker, so that the next plan knows as much about them as before. */
function restoreOf(
  { kept, entry }: Restoring,
  { before: { id, source, dataVersion = 0 }, lost }: BeforeApply,
  there: ActualResource | undefined,
): Pick<WantedResource, 'restores'> {
  const found = kept.get(id)
  if (found === undefined) return {}
  // A restored layer continues its versions if it has its id.
  const next = there?.dataVersion ?? (isRestorable(entry, id) ? dataVersion : dataVersion - 1)
  const version = next + 1 - dataVersion
  const marker = source === undefined ? null : formatSource({ ...source, version: source.version + version })
  const { id: keptId, features, only_kept: returns, only_layer: deletes } = found
  return { restores: { kept: keptId, features, lost, returns, deletes, source: marker } }
}

/** Tells whether a deleted resource is restored with its id. */
const isRestorable = ({ restorable = [] }: JournalEntry, id: number) => restorable.includes(id)

/** Tells whether the apply made another manifest the manager, or none. */
function wasAdopted(
  { before: { manager }, isReleased }: BeforeApply,
  there: ActualResource | undefined,
  entry: JournalEntry,
): boolean {
  return there !== undefined && manager !== there.manager && (isReleased || there.manager === entry.manifest)
}

/** Returns who managed a resource, and what the data were marked to be loaded from. */
function formerOwner(before: ActualResource): Pick<WantedResource, 'formerManager' | 'formerSource'> {
  const { source } = before
  return { ...formerManagerOf(before), formerSource: source === undefined ? null : formatSource(source) }
}

function formerManagerOf({ manager }: ActualResource): { readonly formerManager: FormerManager } {
  return { formerManager: manager === undefined ? null : { manifest: manager } }
}

/** Records of the fields that manifests set, as an undo leaves them: after an adoption, all of them as before it. */
function recordsOf(
  restored: BeforeApply,
  there: ActualResource | undefined,
  { entry, actual: { principals } }: Pick<Restoring, 'entry' | 'actual'>,
): ReadonlyMap<string, SetFields> {
  const source = wasAdopted(restored, there, entry) ? restored.before : restored.resource
  const manifests = new Set([...listOwners(source), ...(there === undefined ? [] : listOwners(there))])
  return new Map(
    [...manifests].map((one) => [one, findRecorded(source, one, principals)?.fields ?? new Map()] as const),
  )
}

/** Metadata that are removed unless the resource had them. */
function cleared(there: ActualResource | undefined): Record<string, null> {
  return Object.fromEntries(Object.keys(there?.resmeta ?? {}).map((key) => [key, null]))
}

/** The journal has no lines: faults are reported without a position. */
function spanOf({ id }: JournalEntry): WantedResource['spanOf'] {
  return () => wholeSpan(`entry ${id}`)
}
