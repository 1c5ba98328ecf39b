import {
  findAtPointer,
  joinPointer,
  type Pointer,
  parentPointer,
  splitPointer,
} from '../../../src/core/pointer.ts'
import type { Block } from './literals.ts'
import { clsOfKey, listUses, targetBlocks, type Use } from './reference_world.ts'
import type { Blocks } from './sandbox.ts'

/** Blocks with one reference changed; `use` is absent if no other resource may stand there. */
export interface EditedBlocks {
  readonly blocks: Record<string, Block>
  readonly use?: Use
}

/** Lets one reference name another resource. Each place of the contract is as likely as any other. */
export function editUse(
  blocks: Blocks,
  { place, to }: { readonly place: number; readonly to: number },
): EditedBlocks {
  const bySite = [...Map.groupBy(listUses(blocks), ({ site }) => site).values()]
  const uses = bySite[place % bySite.length] ?? []
  const use = uses[to % Math.max(1, uses.length)]
  const others = Object.keys(blocks).filter(
    (key) => key !== use?.to && use?.site.target.classes.includes(clsOfKeyOrNone(key)),
  )
  const next = others[to % Math.max(1, others.length)]
  if (use === undefined || next === undefined) return { blocks: { ...blocks } }
  const block = structuredClone(blocks[use.from] ?? {})
  setReference(block.members ?? {}, use, next)
  return { blocks: { ...blocks, [use.from]: block }, use }
}

const clsOfKeyOrNone = (key: string) => (Object.hasOwn(targetBlocks(), key) ? clsOfKey(key) : '')

/** Sets a reference; if another item of its list has the same already, the two are exchanged. */
function setReference(members: object, { pointer, to }: Use, next: string): void {
  const name = splitPointer(pointer).at(-1) ?? ''
  const list = findAtPointer(members, parentPointer(parentPointer(pointer)))
  for (const item of Array.isArray(list) ? (list as Record<string, unknown>[]) : [])
    if (item[name] === next) item[name] = to
  setAt(members, pointer, next)
}

function setAt(members: object, pointer: Pointer, value: unknown): void {
  const parent = findAtPointer(members, parentPointer(pointer)) as Record<string, unknown>
  parent[splitPointer(pointer).at(-1) ?? ''] = value
}

/** Blocks of which some have other keys and names than before. */
export interface RenamedBlocks {
  readonly blocks: Record<string, Block>
  /** New keys by the first ones. */
  readonly keys: ReadonlyMap<string, string>
}

/** Gives resources other keys and names, in their blocks and in all references to them. */
export function renameKeys(
  blocks: Blocks,
  { keys, renamed }: { readonly keys: ReadonlyMap<string, string>; readonly renamed: readonly string[] },
): RenamedBlocks {
  const next = new Map(keys)
  for (const key of renamed) next.set(key, `${keys.get(key) ?? key}~`)
  const named = Object.entries(blocks).map(([key, block]): [string, Block] => {
    const suffix = (next.get(key) ?? key).slice(key.length)
    const displayName = `${block.displayName}${suffix}`
    const was = renamed.includes(key) ? { was: `was:${keys.get(key) ?? key}` } : {}
    return [key, suffix === '' ? block : { ...block, displayName, ...was }]
  })
  let text = JSON.stringify(Object.fromEntries(named))
  for (const [key, other] of next) text = text.replaceAll(JSON.stringify(key), JSON.stringify(other))
  return { blocks: JSON.parse(text.replaceAll('"was:', '"')) as Record<string, Block>, keys: next }
}

/** Pointer of the field of a resource that holds a reference: its member and the first field there. */
export const fieldOf = ({ pointer }: Use): Pointer => joinPointer('', ...splitPointer(pointer).slice(0, 2))
