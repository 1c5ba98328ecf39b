import { type PrincipalKind, principalKinds } from '../../contract/principal.ts'
import { showValue } from '../../contract/schema/describe.ts'
import type { Fault } from '../../contract/schema/fault.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer, parentPointer, splitPointer } from '../../core/pointer.ts'
import { redactValue } from '../../document/redact.ts'
import { coerceExpressions } from '../block_issue.ts'
import { blockIssue, type PlacedBlock } from '../manifest_block.ts'
import { issueAt, type ManifestSource, showAt } from '../resolve_source.ts'
import { principalKeyPattern } from '../schema/account_schema.ts'
import { accountValidator } from '../validators.ts'

/** A block of `users:` or `groups:`. */
export interface PrincipalBlock extends PlacedBlock {
  readonly kind: PrincipalKind
}

/** The users and groups of a file, with the issues of each block. */
export interface ReadPrincipalBlocks {
  readonly blocks: PrincipalBlock[]
  readonly issues: Issue[]
}

/** Section of a manifest with the principals of a kind. */
export const principalSectionOf: Readonly<Record<PrincipalKind, 'users' | 'groups'>> = {
  user: 'users',
  group: 'groups',
}

/** Reads the users and groups of a source, and checks them against their schemas. */
export function readPrincipalBlocks(source: ManifestSource): ReadPrincipalBlocks {
  const read: ReadPrincipalBlocks = { blocks: [], issues: [] }
  for (const kind of principalKinds) {
    const section = (source.value as Readonly<Record<string, unknown>> | null)?.[principalSectionOf[kind]]
    if (!isObject(section)) continue
    for (const [key, value] of Object.entries(section)) readPrincipal(read, { kind, key, value, source })
  }
  return read
}

interface Entry {
  readonly kind: PrincipalKind
  readonly key: string
  readonly value: unknown
  readonly source: ManifestSource
}

const keyRegExp = new RegExp(principalKeyPattern)

function readPrincipal(read: ReadPrincipalBlocks, { kind, key, value, source }: Entry): void {
  const pointer = joinPointer('', principalSectionOf[kind], key)
  if (!keyRegExp.test(key) || key.length > 255) {
    const message = `${showValue(key)} is not a valid keyname of a ${kind}`
    const hint = 'use up to 255 letters, digits, _ and -, and start with a letter'
    read.issues.push(issueAt(source, { code: 'manifest/bad-key', pointer, message, hint, at: 'key' }))
  }
  if (!isObject(value)) {
    const message = `${key}: expected a ${kind}, got ${showAt(source, pointer)}`
    const hint = 'write its fields below it, or {} for none'
    read.issues.push(issueAt(source, { code: 'manifest/bad-value', pointer, message, hint }))
    return
  }
  read.blocks.push(checkPrincipal(read, { kind, key, value, source, pointer }))
}

/** Checks the fields of a block and returns it with its expressions converted to the types of the schema. */
function checkPrincipal(read: ReadPrincipalBlocks, block: PrincipalBlock): PrincipalBlock {
  const { source, pointer: base, kind } = block
  const validate = accountValidator(kind)
  const show = (pointer: Pointer, part: unknown) => redactValue(part, base + pointer, source.expressions)
  const { value, faults } = coerceExpressions({
    value: block.value,
    expressionAt: (pointer) => source.expressions.get(base + pointer),
    check: (candidate) => validate(candidate, show),
  })
  read.issues.push(...faults.map((fault) => issueOfFault(block, fault)))
  return value === block.value ? block : { ...block, value }
}

/** Field names of other tools and of the API, with hints for the manifest's field. */
const foreignNames: Readonly<Record<string, string>> = {
  id: 'the key of the block is the keyname',
  keyname: 'the key of the block is the keyname',
  login: 'the key of the block is the keyname',
  name: 'write display_name',
  title: 'write display_name',
  superuser: 'list the user in member_of: [administrators]',
  is_administrator: 'list the user in member_of: [administrators]',
  system: 'the server sets this field',
  keep_tokens: 'manifests do not support it; a new password revokes all tokens of the user',
}

const passwordHint = 'write password: { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }'

const ownFields: Readonly<Record<PrincipalKind, readonly string[]>> = {
  user: ['member_of', 'password', 'language', 'disabled'],
  group: ['members'],
}

function issueOfFault(block: PrincipalBlock, { kind, pointer, message, hint }: Fault): Issue {
  const [field = ''] = splitPointer(pointer)
  const isUnknown = kind === 'unknown-field'
  const isTop = parentPointer(pointer) === ''
  if (field === 'password' && kind === 'bad-value' && isTop)
    return blockIssue(block, {
      code: 'manifest/bad-value',
      pointer,
      message: 'expected the place of the password, not the password itself',
      hint: passwordHint,
    })
  return blockIssue(block, {
    code: `manifest/${kind}`,
    pointer,
    message,
    hint: (isUnknown && isTop ? findFieldHint(block.kind, field) : undefined) ?? hint,
    at: kind === 'bad-value' ? 'value' : 'key',
  })
}

function findFieldHint(kind: PrincipalKind, name: string): string | undefined {
  if (Object.hasOwn(foreignNames, name)) return foreignNames[name]
  const other = principalKinds.find((one) => one !== kind && ownFields[one].includes(name))
  return other === undefined ? undefined : `${name} is a field of ${principalSectionOf[other]}`
}
