import { type Node, type Scalar, setOwn } from '../yaml_node.ts'

/** A key and its range. */
export interface Key {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Builds the result of a read. `end` is the offset after the last character. */
export interface TreeBuilder<V> {
  scalar(content: Scalar, start: number, end: number): V
  list(items: V[], start: number, end: number): V
  /** Starts an empty map. */
  map(start: number): V
  /** Adds a member; returns false if the key exists. */
  add(map: V, key: Key, member: V): boolean
  /** Ends a map. */
  close(map: V, end: number): void
}

/** A node whose key and end are set later. */
type Draft = { -readonly [Member in keyof Node]: Node[Member] }

function draft(content: Node['content'], start: number, end: number): Draft {
  return { start, end, keyStart: -1, keyEnd: -1, content }
}

/** Builds nodes: values with positions. */
export const nodeBuilder: TreeBuilder<Node> = {
  scalar: draft,
  list: draft,
  map: (start) => draft(new Map(), start, start),
  add({ content }, key, member) {
    const members = content as Map<string, Node>
    if (members.has(key.name)) return false
    const node: Draft = member
    node.keyStart = key.start
    node.keyEnd = key.end
    members.set(key.name, node)
    return true
  },
  close(map, end) {
    const node: Draft = map
    node.end = end
  },
}

/** Builds plain values, equal to `toValue` of the nodes. */
export const valueBuilder: TreeBuilder<unknown> = {
  scalar: (content) => content,
  list: (items) => items,
  map: () => ({}),
  add(map, { name }, member) {
    const value = map as Record<string, unknown>
    if (Object.hasOwn(value, name)) return false
    setOwn(value, name, member)
    return true
  },
  close() {},
}
