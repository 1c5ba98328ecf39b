/** Fields of an item of a layer tree, in canonical form. */
export type ItemFields = Readonly<Record<string, unknown>>

/** An item of a layer tree with its place. */
export interface TreeNode {
  readonly item: ItemFields
  readonly isGroup: boolean
  /** What identifies the item: the style of a layer, the name of a group. */
  readonly identity: string
  /** The identity, with a number if an item before it on the same level has the same. */
  readonly name: string
  /** Names from the top of the tree to the item. */
  readonly path: readonly string[]
  readonly parent: TreeNode | undefined
  readonly children: readonly TreeNode[]
}

/** Builds the nodes of one level of a layer tree, and of the levels below it. */
export function buildNodes(
  list: readonly unknown[],
  identify: (item: ItemFields) => string,
  parent?: TreeNode,
): TreeNode[] {
  const counts = new Map<string, number>()
  return list.map((value) => {
    const item = value as ItemFields
    const identity = identify(item)
    const count = (counts.get(identity) ?? 0) + 1
    counts.set(identity, count)
    const name = count === 1 ? identity : `${identity} (${count})`
    const children: TreeNode[] = []
    const isGroup = item.item_type === 'group'
    const path = [...(parent?.path ?? []), name]
    const node: TreeNode = { item, isGroup, identity, name, path, parent, children }
    if (Array.isArray(item.children)) children.push(...buildNodes(item.children, identify, node))
    return node
  })
}

/** Items of two trees that are the same, in both directions. */
export interface TreeMatch {
  readonly oldOf: ReadonlyMap<TreeNode, TreeNode>
  readonly nextOf: ReadonlyMap<TreeNode, TreeNode>
}

/**
 * Finds the items that are in both trees: those with the same name in the same place; then layers with the same style
 * elsewhere; then groups that have most of the same items, and groups with the same name.
 */
export function matchNodes(old: readonly TreeNode[], next: readonly TreeNode[]): TreeMatch {
  const oldOf = new Map<TreeNode, TreeNode>()
  const nextOf = new Map<TreeNode, TreeNode>()
  const pair: Pairing = {
    isOpen: (node) => !oldOf.has(node) && !nextOf.has(node),
    oldOf: (node) => oldOf.get(node),
    join: (from, to) => {
      oldOf.set(to, from)
      nextOf.set(from, to)
    },
  }
  matchLevel(old, next, pair)
  const [before, after] = [listNodes(old), listNodes(next)]
  matchLayers(before, after, pair)
  matchGroups(before, after, pair)
  return { oldOf, nextOf }
}

interface Pairing {
  isOpen(node: TreeNode): boolean
  oldOf(node: TreeNode): TreeNode | undefined
  join(from: TreeNode, to: TreeNode): void
}

/** Lists nodes with all descendants, each group before its items. */
export function listNodes(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...listNodes(node.children)])
}

const placeOf = ({ isGroup, name }: TreeNode) => `${isGroup ? 'group' : 'layer'} ${name}`

function matchLevel(old: readonly TreeNode[], next: readonly TreeNode[], pair: Pairing): void {
  const byPlace = new Map(old.map((node) => [placeOf(node), node]))
  for (const node of next) {
    const found = byPlace.get(placeOf(node))
    if (found === undefined) continue
    pair.join(found, node)
    matchLevel(found.children, node.children, pair)
  }
}

// Of several layers with the same style, one with the same name is preferred.
function matchLayers(old: readonly TreeNode[], next: readonly TreeNode[], pair: Pairing): void {
  const open = Map.groupBy(
    old.filter((node) => !node.isGroup && pair.isOpen(node)),
    ({ identity }) => identity,
  )
  const left = next.filter((node) => !node.isGroup && pair.isOpen(node))
  const isNamed = (from: TreeNode, to: TreeNode) => from.item.display_name === to.item.display_name
  for (const fits of [isNamed, () => true])
    for (const node of left) {
      if (!pair.isOpen(node)) continue
      const found = open.get(node.identity)?.find((one) => pair.isOpen(one) && fits(one, node))
      if (found !== undefined) pair.join(found, node)
    }
}

// The innermost groups come first, so that groups of groups are found by them.
function matchGroups(old: readonly TreeNode[], next: readonly TreeNode[], pair: Pairing): void {
  const open = old.filter((node) => node.isGroup && pair.isOpen(node))
  const byName = Map.groupBy(open, ({ identity }) => identity)
  for (const node of next.toReversed()) {
    if (!node.isGroup || !pair.isOpen(node)) continue
    const found =
      findByItems(node, pair) ?? byName.get(node.identity)?.find((candidate) => pair.isOpen(candidate))
    if (found !== undefined) pair.join(found, node)
  }
}

/** Finds the unmatched group that has most of the items of a group, and at least half of them. */
function findByItems(node: TreeNode, pair: Pairing): TreeNode | undefined {
  const votes = new Map<TreeNode, number>()
  for (const child of node.children) {
    const parent = pair.oldOf(child)?.parent
    if (parent !== undefined && pair.isOpen(parent)) votes.set(parent, (votes.get(parent) ?? 0) + 1)
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a)
  return best !== undefined && best[1] * 2 >= node.children.length ? best[0] : undefined
}
