import type { Api } from '../api/api.ts'
import { readTree, type TreeHead } from '../api/read_tree.ts'
import type { Representation } from '../contract/bodies/bodies.ts'
import { decodeResource } from '../contract/dialect/dialect_codec.ts'
import { isProblem } from '../core/problem.ts'
import { type ActualTree, collectTree } from '../reconcile/model/actual_tree.ts'
import { liveReader, type PlanReader } from '../reconcile/plan/plan_reader.ts'

/** The resources of a server, read once in one request and kept up to date with the writes of the provider. */
export interface TreeMemory {
  /** Reads the tree, unless it has been read. */
  load(): Promise<RememberedTree>
  /** Records that a resource was written; it is read again when another one needs it. */
  markWritten(id: number, key: string): Promise<void>
  /** Reads written resources again: of the given ones and their ancestors, or all. */
  freshen(ids?: readonly number[]): Promise<void>
  /** Removes a deleted resource. */
  forget(id: number): void
  /** Reads everything again at the next use. */
  clear(): void
}

/** Resources of a server, by id and key. */
export interface RememberedTree {
  readonly head: TreeHead
  readonly byId: Map<number, Representation>
  readonly idOfKey: Map<string, number>
  /** Ids of children by parent. */
  readonly childrenOf: Map<number, Set<number>>
}

/** Creates the memory of a server. Its functions throw http/* and auth/*. */
export function createTreeMemory(api: Api, signal: AbortSignal): TreeMemory {
  let loading: Promise<RememberedTree> | undefined
  const load = () => {
    loading ??= readAll(api, signal).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  const written = new Set<number>()
  const withTree = async (work: (tree: RememberedTree) => void) => {
    if (loading !== undefined) work(await loading)
  }
  const reading = new Map<number, Promise<void>>()
  // Concurrent writes that need the same resource wait for one request.
  const readAgain = (tree: RememberedTree, id: number): Promise<void> | undefined => {
    if (!written.delete(id)) return reading.get(id)
    const done = readOne(api, id, signal).then((found) => {
      if (found === undefined) remove(tree, id)
      else put(tree, found)
    })
    const forgotten = done.finally(() => reading.delete(id))
    reading.set(id, forgotten)
    return forgotten
  }
  return {
    load,
    markWritten: (id, key) =>
      withTree((tree) => {
        written.add(id)
        tree.idOfKey.set(key, id)
      }),
    freshen: async (ids) => {
      const tree = await load()
      for (const start of ids ?? [...written]) {
        for (let id: number | undefined = start; id !== undefined; id = parentOf(tree, id))
          await readAgain(tree, id)
      }
    },
    forget: (id) => void withTree((tree) => remove(tree, id)),
    clear: () => {
      loading = undefined
      written.clear()
    },
  }
}

function parentOf({ byId }: Pick<Index, 'byId'>, id: number): number | undefined {
  return (byId.get(id)?.resource.parent as { id: number } | null | undefined)?.id
}

async function readAll(api: Api, signal: AbortSignal): Promise<RememberedTree> {
  const index: Index = { byId: new Map(), idOfKey: new Map(), childrenOf: new Map() }
  const head = await readTree(api, { signal }, (wire) => put(index, wire))
  return { head, ...index }
}

type Index = Omit<RememberedTree, 'head'>

async function readOne(api: Api, id: number, signal: AbortSignal): Promise<Representation | undefined> {
  try {
    const wire = await api.call('resource.get', { params: { id }, signal })
    return decodeResource(wire) as unknown as Representation
  } catch (error) {
    if (isProblem(error) && error.status === 404) return undefined
    throw error
  }
}

function put(index: Index, wire: Representation): void {
  const { byId, idOfKey, childrenOf } = index
  const { id, keyname } = wire.resource
  remove(index, id)
  byId.set(id, wire)
  if (typeof keyname === 'string') idOfKey.set(keyname, id)
  const parent = parentOf(index, id)
  if (parent === undefined) return
  const siblings = childrenOf.get(parent) ?? new Set()
  childrenOf.set(parent, siblings.add(id))
}

function remove(index: Index, id: number): void {
  const { byId, idOfKey, childrenOf } = index
  const keyname = byId.get(id)?.resource.keyname
  if (typeof keyname === 'string' && idOfKey.get(keyname) === id) idOfKey.delete(keyname)
  childrenOf.get(parentOf(index, id) ?? -1)?.delete(id)
  byId.delete(id)
}

/** Returns the tree of some resources with their ancestors: the plan of one resource does not depend on others. */
export function treeAround(tree: RememberedTree, ids: Iterable<number>): ActualTree {
  const collector = collectTree()
  for (const wire of listAround(tree, ids)) collector.take(wire)
  return collector.finish(tree.head)
}

/** Returns a reader of plans that sees the tree around some resources. */
export function readerAround({
  api,
  tree,
  ids,
  signal,
}: {
  readonly api: Api
  readonly tree: RememberedTree
  readonly ids: Iterable<number>
  readonly signal: AbortSignal
}): PlanReader {
  // Programs declare no users and groups.
  const { readFormerPrincipals: _, ...reader } = liveReader(api, signal)
  return {
    ...reader,
    readTree: async (take) => {
      for (const wire of listAround(tree, ids)) take(wire)
      return tree.head
    },
    // The effect on users is not shown.
    readUsers: async () => undefined,
  }
}

function listAround({ byId }: RememberedTree, ids: Iterable<number>): Iterable<Representation> {
  const around = new Map<number, Representation>()
  for (const start of ids) {
    for (let id: number | undefined = start; id !== undefined && !around.has(id); ) {
      const wire = byId.get(id)
      if (wire === undefined) break
      around.set(id, wire)
      id = parentOf({ byId }, id)
    }
  }
  return around.values()
}
