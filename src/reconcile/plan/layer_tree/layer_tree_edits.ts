import { isDeepStrictEqual } from 'node:util'
import { joinPointer, type Pointer } from '../../../core/pointer.ts'
import type { Edit } from '../../model/change.ts'
import {
  buildNodes,
  type ItemFields,
  listNodes,
  matchNodes,
  type TreeMatch,
  type TreeNode,
} from './layer_tree_match.ts'

/** Two layer trees of a web map to compare, and how. */
export interface LayerTrees {
  /** Pointer of the list of items at the top. */
  readonly pointer: Pointer
  readonly from: readonly unknown[]
  readonly to: readonly unknown[]
  /** Returns what identifies an item. */
  readonly identify: (item: ItemFields) => string
  /** Lists the edits between two versions of an item, without its children. */
  readonly compareItem: (pair: ItemPair) => readonly Edit[]
}

/** Two versions of an item. */
export interface ItemPair {
  readonly pointer: Pointer
  readonly from: ItemFields
  readonly to: ItemFields
}

/**
 * Lists the edits between two layer trees: items that moved to another group, changed items such as renamed groups,
 * added and removed items, and groups with another order.
 */
export function listTreeEdits(trees: LayerTrees): Edit[] {
  const old = buildNodes(trees.from, trees.identify)
  const next = buildNodes(trees.to, trees.identify)
  const match = matchNodes(old, next)
  const comparison: Comparison = { trees, match }
  return [
    ...listNodes(next).flatMap((node) => compareNode(comparison, node)),
    ...listNodes(old).flatMap((node) => findRemoved(comparison, node)),
    ...compareOrder(comparison, { pointer: trees.pointer, old, next }),
    ...listNodes(next).flatMap((node) => compareOrderBelow(comparison, node)),
  ]
}

interface Comparison {
  readonly trees: LayerTrees
  readonly match: TreeMatch
}

/** Pointer of an item: each name follows the word of the list, `children`. */
function pointerOf({ pointer }: LayerTrees, { path }: TreeNode): Pointer {
  const [first = '', ...rest] = path
  return rest.reduce((above, name) => joinPointer(above, 'children', name), joinPointer(pointer, first))
}

const parentPath = ({ parent }: TreeNode) => parent?.path ?? []

function compareNode({ trees, match }: Comparison, node: TreeNode): readonly Edit[] {
  const old = match.oldOf.get(node)
  const pointer = pointerOf(trees, node)
  if (old === undefined) {
    const isInNew = node.parent !== undefined && !match.oldOf.has(node.parent)
    return isInNew ? [] : [{ pointer, to: withoutMatched(node, match.oldOf) }]
  }
  const edits = trees.compareItem({ pointer, from: withoutChildren(old), to: withoutChildren(node) })
  return isInPlace(match, node) ? edits : [moveOf(pointer, old, node), ...edits]
}

const moveOf = (pointer: Pointer, old: TreeNode, next: TreeNode): Edit => ({
  pointer,
  from: parentPath(old),
  to: parentPath(next),
  moves: true,
})

/** Tells whether a matched item is in the same group as before. */
function isInPlace({ oldOf }: TreeMatch, node: TreeNode): boolean {
  const before = oldOf.get(node)?.parent
  return node.parent === undefined
    ? before === undefined
    : oldOf.get(node.parent) === before && before !== undefined
}

function findRemoved({ trees, match }: Comparison, node: TreeNode): readonly Edit[] {
  const { nextOf } = match
  if (nextOf.has(node) || (node.parent !== undefined && !nextOf.has(node.parent))) return []
  return [{ pointer: pointerOf(trees, node), from: withoutMatched(node, nextOf) }]
}

function withoutChildren({ item }: TreeNode): ItemFields {
  const { children, ...rest } = item
  return rest
}

/** Items of an added or removed group that move have their own edits. */
function withoutMatched({ item, children }: TreeNode, matched: TreeMatch['oldOf']): ItemFields {
  if (item.children === undefined) return item
  const left = children.filter((child) => !matched.has(child))
  return { ...item, children: left.map((child) => withoutMatched(child, matched)) }
}

interface Levels {
  readonly pointer: Pointer
  readonly old: readonly TreeNode[]
  readonly next: readonly TreeNode[]
}

function compareOrderBelow(comparison: Comparison, node: TreeNode): readonly Edit[] {
  const old = comparison.match.oldOf.get(node)
  if (old === undefined) return []
  const pointer = joinPointer(pointerOf(comparison.trees, node), 'children')
  return compareOrder(comparison, { pointer, old: old.children, next: node.children })
}

/** Compares the order of the items that stay in a group; their names are the new ones. */
function compareOrder({ match }: Comparison, { pointer, old, next }: Levels): readonly Edit[] {
  const stays = next.filter((node) => match.oldOf.has(node) && isInPlace(match, node))
  const staying = new Set(stays)
  const before = old.flatMap((node) => {
    const there = match.nextOf.get(node)
    return there !== undefined && staying.has(there) ? [there] : []
  })
  const [from, to] = [before, stays].map((nodes) => nodes.map(({ name }) => name))
  return isDeepStrictEqual(from, to) ? [] : [{ pointer, from, to }]
}
