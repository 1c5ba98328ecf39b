import type { TreePart } from '../../api/read_tree.ts'
import { type ActualTree, collectTree } from '../model/actual_tree.ts'
import { isReadable, type PartialTree, recordLookups, wholeTree } from './partial_tree.ts'
import type { PlanReader } from './plan_reader.ts'

/** Answer of a computation that needs resources which were not read: a larger part, or all. */
export type Missing = 'larger' | 'all'

/** What to compute from resources of a server. */
export interface PartComputation<T extends object> {
  readonly reader: Pick<PlanReader, 'readTree' | 'readPart'>
  /** The part to begin with; undefined to read all resources. */
  readonly part: TreePart | undefined
  /** Computes the result; may answer early that resources are missing. */
  readonly compute: (read: PartialTree) => Promise<T | Missing>
  /** Reads all resources; from the server, if absent. */
  readonly readAll?: () => Promise<ActualTree>
}

/**
 * Computes something from a part of a server, and again from a larger part as long as that looks up what was not read. Each part is read
 * anew, so that all of it is of one time. Reads all resources if these are needed, or if the server has no parts.
 */
export async function computeFromPart<T extends object>(computation: PartComputation<T>): Promise<T> {
  const { reader, part, compute } = computation
  for (let asked = part; asked !== undefined && isReadable(asked) && reader.readPart !== undefined; ) {
    const collector = collectTree()
    const head = await reader.readPart(asked, (resource) => collector.take(resource))
    const read = collector.finish(head)
    if (head.part !== true) return computeFromAll(read, compute)
    const partial = recordLookups(read, asked)
    const result = await compute(partial)
    asked = partial.next()
    if (typeof result !== 'string' && asked === undefined) return result
    if (result === 'all') break
  }
  return computeFromAll(await (computation.readAll ?? (() => readWhole(reader)))(), compute)
}

/** Computes something from all resources of a server. */
export async function computeFromAll<T extends object>(
  tree: ActualTree,
  compute: PartComputation<T>['compute'],
): Promise<T> {
  const result = await compute(wholeTree(tree))
  if (typeof result === 'string') throw new Error('Nothing is missing in all resources.')
  return result
}

/** Reads all resources that the account can read. */
export async function readWhole(reader: Pick<PlanReader, 'readTree'>): Promise<ActualTree> {
  const collector = collectTree()
  const head = await reader.readTree((resource) => collector.take(resource))
  return collector.finish(head)
}
