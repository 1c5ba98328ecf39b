import type { TreePart } from '../../api/read_tree.ts'
import { maxPartItems } from '../../contract/routes/resource.ts'
import type { ActualTree } from '../model/actual_tree.ts'

/** Resources that were read, and what is looked up in them. */
export interface PartialTree {
  /** The resources; if these are a part of the server, it records what is looked up and was not read. */
  readonly actual: ActualTree
  /** Whether these are all resources of the server. */
  readonly isWhole: boolean
  /** The part to read instead, with what was looked up in addition; undefined if everything was read. */
  readonly next: () => TreePart | undefined
}

/** A selection of resources that names none yet. */
export const noPart: TreePart = {
  managers: [],
  keynames: [],
  ids: [],
  names: [],
  below: [],
  referrers: [],
}

/** All resources of a server: nothing is missing. */
export function wholeTree(actual: ActualTree): PartialTree {
  return { actual, isWhole: true, next: () => undefined }
}

/** Records what is looked up and was not asked for: only if there is none of it, the part is as good as the whole tree. */
export function recordLookups(tree: ActualTree, asked: TreePart): PartialTree {
  const { manifest } = asked
  const own = manifest === undefined ? [] : [manifest]
  const managers = recorderOf([...own, ...asked.managers])
  const keynames = recorderOf(asked.keynames)
  const ids = recorderOf(asked.ids)
  const below = recorderOf(asked.below)
  const referrers = recorderOf(asked.referrers)
  const places = recorderOf(asked.names.map(({ parent, display_name }) => placeOf(parent, display_name)))
  const isBelow = (id: number) => isInside(tree, id, below.has)
  const addBelow = (id: number) => {
    if (!isBelow(id)) below.add(id)
  }
  // What has no id is looked up as -1 or NaN.
  const addId = (id: number) => {
    if (id >= 0) ids.add(id)
  }
  const actual: ActualTree = {
    ...tree,
    byId: recordMisses(tree.byId, addId),
    byKeyname: recordMisses(tree.byKeyname, keynames.add),
    childrenOf: (id) => {
      addBelow(id)
      return tree.childrenOf(id)
    },
    findNamed: (parentId, displayName) => {
      if (!isBelow(parentId)) places.add(placeOf(parentId, displayName))
      return tree.findNamed(parentId, displayName)
    },
    listManaged: (manager) => {
      managers.add(manager)
      return tree.listManaged(manager)
    },
    listReferring: (targets) => {
      for (const id of targets) referrers.add(id)
      return tree.listReferring(targets)
    },
    listDependent: (changed) => {
      for (const id of changed) addBelow(id)
      return tree.listDependent(changed)
    },
  }
  const next = (): TreePart => ({
    ...(manifest === undefined ? {} : { manifest }),
    managers: managers.list().filter((one) => one !== manifest),
    keynames: keynames.list(),
    ids: ids.list(),
    names: places.list().map(readPlace),
    below: below.list(),
    referrers: referrers.list(),
  })
  const recorders = [managers, keynames, ids, places, below, referrers]
  return {
    actual,
    isWhole: false,
    next: () => (recorders.some((one) => one.hasGrown()) ? next() : undefined),
  }
}

/** Tells whether a resource or one above it is among some. */
function isInside({ byId }: ActualTree, id: number, isOne: (id: number) => boolean): boolean {
  for (let at = byId.get(id); at !== undefined; at = byId.get(at.parentId ?? -1))
    if (isOne(at.id)) return true
  return false
}

/** Tells whether a server answers a request for a part. */
export function isReadable({ manifest: _, ...lists }: TreePart): boolean {
  return Object.values(lists).every((list) => list.length <= maxPartItems)
}

const placeOf = (parent: number, displayName: string) => JSON.stringify([parent, displayName])

function readPlace(place: string): TreePart['names'][number] {
  const [parent, displayName] = JSON.parse(place) as [number, string]
  return { parent, display_name: displayName }
}

function recorderOf<T>(asked: readonly T[]) {
  const all = new Set(asked)
  const { size } = all
  return {
    has: (one: T) => all.has(one),
    add: (one: T) => {
      all.add(one)
    },
    list: () => [...all],
    hasGrown: () => all.size > size,
  }
}

/** Returns a map that reports the keys that are looked up and that it does not have. */
function recordMisses<K, V>(map: ReadonlyMap<K, V>, miss: (key: K) => void): ReadonlyMap<K, V> {
  const has = (key: K) => {
    const found = map.has(key)
    if (!found) miss(key)
    return found
  }
  const recording: ReadonlyMap<K, V> = {
    size: map.size,
    get: (key) => (has(key) ? map.get(key) : undefined),
    has,
    keys: () => map.keys(),
    values: () => map.values(),
    entries: () => map.entries(),
    [Symbol.iterator]: () => map[Symbol.iterator](),
    forEach: (take) => {
      for (const [key, value] of map) take(value, key, recording)
    },
  }
  return recording
}
