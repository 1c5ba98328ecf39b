import type { Cls } from '../contract/registry.ts'
import type { Issue } from '../core/issue.ts'
import { type Block, blockIssue, type PlacedBlock, placeOf } from './manifest_block.ts'

/** All blocks of a manifest, by key. */
export interface BlockTree {
  /** The first block of each key. */
  readonly blocks: ReadonlyMap<string, Block>
  /** Whether all files could be read. If not, unknown keys are not reported: an unread file may define them. */
  readonly complete: boolean
}

/** Collects the blocks of all files by key, with an issue for each duplicate key. */
export function gatherBlocks<B extends PlacedBlock>(
  all: readonly B[],
): {
  readonly blocks: ReadonlyMap<string, B>
  readonly issues: readonly Issue[]
} {
  const blocks = new Map<string, B>()
  const issues: Issue[] = []
  for (const block of all) {
    const first = blocks.get(block.key)
    if (first === undefined) blocks.set(block.key, block)
    else issues.push(duplicateKey(block, first))
  }
  return { blocks, issues }
}

function duplicateKey(block: PlacedBlock, first: PlacedBlock): Issue {
  return blockIssue(block, {
    code: 'manifest/duplicate-key',
    pointer: '',
    message: `duplicate key, first used in ${placeOf(first)}`,
    hint: 'keys are unique across all files: choose another key',
    at: 'key',
  })
}

/** Returns the class of a block, if known. Resource 0 of every server is a resource group. */
export function clsOf(block: Block): Cls | undefined {
  return block.cls ?? (block.existing && block.value.id === 0 ? 'resource_group' : undefined)
}

/**
 * Sorts blocks: parents before children, siblings by key. Blocks in a cycle of parents are returned as `cycles`, one
 * list per cycle.
 */
export function orderBlocks(blocks: ReadonlyMap<string, Block>): {
  readonly ordered: readonly Block[]
  readonly cycles: readonly (readonly Block[])[]
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
  return { ordered, cycles: findCycles(rest, blocks) }
}

/** Groups blocks by the key of their parent, sorted by key; `undefined` holds blocks whose parent is not in the manifest. */
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

function findCycles(rest: ReadonlySet<Block>, blocks: ReadonlyMap<string, Block>): Block[][] {
  const seen = new Set<Block>()
  const cycles: Block[][] = []
  for (const start of rest) {
    const path: Block[] = []
    for (let at: Block | undefined = start; at && !seen.has(at); at = blocks.get(at.parent ?? '')) {
      seen.add(at)
      path.push(at)
    }
    const cycle = path.slice(path.findIndex(({ key }) => key === path.at(-1)?.parent))
    if (path.some(({ key }) => key === path.at(-1)?.parent)) cycles.push(cycle)
  }
  return cycles
}
