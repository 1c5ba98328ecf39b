import type { Cls } from '../contract/registry.ts'
import type { Issue } from '../core/issue.ts'
import { type Block, blockIssue, placeOf } from './manifest_block.ts'

/** All blocks of a manifest, by key. */
export interface BlockTree {
  /** The first block of each key. */
  readonly blocks: ReadonlyMap<string, Block>
  /**
   * Whether all files could be read. Where not, what a block names may stand in a file that could not, and is not
   * called missing.
   */
  readonly complete: boolean
}

/** Puts the blocks of all files together; reports keys that are used twice. */
export function gatherBlocks(all: readonly Block[]): {
  readonly blocks: ReadonlyMap<string, Block>
  readonly issues: readonly Issue[]
} {
  const blocks = new Map<string, Block>()
  const issues: Issue[] = []
  for (const block of all) {
    const first = blocks.get(block.key)
    if (first === undefined) blocks.set(block.key, block)
    else issues.push(duplicateKey(block, first))
  }
  return { blocks, issues }
}

function duplicateKey(block: Block, first: Block): Issue {
  return blockIssue(block, {
    code: 'manifest/duplicate-key',
    pointer: '',
    message: `this key is used twice, first in ${placeOf(first)}`,
    hint: 'keys are unique over all files: choose another one here or there',
    at: 'key',
  })
}

/** Gives the class of a resource, if it is known. The root of every server is a resource group. */
export function clsOf(block: Block): Cls | undefined {
  return block.cls ?? (block.existing && block.value.id === 0 ? 'resource_group' : undefined)
}

/**
 * Gives the blocks in the order manifests keep them: each behind its parent, siblings by key. Blocks whose parents
 * form a ring are in none of the branches and come out as `rings`, one list a ring.
 */
export function orderBlocks(blocks: ReadonlyMap<string, Block>): {
  readonly ordered: readonly Block[]
  readonly rings: readonly (readonly Block[])[]
} {
  const children = groupByParent(blocks)
  const ordered: Block[] = []
  const stack = [...(children.get(undefined) ?? [])].reverse()
  for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
    ordered.push(block)
    stack.push(...[...(children.get(block.key) ?? [])].reverse())
  }
  const rest = new Set(blocks.values())
  for (const block of ordered) rest.delete(block)
  return { ordered, rings: findRings(rest, blocks) }
}

/** Children by key of their parent, each list by key; `undefined` holds those whose parent is no block. */
function groupByParent(blocks: ReadonlyMap<string, Block>): Map<string | undefined, Block[]> {
  const children = new Map<string | undefined, Block[]>()
  const sorted = [...blocks.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const block of sorted) {
    const parent = block.parent !== undefined && blocks.has(block.parent) ? block.parent : undefined
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [block])
    else siblings.push(block)
  }
  return children
}

function findRings(rest: ReadonlySet<Block>, blocks: ReadonlyMap<string, Block>): Block[][] {
  const seen = new Set<Block>()
  const rings: Block[][] = []
  for (const start of rest) {
    const path: Block[] = []
    for (let at: Block | undefined = start; at && !seen.has(at); at = blocks.get(at.parent ?? '')) {
      seen.add(at)
      path.push(at)
    }
    const ring = path.slice(path.findIndex(({ key }) => key === path.at(-1)?.parent))
    if (path.some(({ key }) => key === path.at(-1)?.parent)) rings.push(ring)
  }
  return rings
}
