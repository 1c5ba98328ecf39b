import { type Node, type Scalar, setOwn } from '../node.ts'

/** A key, and where it stands. */
export interface Key {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** What the reader makes of what it reads. Offsets are those of the first character, and behind the last one. */
export interface Maker<V> {
  scalar(content: Scalar, start: number, end: number): V
  list(items: V[], start: number, end: number): V
  /** Begins a map, without members. */
  map(start: number): V
  /** Adds a member; false where the key is there already. */
  add(map: V, key: Key, member: V): boolean
  /** Ends a map. */
  close(map: V, end: number): void
}

/** A node that still gets its key, or its end. */
type Draft = { -readonly [Member in keyof Node]: Node[Member] }

function draft(content: Node['content'], start: number, end: number): Draft {
  return { start, end, keyStart: -1, keyEnd: -1, content }
}

/** Makes nodes: values with their places. */
export const nodeMaker: Maker<Node> = {
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

/** Makes plain values, as `toValue` makes them of nodes. */
export const valueMaker: Maker<unknown> = {
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
