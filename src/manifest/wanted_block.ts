import { findFieldCheck } from './checks/check_style.ts'
import type { WantedResource } from './manifest.ts'
import { type Block, spanOfBlock } from './manifest_block.ts'
import { wantedResource } from './wanted_resource.ts'

/** Returns the desired state that a valid block describes, with the check of the fields that its style reads. */
export function wantedOfBlock(block: Block, blocks: ReadonlyMap<string, Block>): WantedResource {
  const wanted = wantedResource(block, { folder: block.source.folder, spanOf: spanOfBlock(block) })
  const checkFields = findFieldCheck(block, blocks)
  return checkFields === undefined ? wanted : { ...wanted, checkFields }
}
