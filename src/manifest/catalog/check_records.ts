import { findGeoserviceFaults, type Geoservice } from '../../contract/catalog/catalog.ts'
import { type CatalogKind, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import type { Issue } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import { checkTexts } from '../checks/check_content.ts'
import { checkUnique, checkWas } from '../checks/check_identity.ts'
import { blockIssue, placeOf } from '../manifest_block.ts'
import { showAt } from '../resolve_source.ts'
import { checkBoundary } from './boundary_field.ts'
import type { RecordBlock } from './record_block.ts'

/** The first block of each key, by kind. */
export type RecordBlocks = Readonly<Record<CatalogKind, ReadonlyMap<string, RecordBlock>>>

/** Checks a block for rules that its schema cannot express. */
export function checkRecordContent(block: RecordBlock): Issue[] {
  return [...checkTexts(block), ...checkMembers(block), ...checkBoundary(block)]
}

/** Members whose faults the schema does not find. */
const dependent = ['url', 'z_max']

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
export function checkRecords(records: RecordBlocks, complete: boolean): Issue[] {
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
