import { descriptorOf } from '../contract/registry.ts'
import { type FoundReference, findReferences } from '../contract/schema/references.ts'
import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { findHint } from '../core/suggest.ts'
import { type BlockTree, clsOf } from './block_tree.ts'
import type { WantedResource } from './manifest.ts'
import { type Block, blockIssue, formatClasses } from './manifest_block.ts'
import { showAt } from './resolve_source.ts'
import { mentionsWord } from './validators.ts'

/** A reference in the block of a resource, with its allowed targets. */
export interface WantedReference extends FoundReference {
  /** Key of a resource of the manifest; absent for `{id}` and principals. */
  readonly key?: string
}

/** Lists the references in the members of a resource. Pointers are relative to its block. */
export function listReferences(resource: Pick<WantedResource, 'cls' | 'members'>): WantedReference[] {
  const { cls, members } = resource
  if (cls === undefined) return []
  const { members: schemas } = descriptorOf(cls)
  const references: WantedReference[] = []
  for (const [name, schema] of Object.entries(schemas)) {
    const value = (members as Readonly<Record<string, unknown>>)[name]
    if (value === undefined || !mentionsWord(schema, 'x-ref')) continue
    for (const found of findReferences(schema, value)) references.push(withKey(found, name))
  }
  return references
}

function withKey({ target, value, pointer }: FoundReference, member: string): WantedReference {
  const found = { target, value, pointer: joinPointer('', member) + pointer }
  return target !== 'principal' && typeof value === 'string' ? { ...found, key: value } : found
}

/** Checks that every reference names a resource of the manifest with an allowed class. */
export function checkReferences(tree: BlockTree): Issue[] {
  return [...tree.blocks.values()].flatMap((block) => {
    const members = block.value as WantedResource['members']
    const { cls } = block
    if (cls === undefined) return []
    return listReferences({ cls, members }).flatMap((found) => checkReference(tree, block, found))
  })
}

function checkReference({ blocks, complete }: BlockTree, block: Block, found: WantedReference): Issue[] {
  const { key, target, pointer } = found
  if (key === undefined || target === 'principal') return []
  const named = blocks.get(key)
  if (named === undefined) return complete ? [unknownReference(block, { ...found, key }, blocks)] : []
  const cls = clsOf(named)
  if (cls === undefined || target.classes.includes(cls) || target.classes.includes('*')) return []
  return [
    blockIssue(block, {
      code: 'manifest/wrong-reference',
      pointer,
      message: `${shown(block, pointer)} is a ${cls}, not a ${formatClasses(target.classes)}`,
      hint:
        childHint(blocks, key, target.classes) ?? `use a resource of class ${formatClasses(target.classes)}`,
    }),
  ]
}

function shown(block: Block, pointer: Pointer): string {
  return showAt(block.source, block.pointer + pointer)
}

function unknownReference(
  block: Block,
  { key, pointer }: WantedReference & { readonly key: string },
  blocks: ReadonlyMap<string, Block>,
): Issue {
  const isExpression = block.source.expressions.has(block.pointer + pointer)
  const near = isExpression ? undefined : findHint(key, [...blocks.keys()])
  return blockIssue(block, {
    code: 'manifest/unknown-reference',
    pointer,
    message: `unknown resource ${shown(block, pointer)}`,
    hint: near ?? 'use a key of this manifest; declare unmanaged resources with existing: true',
  })
}

/** Suggests a child of an allowed class, such as the style of a layer. */
function childHint(
  blocks: ReadonlyMap<string, Block>,
  key: string,
  classes: readonly string[],
): string | undefined {
  const child = [...blocks.values()].find(
    ({ parent, cls }) => parent === key && cls !== undefined && classes.includes(cls),
  )
  return child === undefined ? undefined : `did you mean its child "${child.key}"?`
}
