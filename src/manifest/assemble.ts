import { hasErrors, type Issue } from '../core/issue.ts'
import { gatherBlocks, orderBlocks } from './block_tree.ts'
import { type RecordBlock, readRecords } from './catalog/record_block.ts'
import { gatherRecords, wantedCatalog } from './catalog/wanted_catalog.ts'
import { checkContent } from './checks/check_content.ts'
import { checkDataKey } from './checks/check_data_key.ts'
import { checkFormerFields } from './checks/check_former_fields.ts'
import { checkIdentity, checkManifestIds, checkTopLevel } from './checks/check_identity.ts'
import { checkLayer } from './checks/check_layer.ts'
import { checkCycles, checkNames, checkParents } from './checks/check_parents.ts'
import { checkStyle } from './checks/check_style.ts'
import { checkUnmanaged } from './checks/check_unmanaged.ts'
import { type DataFile, listDataFiles } from './data_files.ts'
import { namesFiles } from './files/expand_files.ts'
import type { Manifest } from './manifest.ts'
import type { Block } from './manifest_block.ts'
import type { PrincipalBlocks } from './principals/check_principals.ts'
import { readPrincipalBlocks } from './principals/principal_block.ts'
import { gatherPrincipals, wantedPrincipals } from './principals/wanted_principals.ts'
import { readBlocks } from './read_blocks.ts'
import { checkReferences } from './references.ts'
import type { ManifestSource } from './resolve_source.ts'
import { wantedOfBlock } from './wanted_block.ts'

/** A manifest assembled from its files, with the issues found. */
export interface Assembled {
  /** Absent if an issue is an error. */
  readonly manifest?: Manifest
  readonly issues: readonly Issue[]
  /** Files named by `data:`, also of blocks with errors. */
  readonly dataFiles: readonly DataFile[]
  /** Blocks that name files, also with errors. */
  readonly fileBlocks: readonly Block[]
  /** Icons, whose images are files, also with errors. */
  readonly icons: readonly RecordBlock[]
  /** Resources by key, also with errors. */
  readonly blocks: ReadonlyMap<string, Block>
  /** Users and groups, also with errors. */
  readonly principals: PrincipalBlocks
}

/**
 * Assembles a manifest from its files and checks the result. Pure; independent of the order of files and keys.
 * `complete` is false if a file of the manifest could not be read.
 */
export function assembleManifest(sources: readonly ManifestSource[], complete: boolean): Assembled {
  const read = sources.map(readBlocks)
  const written = sources.filter(({ use }) => use === undefined)
  const all = read.flatMap(({ blocks }) => blocks)
  const { blocks, issues: duplicates } = gatherBlocks(all)
  const { ordered, cycles } = orderBlocks(blocks)
  const tree = { blocks, complete }
  const records = sources.map(readRecords)
  const catalog = gatherRecords(records, complete)
  const accounts = gatherPrincipals(sources.map(readPrincipalBlocks))
  const issues = [
    ...written.flatMap(checkTopLevel),
    ...checkManifestIds(written),
    ...read.flatMap((one) => one.issues),
    ...duplicates,
    ...all.flatMap((block) => [
      ...checkContent(block),
      ...checkLayer(block),
      ...checkFormerFields(block),
      ...checkDataKey(block),
      ...checkUnmanaged(block),
      ...checkStyle(block, blocks),
    ]),
    ...checkIdentity(tree),
    ...checkParents(tree),
    ...checkCycles(cycles),
    ...checkNames(tree),
    ...checkReferences(tree),
    ...catalog.issues,
    ...accounts.issues,
  ]
  const parts = {
    dataFiles: all.flatMap(listDataFiles),
    fileBlocks: all.filter(namesFiles),
    icons: records.flatMap((one) => one.blocks).filter(({ kind }) => kind === 'icon'),
    blocks,
    principals: accounts.principals,
  }
  if (!complete || hasErrors(issues)) return { issues, ...parts }
  const id = String((sources[0]?.value as { manifest?: unknown } | undefined)?.manifest)
  const resources = new Map(ordered.map((block) => [block.key, wantedOfBlock(block, blocks)]))
  const wanted = wantedCatalog(catalog.records, sources)
  const principals = wantedPrincipals(accounts.principals, sources)
  const manifest = {
    id,
    resources,
    ...(wanted === undefined ? {} : { catalog: wanted }),
    ...(principals === undefined ? {} : { principals }),
  }
  return { manifest, issues, ...parts }
}
