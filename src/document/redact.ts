import { isSecretName, secretNames } from '../contract/secrets.ts'
import { joinPointer, type Pointer, splitPointer } from '../core/pointer.ts'
import { isItems, isMembers, type Node, type YamlDocument } from './yaml_node.ts'

/** Replacement of a secret. */
const hidden = '(secret)'

/**
 * Returns a value for a message: expressions instead of the values of variables, and no secrets. `pointer` is that of
 * the value in its document.
 */
export function redactValue(
  value: unknown,
  pointer: Pointer,
  expressions: ReadonlyMap<Pointer, string>,
): unknown {
  if (isSecretName(splitPointer(pointer).at(-1) ?? '')) return hidden
  const expression = expressions.get(pointer)
  if (expression !== undefined) return expression
  if (Array.isArray(value))
    return value.map((item, index) => redactValue(item, joinPointer(pointer, index), expressions))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    redactValue(member, joinPointer(pointer, name), expressions),
  ])
  return Object.fromEntries(members)
}

/** Redacts the secrets in the text of a file, character by character, so that excerpts keep their positions. */
export function redactText(text: string, documents: readonly YamlDocument[]): string {
  if (![...secretNames()].some((name) => text.includes(name))) return text
  const ranges = documents.flatMap(({ root }) => [...secretNodes(root)])
  let redacted = text
  for (const { start, end } of ranges) {
    const secret = redacted.slice(start, end)
    if (!isReference(secret))
      redacted = redacted.slice(0, start) + secret.replaceAll(/\S/g, '*') + redacted.slice(end)
  }
  return redacted
}

/** Tells whether an expression is a variable without a default or a file, whose source contains no secret. */
function isReference(source: string): boolean {
  return /^["']?\$\{(?:(?:env|param)\.\w+|file:[^{}]*)\}["']?$/.test(source)
}

/** Members that name where a secret is. Arguments of a command may be secrets. */
const sources: ReadonlySet<string> = new Set(['env', 'file'])

function* secretNodes({ content }: Node): Generator<Node> {
  if (isItems(content)) for (const item of content) yield* secretNodes(item)
  if (!isMembers(content)) return
  for (const [name, member] of content) {
    if (isSecretName(name)) yield* literalNodes(member)
    yield* secretNodes(member)
  }
}

/** Finds the values in a secret that are not the name of its source. */
function* literalNodes(node: Node): Generator<Node> {
  const { content } = node
  if (!isMembers(content)) {
    yield node
    return
  }
  const isSource = content.size === 1
  for (const [name, member] of content) {
    if (name === 'command' && isSource && isItems(member.content)) yield* [...member.content].slice(1)
    else if (!(isSource && sources.has(name))) yield* literalNodes(member)
  }
}
