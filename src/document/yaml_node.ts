import type { Range } from './line_starts.ts'

/** A YAML scalar. */
export type Scalar = string | number | boolean | null

/**
 * A value of a YAML file with its position. For an alias (`*name`), the range is that of the alias; the content,
 * including the ranges of its parts, is that of the anchor.
 */
export interface Node extends Range {
  /** Range of the key in front of it; both -1 for items of lists and for the root. */
  readonly keyStart: number
  readonly keyEnd: number
  readonly content: Scalar | Members | readonly Node[]
}

/** Members of a map, in file order. */
export type Members = ReadonlyMap<string, Node>

/** Reports whether the content is a map. */
export function isMembers(content: Node['content']): content is Members {
  return content instanceof Map
}

/** Reports whether the content is a list. */
export function isItems(content: Node['content']): content is readonly Node[] {
  return Array.isArray(content)
}

/** Returns the plain value of a node, as `JSON.parse` would. A key `__proto__` becomes an own property. */
export function toValue(node: Node): unknown {
  const { content } = node
  if (isItems(content)) return content.map(toValue)
  if (!isMembers(content)) return content
  const value: Record<string, unknown> = {}
  for (const [key, member] of content) setOwn(value, key, toValue(member))
  return value
}

/** Sets an own property of any name, including `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Finds a direct child of a node by key or index. */
export function findPart(node: Node, token: string): Node | undefined {
  const { content } = node
  if (isMembers(content)) return content.get(token)
  return isItems(content) && /^\d+$/.test(token) ? content[Number(token)] : undefined
}
