import type { TreeHead } from '../../api/read_tree.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { MetadataValue, Rule } from '../../contract/bodies/resource.ts'
import {
  findOwnManager,
  findSource,
  isMarkerKey,
  markerKeys,
  type SourceMarker,
} from '../../contract/markers.ts'
import { indexPrincipals, type Principals } from './principals.ts'

/** The actual state of a resource. Values that the caller cannot read are undefined, never empty. */
export interface ActualResource {
  readonly id: number
  /** Class by its document name; NextGIS servers have additional classes. */
  readonly cls: string
  readonly parentId: number | null
  readonly keyname: string | null
  readonly displayName: string
  readonly version: number | undefined
  readonly description: string | null | undefined
  readonly ownerId: number | undefined
  readonly rules: readonly Rule[] | undefined
  /** Metadata without landform's markers. */
  readonly resmeta: Readonly<Record<string, MetadataValue>> | undefined
  /** Id of the managing manifest, from a marker that names this resource. */
  readonly manager: string | undefined
  /** The markers of landform, as metadata. */
  readonly marks: Items
  readonly protect: boolean
  readonly source: SourceMarker | undefined
  /** Version of a layer's data, incremented by each change. */
  readonly dataVersion: number | undefined
  /** Version of the descriptions and attachments of a layer's features, incremented by each change. */
  readonly extensionsVersion: number | undefined
  /** Members of the class by name, as in the API. */
  readonly members: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
}

/** The resources of a server that the caller can read. */
export interface ActualTree {
  readonly byId: ReadonlyMap<number, ActualResource>
  readonly byKeyname: ReadonlyMap<string, ActualResource>
  /** Returns the ids of the children of a resource. */
  childrenOf(id: number): readonly number[]
  /** Finds the children of a resource with a display name. */
  findNamed(parentId: number, displayName: string): readonly ActualResource[]
  /** Lists resources, among them all that a manifest manages. */
  listManaged(manifest: string): Iterable<ActualResource>
  /** Lists resources, among them all that refer to one of these or to their descendants. */
  listReferring(ids: readonly number[]): Iterable<ActualResource>
  /** Lists resources, among them all that determine the permissions on these, or whose permissions depend on these. */
  listDependent(ids: readonly number[]): Iterable<ActualResource>
  readonly principals: Principals
  /** Keyname of the caller; undefined if the server does not report it. */
  readonly caller: string | undefined
  readonly complete: boolean
  readonly administrator: boolean
  /** Version of landform on the server; undefined for other servers. */
  readonly landform: string | undefined
}

/** Reports whether a resource that is missing in a tree does not exist on the server. */
export function readsAll({
  complete,
  administrator,
}: Pick<ActualTree, 'complete' | 'administrator'>): boolean {
  return complete || administrator
}

/** Collects the resources of a tree. */
export interface TreeCollector {
  take(wire: Representation): void
  finish(head: TreeHead): ActualTree
}

/** Creates a collector. */
export function collectTree(): TreeCollector {
  const byId = new Map<number, ActualResource>()
  return {
    take: (wire) => {
      const resource = readActual(wire)
      byId.set(resource.id, resource)
    },
    finish: (head) => indexTree(byId, head),
  }
}

function indexTree(byId: ReadonlyMap<number, ActualResource>, head: TreeHead): ActualTree {
  const byKeyname = new Map<string, ActualResource>()
  const children = new Map<number, number[]>()
  for (const resource of byId.values()) {
    if (resource.keyname !== null) byKeyname.set(resource.keyname, resource)
    if (resource.parentId === null) continue
    const siblings = children.get(resource.parentId)
    if (siblings === undefined) children.set(resource.parentId, [resource.id])
    else siblings.push(resource.id)
  }
  const none: readonly number[] = []
  let places: ReadonlyMap<string, readonly ActualResource[]> | undefined
  return {
    byId,
    byKeyname,
    childrenOf: (id) => children.get(id) ?? none,
    findNamed: (parentId, displayName) => {
      // Most plans look nothing up by name.
      places ??= Map.groupBy(byId.values(), (one) => `${one.parentId}/${one.displayName}`)
      return places.get(`${parentId}/${displayName}`) ?? []
    },
    listManaged: () => byId.values(),
    listReferring: () => byId.values(),
    listDependent: () => byId.values(),
    principals: indexPrincipals(head.principals),
    caller: head.caller,
    complete: head.complete,
    administrator: head.administrator,
    landform: head.landform,
  }
}

/** Converts a representation of the API. */
export function readActual(wire: Representation): ActualResource {
  const { resource, resmeta } = wire
  // The wire object itself, including non-members: copying the members of large trees is too slow.
  const members = wire as unknown as ActualResource['members']
  const { id, cls, parent, keyname, display_name, version, description, owner_user, permissions } = resource
  const items = resmeta?.items
  return {
    id,
    cls,
    parentId: (parent as { id: number } | null | undefined)?.id ?? null,
    keyname: keyname ?? null,
    displayName: display_name ?? '',
    version,
    description: Object.hasOwn(resource, 'description') ? (description ?? null) : undefined,
    ownerId: (owner_user as { id: number } | undefined)?.id,
    rules: permissions,
    ...readMetadata(id, items),
    dataVersion: members[cls]?.data_version as number | undefined,
    extensionsVersion: members[cls]?.extensions_version as number | undefined,
    members,
  }
}

type Items = Readonly<Record<string, MetadataValue>>

function readMetadata(id: number, items: Items | undefined) {
  const resmeta: Record<string, MetadataValue> = {}
  const marks: Record<string, MetadataValue> = {}
  for (const key in items) {
    const value = items[key]
    if (value !== undefined) (isMarkerKey(key) ? marks : resmeta)[key] = value
  }
  return {
    resmeta: items === undefined ? undefined : resmeta,
    marks,
    manager: findOwnManager(id, marks)?.manifest,
    protect: marks[markerKeys.protect] === true,
    source: findSource(marks[markerKeys.source]),
  }
}

/**
 * Lists the ids of all descendants of a resource, top down.
 *
 * @param leaving resources that move out first, with their descendants
 */
export function listDescendants(
  tree: Pick<ActualTree, 'childrenOf'>,
  id: number,
  leaving?: ReadonlySet<number>,
): number[] {
  const found: number[] = []
  for (
    let current: number | undefined = id, next = 0;
    current !== undefined;
    current = found[next], next += 1
  ) {
    for (const child of tree.childrenOf(current)) if (!leaving?.has(child)) found.push(child)
  }
  return found
}

/** Returns the display names from the root to a resource. */
export function pathOf(tree: Pick<ActualTree, 'byId'>, id: number): string[] {
  const names: string[] = []
  for (
    let at = tree.byId.get(id);
    at !== undefined;
    at = at.parentId === null ? undefined : tree.byId.get(at.parentId)
  )
    names.unshift(at.displayName)
  return names
}

/** Replaces ids, written `53` or `#53`, with the labels of their resources; keynames come first. */
export function toLabels(
  { byId, byKeyname }: Pick<ActualTree, 'byId' | 'byKeyname'>,
  names: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    [...names].map((name) => {
      const id = /^#?(\d+)$/.exec(name)?.[1]
      const there = id === undefined || byKeyname.has(name) ? undefined : byId.get(Number(id))
      return there === undefined ? name : labelOf(there)
    }),
  )
}

/** Returns the keyname of a resource or of a record of the catalog, or `#id` if it has none. */
export function labelOf({ keyname, id }: { readonly keyname: string | null; readonly id: number }): string {
  return keyname ?? `#${id}`
}
