import { isDeepStrictEqual } from 'node:util'
import {
  buildNodes,
  type ItemFields,
  listNodes,
  matchNodes,
  type TreeMatch,
  type TreeNode,
} from '../plan/layer_tree/layer_tree_match.ts'

/** Three versions of the layer tree of a web map: lists of the items at the top, with ids of styles. */
export interface LayerTreeVersions {
  readonly before: readonly unknown[]
  /** As the apply left it. */
  readonly after: readonly unknown[]
  readonly now: readonly unknown[]
}

/** A layer tree without the changes of an apply. */
export interface MergedLayerTree {
  readonly items: readonly ItemFields[]
  /** Names of items that the apply changed, and that were changed since. */
  readonly conflicts: readonly string[]
}

/**
 * Takes the changes of an apply back from a layer tree, and keeps later ones: items that it added are removed, those that it
 * removed come back, and changed members, groups and orders are those before it.
 */
export function mergeLayerTree({ before, after, now }: LayerTreeVersions): MergedLayerTree {
  const [old, applied, next] = [before, after, now].map((items) => buildNodes(items, identify)) as [
    TreeNode[],
    TreeNode[],
    TreeNode[],
  ]
  const merge = new Merge({
    old,
    toOld: matchNodes(applied, old),
    toNext: matchNodes(applied, next),
    stillNext: matchNodes(old, next),
    appliedNodes: listNodes(applied),
    nextNodes: listNodes(next),
  })
  return { items: merge.write(undefined), conflicts: [...merge.conflicts].sort() }
}

// Layers are identified by their style, groups by their name.
const identify = ({ item_type: type, layer_style_id: style, display_name: name }: ItemFields) =>
  type === 'layer' ? JSON.stringify(style) : `${name}`

interface Versions {
  readonly old: readonly TreeNode[]
  /** From the applied items to those before, and to those now. */
  readonly toOld: TreeMatch
  readonly toNext: TreeMatch
  /** From the items before to those now. */
  readonly stillNext: TreeMatch
  readonly appliedNodes: readonly TreeNode[]
  readonly nextNodes: readonly TreeNode[]
}

/** An item of the merged tree, with its versions. */
interface Merged {
  readonly old: TreeNode | undefined
  readonly next: TreeNode | undefined
  readonly fields: ItemFields
}

class Merge {
  readonly conflicts = new Set<string>()
  readonly #versions: Versions
  readonly #items: Merged[] = []
  readonly #byOld = new Map<TreeNode, Merged>()
  readonly #byNext = new Map<TreeNode, Merged>()
  readonly #parentOf = new Map<Merged, Merged | undefined>()

  constructor(versions: Versions) {
    this.#versions = versions
    for (const node of versions.nextNodes) this.#addNext(node)
    for (const node of listNodes(versions.old)) this.#addRemoved(node)
    for (const item of this.#items) this.#parentOf.set(item, this.#findParent(item))
    for (const item of this.#items) this.#breakCycle(item)
    for (const node of versions.appliedNodes) this.#checkGone(node)
  }

  /** Writes the items of a group, or of the top. */
  write(parent: Merged | undefined): ItemFields[] {
    const items = this.#items.filter((item) => this.#parentOf.get(item) === parent)
    return this.#sort(items, parent).map((item) =>
      item.fields.item_type === 'group' ? { ...item.fields, children: this.write(item) } : item.fields,
    )
  }

  #addNext(next: TreeNode): void {
    const { toOld, toNext } = this.#versions
    const applied = toNext.oldOf.get(next)
    const old = applied === undefined ? this.#findReturned(next) : toOld.nextOf.get(applied)
    if (applied !== undefined && old === undefined) {
      if (!isDeepStrictEqual(ownFields(applied), ownFields(next))) this.#report(next)
      // A group that has items of others stays for them.
      if (!listNodes(next.children).some((one) => !toNext.oldOf.has(one))) return
    }
    this.#add({ old, next, fields: this.#mergeFields(old, applied, next) })
  }

