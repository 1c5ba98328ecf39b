import { clsNames, descriptorOf } from '../contract/registry.ts'
import { listSecrets, type Schema } from '../contract/schema.ts'
import { joinPointer, type Pointer, splitPointer } from '../core/pointer.ts'
import type { YamlDocument } from '../document/yaml_document.ts'
import { isItems, isMembers, type Node } from '../document/yaml_node.ts'

/** Names of the fields whose values are never shown. */
export const secretNames: ReadonlySet<string> = new Set(
  clsNames.flatMap((cls) =>
    Object.values(descriptorOf(cls).members).flatMap((member) => listSecrets(member as Schema)),
  ),
)

/** What stands in the place of a secret. */
const hidden = '(secret)'

/**
 * Gives what a message may show of a value: the expression instead of what a variable gave, and no secrets. `pointer`
 * is that of the value in its document.
 */
export function maskValue(
  value: unknown,
  pointer: Pointer,
  expressions: ReadonlyMap<Pointer, string>,
): unknown {
  if (secretNames.has(splitPointer(pointer).at(-1) ?? '')) return hidden
  const expression = expressions.get(pointer)
  if (expression !== undefined) return expression
  if (Array.isArray(value))
    return value.map((item, index) => maskValue(item, joinPointer(pointer, index), expressions))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    maskValue(member, joinPointer(pointer, name), expressions),
  ])
  return Object.fromEntries(members)
}

/** Gives the text of a file with every secret in it blotted out, character by character, for excerpts. */
export function blotSecrets(text: string, documents: readonly YamlDocument[]): string {
  if (![...secretNames].some((name) => text.includes(name))) return text
  const ranges = documents.flatMap(({ root }) => [...secretNodes(root)])
  let blotted = text
  for (const { start, end } of ranges) {
    const secret = blotted.slice(start, end)
    if (!isVariable(secret))
      blotted = blotted.slice(0, start) + secret.replaceAll(/\S/g, '*') + blotted.slice(end)
  }
  return blotted
}

/** A variable without a default gives nothing away. */
function isVariable(source: string): boolean {
  return /^["']?\$\{env\.\w+\}["']?$/.test(source)
}

function* secretNodes({ content }: Node): Generator<Node> {
  if (isItems(content)) for (const item of content) yield* secretNodes(item)
  if (!isMembers(content)) return
  for (const [name, member] of content) {
    if (secretNames.has(name)) yield member
    yield* secretNodes(member)
  }
}
