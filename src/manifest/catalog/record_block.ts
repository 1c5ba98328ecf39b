import {
  type GeoserviceType,
  geoserviceTypeMembers,
  geoserviceTypes,
} from '../../contract/catalog/catalog.ts'
import { type CatalogKind, catalogKeyPattern, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { geoserviceSchemas } from '../../contract/catalog/catalog_member.ts'
import { showValue } from '../../contract/schema/describe.ts'
import type { Fault } from '../../contract/schema/fault.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer, parentPointer, splitPointer } from '../../core/pointer.ts'
import { findHint } from '../../core/suggest.ts'
import { redactValue } from '../../document/redact.ts'
import { coerceExpressions } from '../block_issue.ts'
import { blockIssue, formatClasses, type PlacedBlock } from '../manifest_block.ts'
import { issueAt, type ManifestSource, showAt } from '../resolve_source.ts'
import { recordValidator } from '../validators.ts'

/** A block of `icons:` or `geoservices:`. */
export interface RecordBlock extends PlacedBlock {
  readonly kind: CatalogKind
  /** Type of a geoservice; absent if missing or unknown. */
  readonly type?: GeoserviceType
}

/** The records of a file, with the issues of each block. */
export interface ReadRecords {
  readonly blocks: RecordBlock[]
  readonly issues: Issue[]
}

/** Section of a manifest with the records of a kind. */
export const sectionOf: Readonly<Record<CatalogKind, 'icons' | 'geoservices'>> = {
  icon: 'icons',
  geoservice: 'geoservices',
}

/** Reads the icons and geoservices of a source, and checks them against their schemas. */
export function readRecords(source: ManifestSource): ReadRecords {
  const read: ReadRecords = { blocks: [], issues: [] }
  for (const kind of catalogKinds) {
    const section = (source.value as Readonly<Record<string, unknown>> | null)?.[sectionOf[kind]]
    if (!isObject(section)) continue
    for (const [key, value] of Object.entries(section)) readRecord(read, { kind, key, value, source })
  }
  return read
}

interface Entry {
  readonly kind: CatalogKind
  readonly key: string
  readonly value: unknown
  readonly source: ManifestSource
}

const keyRegExp = new RegExp(catalogKeyPattern)

function readRecord(read: ReadRecords, { kind, key, value, source }: Entry): void {
  const pointer = joinPointer('', sectionOf[kind], key)
  if (!keyRegExp.test(key)) {
    const message = `${showValue(key)} is not a valid key of a record`
    const hint = 'use up to 100 letters, digits, _ and -, and start with a letter or _'
    read.issues.push(issueAt(source, { code: 'manifest/bad-key', pointer, message, hint, at: 'key' }))
  }
  if (!isObject(value)) {
    const message = `${key}: expected a record, got ${showAt(source, pointer)}`
    read.issues.push(issueAt(source, { code: 'manifest/bad-value', pointer, message }))
    return
  }
  const type = kind === 'icon' ? undefined : geoserviceTypes.find((one) => one === value.type)
  const block: RecordBlock = { kind, key, value, source, pointer, ...(type === undefined ? {} : { type }) }
  read.blocks.push(checkRecord(read, block))
}

/** Checks the fields of a block and returns it with its expressions converted to the types of the schema. */
function checkRecord(read: ReadRecords, block: RecordBlock): RecordBlock {
  const { kind, type, source, pointer: base } = block
  if (kind === 'geoservice' && type === undefined) {
    read.issues.push(typeIssue(block))
    return block
  }
  const validate = recordValidator(type ?? 'icon')
  const show = (pointer: Pointer, part: unknown) => redactValue(part, base + pointer, source.expressions)
  const { value, faults } = coerceExpressions({
    value: block.value,
    expressionAt: (pointer) => source.expressions.get(base + pointer),
    check: (candidate) => validate(candidate, show),
  })
  read.issues.push(...faults.map((fault) => issueOfFault(block, fault)))
  return value === block.value ? block : { ...block, value }
}

function typeIssue(block: RecordBlock): Issue {
  const { value, source, pointer } = block
  if (value.type === undefined)
    return blockIssue(block, {
      code: 'manifest/missing-field',
      pointer: '',
      message: 'missing field "type"',
      hint: `write type: ${formatClasses(geoserviceTypes)}`,
      at: 'key',
    })
  const isShown = typeof value.type === 'string' && !source.expressions.has(`${pointer}/type`)
  return blockIssue(block, {
    code: 'manifest/bad-value',
    pointer: '/type',
    message: `unknown type ${showAt(source, `${pointer}/type`)}`,
    hint:
      (isShown ? findHint(String(value.type), geoserviceTypes) : undefined) ??
      `use ${formatClasses(geoserviceTypes)}`,
  })
}

/** Field names of other tools and of the API, with hints for the manifest's field. */
const foreignNames: Readonly<Record<string, string>> = {
  id: 'the key of the block identifies the record',
  keyname: 'the key of the block is the keyname of the record',
  manifest: 'the id at the top of the file marks the record',
  cls: 'write type',
  title: 'write name',
  display_name: 'write name',
  description: 'write desc',
  srs: 'write epsg',
  crs: 'write epsg',
  attribution: 'write copyright_text',
  origin_url: 'write url',
  alt_urls: 'write the hosts into url: {switch:a,b,c}',
  extent: 'write boundary; its bounding box is the extent',
  submitter: 'the server sets this field',
  protect: 'manifests do not support it for records',
}

const badHints: Readonly<Record<Pointer, string>> = {
  '/epsg': 'write the number of the code alone, such as 3857',
  '/icon': 'write the key of an icon, or { guid: … } for an icon outside the manifest',
}

function issueOfFault(block: RecordBlock, { kind, pointer, message, hint }: Fault): Issue {
  const name = splitPointer(pointer).at(-1) ?? ''
  const isUnknown = kind === 'unknown-field'
  const isTop = parentPointer(pointer) === ''
  return blockIssue(block, {
    code: `manifest/${kind}`,
    pointer,
    message,
    hint: (isUnknown && isTop ? findMemberHint(block.kind, name) : findValueHint(pointer)) ?? hint,
    at: kind === 'bad-value' ? 'value' : 'key',
  })
}

/** Finds a hint for the value of a member. */
export function findValueHint(pointer: Pointer): string | undefined {
  return badHints[pointer]
}

/** Finds a hint for a member that records of a kind or type do not have. */
export function findMemberHint(kind: CatalogKind, name: string): string | undefined {
  if (Object.hasOwn(foreignNames, name)) return foreignNames[name]
  if (kind === 'icon')
    return Object.hasOwn(geoserviceSchemas.tms.properties, name) ? 'it is a field of geoservices' : undefined
  const owners = geoserviceTypes.filter((type) => Object.hasOwn(geoserviceTypeMembers[type], name))
  return owners.length === 0 ? undefined : `${name} belongs to type ${formatClasses(owners)}`
}