  /** Finds the item before the apply that the apply removed, and that is there again. */
  #findReturned(next: TreeNode): TreeNode | undefined {
    const { toOld, stillNext } = this.#versions
    const old = stillNext.oldOf.get(next)
    return old === undefined || toOld.oldOf.has(old) ? undefined : old
  }

  #addRemoved(old: TreeNode): void {
    if (this.#byOld.has(old) || this.#versions.toOld.oldOf.has(old)) return
    this.#add({ old, next: undefined, fields: ownFields(old) })
  }

  #add(item: Merged): void {
    this.#items.push(item)
    if (item.old !== undefined) this.#byOld.set(item.old, item)
    if (item.next !== undefined) this.#byNext.set(item.next, item)
  }

  #mergeFields(old: TreeNode | undefined, applied: TreeNode | undefined, next: TreeNode): ItemFields {
    const now = ownFields(next)
    if (old === undefined || applied === undefined) return now
    const [from, set] = [ownFields(old), ownFields(applied)]
    const merged: Record<string, unknown> = { ...now }
    for (const name of new Set([...Object.keys(from), ...Object.keys(set)])) {
      if (isDeepStrictEqual(from[name], set[name])) continue
      if (!isDeepStrictEqual(set[name], now[name]) && !isDeepStrictEqual(from[name], now[name]))
        this.#report(next)
      if (from[name] === undefined) delete merged[name]
      else merged[name] = from[name]
    }
    return merged
  }

  /** An item is in its group now, unless the apply moved it there, or removed it. */
  #findParent({ old, next }: Merged): Merged | undefined {
    const { toOld, toNext } = this.#versions
    const above = old?.parent && this.#byOld.get(old.parent)
    if (next === undefined) return above
    const here = next.parent && this.#byNext.get(next.parent)
    const applied = toNext.oldOf.get(next)
    if (applied === undefined || old === undefined) return here
    const wasMoved = (applied.parent && toOld.nextOf.get(applied.parent)) !== old.parent
    if (!wasMoved) return here
    const stays = (applied.parent && toNext.nextOf.get(applied.parent)) === next.parent
    if (!stays && here !== above) this.#report(next)
    return above
  }

  /** Groups that were moved into each other go to the top. */
  #breakCycle(item: Merged): void {
    const seen = new Set([item])
    for (let at = this.#parentOf.get(item); at !== undefined; at = this.#parentOf.get(at)) {
      if (at === item) {
        this.#parentOf.set(item, undefined)
        if (item.next !== undefined) this.#report(item.next)
      }
      if (seen.has(at)) return
      seen.add(at)
    }
  }

  /** An item that the apply changed was removed since. */
  #checkGone(applied: TreeNode): void {
    const { toOld, toNext } = this.#versions
    const old = toOld.nextOf.get(applied)
    if (toNext.nextOf.has(applied) || old === undefined) return
    if (!isDeepStrictEqual(ownFields(old), ownFields(applied))) this.#report(applied)
  }

  /** Sorts items as they are now, or as before the apply if it changed their order. */
  #sort(items: readonly Merged[], parent: Merged | undefined): Merged[] {
    const places = new Map(this.#versions.nextNodes.map((node, at) => [node, at]))
    const oldPlaces = new Map(listNodes(this.#versions.old).map((node, at) => [node, at]))
    const byNow = items
      .filter(({ next }) => next !== undefined && (next.parent && this.#byNext.get(next.parent)) === parent)
      .toSorted((a, b) => place(places, a.next) - place(places, b.next))
    const byOld = items
      .filter(({ old }) => old !== undefined)
      .toSorted((a, b) => place(oldPlaces, a.old) - place(oldPlaces, b.old))
    const [base, others] = this.#wasSorted(byNow, byOld) ? [byOld, byNow] : [byNow, byOld]
    return insertAfter(base, others)
  }

  /** Tells whether the apply changed the order of the items that stay. */
  #wasSorted(byNow: readonly Merged[], byOld: readonly Merged[]): boolean {
    const { toNext, appliedNodes } = this.#versions
    const places = new Map(appliedNodes.map((node, at) => [node, at]))
    const applied = ({ next }: Merged) => next && toNext.oldOf.get(next)
    const kept = byNow.filter((item) => item.old !== undefined && applied(item) !== undefined)
    const order = kept.toSorted((a, b) => place(places, applied(a)) - place(places, applied(b)))
    return !isDeepStrictEqual(
      order,
      byOld.filter((item) => kept.includes(item)),
    )
  }

  #report({ item }: TreeNode): void {
    this.conflicts.add(String(item.display_name))
  }
}

function place(places: ReadonlyMap<TreeNode, number>, node: TreeNode | undefined): number {
  return node === undefined ? -1 : (places.get(node) ?? -1)
}

/** Inserts those of a list that another one does not have, each after the one before it. */
function insertAfter(base: readonly Merged[], others: readonly Merged[]): Merged[] {
  const sorted = [...base]
  let at = 0
  for (const item of others) {
    const there = sorted.indexOf(item)
    if (there >= 0) at = there + 1
    else {
      sorted.splice(at, 0, item)
      at += 1
    }
  }
  return sorted
}

function ownFields({ item }: TreeNode): ItemFields {
  const { children, ...rest } = item
  return rest
}
