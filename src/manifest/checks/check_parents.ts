import { descriptorOf, isAllowedParent } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import { type BlockTree, clsOf } from '../block_tree.ts'
import { type Block, blockIssue, formatClasses, placeOf } from '../manifest_block.ts'

/** Checks that each resource of our own has a parent that is there and that takes its class. */
export function checkParents({ blocks, complete }: BlockTree): Issue[] {
  return [...blocks.values()].flatMap((block) => {
    if (block.parent === undefined) return block.existing ? [] : [withoutParent(block)]
    const parent = blocks.get(block.parent)
    if (parent === undefined) return complete ? [unknownParent(block, [...blocks.keys()])] : []
    return checkParentClass(block, parent)
  })
}

function withoutParent(block: Block): Issue {
  return blockIssue(block, {
    code: 'manifest/unknown-parent',
    pointer: '',
    message: 'it has no parent',
    hint: 'nest it under children: of another resource, or name one with parent:; the top of a server is root: { existing: true, id: 0 }',
    at: 'key',
  })
}

function unknownParent(block: Block, keys: readonly string[]): Issue {
  const parent = block.parent ?? ''
  return blockIssue(block, {
    code: 'manifest/unknown-reference',
    pointer: '/parent',
    message: `there is no resource ${JSON.stringify(parent)}`,
    hint:
      findHint(parent, keys) ??
      'name a key of this manifest; declare a resource of others with existing: true',
  })
}

function checkParentClass(block: Block, parent: Block): Issue[] {
  const cls = block.cls
  const parentCls = clsOf(parent)
  if (cls === undefined || parentCls === undefined || isAllowedParent(cls, parentCls)) return []
  const { parents } = descriptorOf(cls)
  return [
    blockIssue(block, {
      code: 'manifest/wrong-parent',
      pointer: block.value.parent === undefined ? '' : '/parent',
      message: `class ${cls} cannot stand under ${JSON.stringify(parent.key)}, which is a ${parentCls}`,
      hint: `put it under a resource of class ${formatClasses(parents)}`,
      at: block.value.parent === undefined ? 'key' : 'value',
    }),
  ]
}

/** Reports parents that form a ring, once a ring, at its first block. */
export function checkRings(rings: readonly (readonly Block[])[]): Issue[] {
  return rings.flatMap((ring) => {
    const [first] = ring
    if (first === undefined) return []
    const path = [...ring.map(({ key }) => key), first.key].join(' is under ')
    const others = ring.slice(1).map((block) => `${block.key}: ${placeOf(block)}`)
    return blockIssue(first, {
      code: 'manifest/cycle',
      pointer: '/parent',
      message: ring.length === 1 ? 'it is its own parent' : `the parents form a ring: ${path}`,
      ...(others.length > 0 ? { hint: others.join(', ') } : {}),
    })
  })
}

/** Checks that siblings have different display names. */
export function checkNames({ blocks }: BlockTree): Issue[] {
  const seen = new Map<string, Block>()
  return [...blocks.values()].flatMap((block) => {
    const name = block.value.display_name
    if (typeof name !== 'string' || block.parent === undefined) return []
    const place = JSON.stringify([block.parent, name])
    const first = seen.get(place)
    if (first === undefined) {
      seen.set(place, block)
      return []
    }
    return [
      blockIssue(block, {
        code: 'manifest/duplicate-name',
        pointer: '/display_name',
        message: `its sibling ${JSON.stringify(first.key)} has the same display name, in ${placeOf(first)}`,
        hint: 'give one of them another name',
      }),
    ]
  })
}
