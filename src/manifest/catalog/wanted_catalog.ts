import type { Issue } from '../../core/issue.ts'
import { gatherBlocks } from '../block_tree.ts'
import type { WantedCatalog, WantedRecord } from '../manifest.ts'
import { spanOfBlock } from '../manifest_block.ts'
import type { ManifestSource } from '../resolve_source.ts'
import { writeBoundary } from './boundary_field.ts'
import { checkRecordContent, checkRecords, type RecordBlocks } from './check_records.ts'
import { resolveImage } from './icon_files.ts'
import { type ReadRecords, type RecordBlock, sectionOf } from './record_block.ts'

/** The records of all files, by kind and key, with all issues. */
export interface GatheredRecords {
  readonly records: RecordBlocks
  readonly issues: readonly Issue[]
}

/** Gathers and checks the records of all files. `complete` is false if a file could not be read. */
export function gatherRecords(read: readonly ReadRecords[], complete: boolean): GatheredRecords {
  const all = read.flatMap(({ blocks }) => blocks)
  const icons = gatherBlocks(all.filter(({ kind }) => kind === 'icon'))
  const geoservices = gatherBlocks(all.filter(({ kind }) => kind === 'geoservice'))
  const records: RecordBlocks = { icon: icons.blocks, geoservice: geoservices.blocks }
  const issues = [
    ...read.flatMap((one) => one.issues),
    ...icons.issues,
    ...geoservices.issues,
    ...all.flatMap(checkRecordContent),
    ...checkRecords(records, complete),
  ]
  return { records, issues }
}

/** Converts blocks without errors to the desired state of the catalog; undefined if no file has a section for them. */
export function wantedCatalog(
  { icon, geoservice }: RecordBlocks,
  sources: readonly ManifestSource[],
): WantedCatalog | undefined {
  if (!sources.some(({ value }) => sections.some((name) => Object.hasOwn(value as object, name))))
    return undefined
  return { icon: wantedRecords(icon), geoservice: wantedRecords(geoservice) }
}

const sections = Object.values(sectionOf)

function wantedRecords(blocks: ReadonlyMap<string, RecordBlock>): ReadonlyMap<string, WantedRecord> {
  const sorted = [...blocks.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  return new Map(sorted.map((block) => [block.key, wantedRecord(block)]))
}

function wantedRecord(block: RecordBlock): WantedRecord {
  const { was, image: _, boundary, guid, ...members } = block.value
  return {
    key: block.key,
    kind: block.kind,
    ...(was === undefined ? {} : { was: String(was) }),
    members: {
      ...members,
      ...(boundary === undefined ? {} : { boundary: writeBoundary(boundary) }),
      // Servers send them in lower case.
      ...(guid === undefined ? {} : { guid: String(guid).toLowerCase() }),
    },
    ...(block.kind === 'icon' ? { image: resolveImage(block) } : {}),
    spanOf: spanOfBlock(block),
  }
}
