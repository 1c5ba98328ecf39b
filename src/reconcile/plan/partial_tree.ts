import type { TreePart } from '../../api/read_tree.ts'
import { maxPartItems } from '../../contract/routes/resource.ts'
import type { ActualTree } from '../model/actual_tree.ts'

/** A part of the tree, and what a plan looks up in it. */
export interface PartialTree {
  /** The part; it records what is looked up and was not read. */
  readonly actual: ActualTree
  /** The part to read instead, with what was looked up in addition; undefined if everything was read. */
  readonly next: () => TreePart | undefined
}

/** Records what a plan looks up and what was not asked for: only then is the part as good as the whole tree. */
export function recordLookups(tree: ActualTree, asked: TreePart): PartialTree {
  const keynames = recorderOf(asked.keynames)
  const ids = recorderOf(asked.ids)
  const below = recorderOf(asked.below)
  const referrers = recorderOf(asked.referrers)
  const places = recorderOf(asked.names.map(({ parent, display_name }) => placeOf(parent, display_name)))
  const isBelow = (id: number): boolean => {
    for (let at = tree.byId.get(id); at !== undefined; at = tree.byId.get(at.parentId ?? -1))
      if (below.has(at.id)) return true
    return false
  }
  const addBelow = (id: number) => {
    if (!isBelow(id)) below.add(id)
  }
  const actual: ActualTree = {
    ...tree,
    byId: recordMisses(tree.byId, ids.add),
    byKeyname: recordMisses(tree.byKeyname, keynames.add),
    childrenOf: (id) => {
      addBelow(id)
      return tree.childrenOf(id)
    },
    findNamed: (parentId, displayName) => {
      if (!isBelow(parentId)) places.add(placeOf(parentId, displayName))
      return tree.findNamed(parentId, displayName)
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
    manifest: asked.manifest,
    keynames: keynames.list(),
    ids: ids.list(),
    names: places.list().map(readPlace),
    below: below.list(),
    referrers: referrers.list(),
  })
  const recorders = [keynames, ids, places, below, referrers]
  return { actual, next: () => (recorders.some((one) => one.hasGrown()) ? next() : undefined) }
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
