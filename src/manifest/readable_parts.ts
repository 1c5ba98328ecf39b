import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer, splitPointer } from '../core/pointer.ts'
import type { BlockTree } from './block_tree.ts'
import type { WantedPrincipal, WantedResource } from './manifest.ts'
import type { PlacedBlock } from './manifest_block.ts'
import type { PrincipalBlocks } from './principals/check_principals.ts'
import { wantedPrincipal } from './principals/wanted_principals.ts'
import { wantedOfBlock } from './wanted_block.ts'

/** Resources and users whose data sources and passwords can be read, although the manifest may have errors. */
export interface ReadableParts {
  readonly resources: ReadonlyMap<string, WantedResource>
  readonly users: ReadonlyMap<string, WantedPrincipal>
}

/** Fields of a block without which its data source cannot be read as the manifest means it. */
const sourceFields = ['cls', 'existing', 'data', 'features', 'feature_layer', 'vector_layer']

/**
 * Returns the parts of a manifest with errors that can still be read: fields with errors are left out, and so are resources whose
 * data source they concern.
 */
export function readableParts(
  { blocks, principals }: Pick<BlockTree, 'blocks'> & { readonly principals: PrincipalBlocks },
  issues: readonly Issue[],
): ReadableParts {
  const faulty = findFaultyFields(issues)
  const resources = [...blocks.values()].flatMap((block) => {
    const names = faulty.get(block.pointer)
    if (sourceFields.some((name) => names?.has(name))) return []
    return [wantedOfBlock(withoutFields(block, names), blocks)]
  })
  const users = [...principals.user.values()].map((block) =>
    wantedPrincipal(withoutFields(block, faulty.get(block.pointer))),
  )
  return { resources: byKey(resources), users: byKey(users) }
}

const byKey = <T extends { readonly key: string }>(parts: readonly T[]): ReadonlyMap<string, T> =>
  new Map(parts.map((part) => [part.key, part]))

/** Fields with errors by the pointer of their block, and of every other map and list. Blocks of all files count as one. */
function findFaultyFields(issues: readonly Issue[]): ReadonlyMap<Pointer, ReadonlySet<string>> {
  const fields = new Map<Pointer, Set<string>>()
  for (const { severity, pointer = '' } of issues) {
    if (severity !== 'error') continue
    let base = ''
    for (const token of splitPointer(pointer)) {
      const names = fields.get(base) ?? new Set()
      fields.set(base, names.add(token))
      base = joinPointer(base, token)
    }
  }
  return fields
}

function withoutFields<B extends PlacedBlock>(block: B, names: ReadonlySet<string> | undefined): B {
  if (names === undefined) return block
  const kept = Object.entries(block.value).filter(([name]) => !names.has(name))
  return { ...block, value: Object.fromEntries(kept) }
}
