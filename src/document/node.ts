import type { Range } from './lines.ts'

/** A value without parts. */
export type Scalar = string | number | boolean | null

/**
 * A value of a YAML file with the place it is written at. Where the file says `*name`, the range is that of the alias
 * and the content that of the anchor, parts and their ranges included.
 */
export interface Node extends Range {
  /** Range of the key in front of it; both -1 for items of lists and for the root. */
  readonly keyStart: number
  readonly keyEnd: number
  readonly content: Scalar | Members | readonly Node[]
}

/** Members of a map, in the order they are written. */
export type Members = ReadonlyMap<string, Node>

/** Tells whether a content is that of a map. */
export function isMembers(content: Node['content']): content is Members {
  return content instanceof Map
}

/** Tells whether a content is that of a list. */
export function isItems(content: Node['content']): content is readonly Node[] {
  return Array.isArray(content)
}

/** Gives the plain value of a node: what `JSON.parse` would give. A key `__proto__` is a key like any other. */
export function toValue(node: Node): unknown {
  const { content } = node
  if (isItems(content)) return content.map(toValue)
  if (!isMembers(content)) return content
  const value: Record<string, unknown> = {}
  for (const [key, member] of content) setOwn(value, key, toValue(member))
  return value
}

/** Sets a member, whatever its name is. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Finds a direct part of a node by its key or index. */
export function findPart(node: Node, token: string): Node | undefined {
  const { content } = node
  if (isMembers(content)) return content.get(token)
  return isItems(content) && /^\d+$/.test(token) ? content[Number(token)] : undefined
}
