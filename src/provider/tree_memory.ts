import type { Api } from '../api/api.ts'
import { readTree, type TreeHead } from '../api/read_tree.ts'
import type { Representation } from '../contract/bodies.ts'
import { decodeResource } from '../contract/dialect_codec.ts'
import { isProblem } from '../core/problem.ts'
import { type ActualTree, collectTree } from '../reconcile/model/actual_tree.ts'
import { liveReader, type PlanReader } from '../reconcile/plan/plan_reader.ts'

/** The resources of a server, read once in one request and kept up to date with the writes of the provider. */
export interface TreeMemory {
  /** Reads the tree, unless it has been read. */
  load(): Promise<RememberedTree>
  /** Reads a resource again after a write. */
  refresh(id: number): Promise<void>
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
  const withTree = async (work: (tree: RememberedTree) => void) => {
    if (loading !== undefined) work(await loading)
  }
  return {
    load,
    refresh: async (id) => {
      const found = await readOne(api, id, signal)
      await withTree((tree) => (found === undefined ? remove(tree, id) : put(tree, found)))
    },
    forget: (id) => void withTree((tree) => remove(tree, id)),
    clear: () => {
      loading = undefined
    },
  }
}

async function readAll(api: Api, signal: AbortSignal): Promise<RememberedTree> {
  const byId = new Map<number, Representation>()
  const idOfKey = new Map<string, number>()
  const head = await readTree(api, { signal }, (wire) => put({ byId, idOfKey }, wire))
  return { head, byId, idOfKey }
}

async function readOne(api: Api, id: number, signal: AbortSignal): Promise<Representation | undefined> {
  try {
    const wire = await api.call('resource.get', { params: { id }, signal })
    return decodeResource(wire) as unknown as Representation
  } catch (error) {
    if (isProblem(error) && error.status === 404) return undefined
    throw error
  }
}

function put({ byId, idOfKey }: Omit<RememberedTree, 'head'>, wire: Representation): void {
  const { id, keyname } = wire.resource
  remove({ byId, idOfKey }, id)
  byId.set(id, wire)
  if (typeof keyname === 'string') idOfKey.set(keyname, id)
}

function remove({ byId, idOfKey }: Omit<RememberedTree, 'head'>, id: number): void {
  const keyname = byId.get(id)?.resource.keyname
  if (typeof keyname === 'string' && idOfKey.get(keyname) === id) idOfKey.delete(keyname)
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
  return {
    ...liveReader(api, signal),
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
      id = (wire.resource.parent as { id: number } | null | undefined)?.id
    }
  }
  return around.values()
}
