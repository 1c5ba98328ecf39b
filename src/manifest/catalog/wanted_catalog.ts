import { findGeoserviceFaults, type Geoservice } from '../../contract/catalog/catalog.ts'
import { type CatalogKind, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import type { Issue } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import { gatherBlocks } from '../block_tree.ts'
import { checkTexts } from '../checks/check_content.ts'
import { checkUnique, checkWas } from '../checks/check_identity.ts'
import type { WantedCatalog, WantedRecord } from '../manifest.ts'
import { blockIssue, placeOf, spanOfBlock } from '../manifest_block.ts'
import { type ManifestSource, showAt } from '../resolve_source.ts'
import { checkBoundary, writeBoundary } from './boundary_field.ts'
import { resolveImage } from './icon_files.ts'
import { type ReadRecords, type RecordBlock, sectionOf } from './record_block.ts'

/** The records of all files, by kind and key, with all issues. */
export interface GatheredRecords {
  readonly records: RecordBlocks
  readonly issues: readonly Issue[]
}

/** The first block of each key, by kind. */
type RecordBlocks = Readonly<Record<CatalogKind, ReadonlyMap<string, RecordBlock>>>

/** Members whose faults the schema does not find. */
const dependent = ['url', 'z_max']

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

/** Checks a block for rules that its schema cannot express. */
function checkRecordContent(block: RecordBlock): Issue[] {
  return [...checkTexts(block), ...checkMembers(block), ...checkBoundary(block)]
}

function checkMembers(block: RecordBlock): Issue[] {
  const { type, value } = block
  if (type === undefined || typeof value.url !== 'string') return []
  return findGeoserviceFaults(value as Partial<Geoservice>)
    .filter(({ member }) => dependent.includes(member))
    .map(({ member, message, hint }) =>
      blockIssue(block, { code: 'manifest/bad-value', pointer: `/${member}`, message, hint }),
    )
}

/** Checks keys, names and references among the records. `complete` is false if a file could not be read. */
function checkRecords(records: RecordBlocks, complete: boolean): Issue[] {
  return catalogKinds.flatMap((kind) => {
    const blocks = [...records[kind].values()]
    return [
      ...blocks.flatMap((block) => checkWas(block, records[kind])),
      ...checkUnique(blocks, 'was'),
      ...checkUnique(blocks, 'guid'),
      ...checkNames(blocks),
      ...blocks.flatMap((block) => (complete ? checkIcon(block, records.icon) : [])),
    ]
  })
}

function checkNames(blocks: readonly RecordBlock[]): Issue[] {
  const seen = new Map<string, RecordBlock>()
  return blocks.flatMap((block) => {
    const { name } = block.value
    if (typeof name !== 'string') return []
    const first = seen.get(name)
    if (first === undefined) {
      seen.set(name, block)
      return []
    }
    return [
      blockIssue(block, {
        code: 'manifest/duplicate-name',
        pointer: '/name',
        message: `the name "${name}" is also the name of the ${block.kind} with key "${first.key}" in ${placeOf(first)}`,
        hint: 'rename one of them: names of the catalog are unique',
      }),
    ]
  })
}

function checkIcon(block: RecordBlock, icons: RecordBlocks['icon']): Issue[] {
  const { icon } = block.value
  if (typeof icon !== 'string' || icons.has(icon)) return []
  const isExpression = block.source.expressions.has(`${block.pointer}/icon`)
  return [
    blockIssue(block, {
      code: 'manifest/unknown-reference',
      pointer: '/icon',
      message: `unknown icon ${showAt(block.source, `${block.pointer}/icon`)}`,
      hint:
        (isExpression ? undefined : findHint(icon, [...icons.keys()])) ??
        'use a key of icons:, or { guid: … } for an icon outside the manifest',
    }),
  ]
}
