import { descriptorOf } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import { canonical, toWire } from '../model/value_equality.ts'

const webmapFields = descriptorOf('webmap').members.webmap?.properties as Readonly<Record<string, Schema>>
const rootSchema = webmapFields.root_item ?? {}

/** Returns the items at the top of the layer tree of a web map on the server, in canonical form. */
export function readLayerTree({ members }: Pick<ActualResource, 'members'>): readonly unknown[] {
  return itemsOf(canonical(rootSchema, members.webmap?.root_item ?? null))
}

/**
 * Returns the items of a layer tree that an apply set, in the same form: keys of styles become ids, as far as the styles
 * exist.
 */
export function readAppliedTree(
  root: unknown,
  { byKeyname }: Pick<ActualTree, 'byKeyname'>,
): readonly unknown[] {
  return itemsOf(toWire(rootSchema, canonical(rootSchema, root), (name) => byKeyname.get(name)?.id))
}

const itemsOf = (root: unknown): readonly unknown[] =>
  (root as { readonly children?: readonly unknown[] } | null | undefined)?.children ?? []

/** Returns the members of a web map with other items at the top of its layer tree. */
export function withItems(members: ActualResource['members'], children: readonly unknown[]) {
  const root = { ...(members.webmap?.root_item as object | undefined), item_type: 'root', children }
  return { ...members, webmap: { ...members.webmap, root_item: root } }
}
