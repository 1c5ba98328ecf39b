import { annotationsOf } from '../contract/descriptor.ts'
import { dialectName, documentName } from '../contract/dialect/dialect.ts'
import { type Cls, dataOf, descriptorOf } from '../contract/registry.ts'
import type { Fault } from '../contract/schema/fault.ts'
import type { Schema } from '../contract/schema/schema.ts'
import { isSecretName } from '../contract/secrets.ts'
import { isObject } from '../core/is_object.ts'
import type { Issue } from '../core/issue.ts'
import { findAtPointer, type Pointer, parentPointer, splitPointer } from '../core/pointer.ts'
import { coerceString } from '../document/resolve_values.ts'
import { parseExpressions } from '../document/value_expression.ts'
import { setOwn } from '../document/yaml_node.ts'
import type { WantedResource } from './manifest.ts'
import { type Block, blockIssue, formatClasses } from './manifest_block.ts'
import { listReferences } from './references.ts'
import { classesWithMember } from './validators.ts'

/** Field names of other tools and of the API, with hints for the manifest's field. */
const foreignNames: Readonly<Record<string, string>> = {
  acl: 'write permissions',
  class: 'write cls',
  items: 'write metadata directly under resmeta, resources under children',
  key: 'the key of the block is the key of the resource',
  keyname: 'the key of the block is the keyname of the resource',
  kind: 'write cls',
  metadata: 'write resmeta',
  name: 'write display_name',
  owner_user: 'write owner',
  resource: 'write its fields directly in the block',
  resources: 'write children',
  rules: 'write permissions',
  source: 'write data: { source: … }',
  title: 'write display_name',
  type: 'write cls',
}

/** Converts a validator fault of a block to an issue. */
export function issueOfFault(block: Block, fault: Fault): Issue {
  const { kind, pointer, message, hint } = fault
  const name = splitPointer(pointer).at(-1) ?? ''
  if (kind !== 'unknown-field')
    return blockIssue(block, {
      code: `manifest/${kind}`,
      pointer,
      message,
      hint: secretHint(block, pointer) ?? itemsHint(block, pointer) ?? hint ?? referenceHint(block, pointer),
      at: kind === 'missing-field' ? 'key' : 'value',
    })
  return blockIssue(block, {
    code: 'manifest/unknown-field',
    pointer,
    message: name === 'data' && isTop(pointer) ? `class ${block.cls} does not support data` : message,
    hint: unknownFieldHint(block, pointer, name) ?? hint,
    at: 'key',
  })
}

/** The section of users names the place of a password as a map; other secrets are texts with expressions. */
function secretHint({ value }: Block, pointer: Pointer): string | undefined {
  const written = findAtPointer(value, pointer)
  if (!isSecretName(splitPointer(pointer).at(-1) ?? '') || typeof written === 'string') return undefined
  const env = isObject(written) ? written.env : undefined
  return `write \${env.${typeof env === 'string' && /^\w+$/.test(env) ? env : 'NAME'}}`
}

/** The API has metadata one level deeper. */
function itemsHint({ value }: Block, pointer: Pointer): string | undefined {
  const isItems = pointer === '/resmeta/items' && isObject(findAtPointer(value, pointer))
  return isItems ? 'write the items directly below resmeta' : undefined
}

function referenceHint({ cls, value }: Block, pointer: Pointer): string | undefined {
  const members = value as WantedResource['members']
  const found = listReferences(cls === undefined ? { members } : { cls, members })
  const reference = found.find((one) => one.pointer === pointer)
  if (reference === undefined) return undefined
  const isId = typeof reference.value === 'number'
  return `write the key of a resource${isId ? `, or { id: ${reference.value} } for a resource outside the manifest` : ''}`
}

function isTop(pointer: string): boolean {
  return parentPointer(pointer) === ''
}

function unknownFieldHint({ cls }: Block, pointer: string, name: string): string | undefined {
  if (isTop(pointer)) return topHint(cls, name)
  if (cls === undefined) return undefined
  const [member = '', ...rest] = splitPointer(pointer)
  if (member === cls && rest.length === 1 && Object.hasOwn(dataOf(cls)?.options ?? {}, name))
    return 'it is a load option: write it under data:'
  const schema = fieldSchema(cls, member, rest)
  if (schema === undefined) return undefined
  if (annotationsOf(schema).readOnly) return 'the server sets this field'
  if (name === 'source' && dataOf(cls) !== undefined) return 'write data: { source: … } next to it'
  if (!annotationsOf(schema)['x-wire']) return undefined
  const other = rest.length === 1 ? findOtherMember(cls, member, name) : undefined
  return other === undefined ? 'manifests do not support it' : `write them under ${other}:`
}

/** Finds another member of a class that has a field of the same name. */
function findOtherMember(cls: Cls, member: string, name: string): string | undefined {
  const members = Object.entries(descriptorOf(cls).members)
  return members.find(([other, { properties }]) => other !== member && Object.hasOwn(properties, name))?.[0]
}

function fieldSchema(cls: Cls, member: string, rest: readonly string[]): Schema | undefined {
  let schema = descriptorOf(cls).members[member] as Schema | undefined
  for (const token of rest) schema = /^\d+$/.test(token) ? schema?.items : findOwn(schema?.properties, token)
  return schema
}

function findOwn<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}

function topHint(cls: Cls | undefined, name: string): string | undefined {
  const word = findOwn(foreignNames, name)
  if (word !== undefined) return word
  if (documentName(name) !== name) return `write ${documentName(name)}`
  if (cls === undefined && name === 'was')
    return 'the manifest does not manage this resource (existing: true) and cannot rename it'
  const owners = classesWithMember(name)
  if (owners.length === 0) return undefined
  if (cls === undefined) return `write cls too: ${owners.join(' or ')}`
  return `${name} belongs to class ${formatClasses(owners)}`
}

/** Returns the hint for an unknown class. */
export function classHint(name: string): string | undefined {
  const ours = documentName(name)
  return ours === name || dialectName(ours, 'nextgis') !== name ? undefined : `write ${ours}`
}

/** A value to check, with its expressions; pointers are relative to the value. */
interface Coercible {
  readonly value: Readonly<Record<string, unknown>>
  /** Text of the file by pointer; undefined if the value has no expression. */
  readonly expressionAt: (pointer: Pointer) => string | undefined
  readonly check: (value: unknown) => readonly Fault[]
}

/**
 * Converts values that consist only of `${env.NAME}` to the type the schema requires. A string that is invalid is parsed
 * as a YAML scalar: `port: ${env.PORT}` becomes a number, `description: ${env.YEAR}` stays a string.
 */
export function coerceExpressions({ value, expressionAt, check }: Coercible): {
  readonly value: Readonly<Record<string, unknown>>
  readonly faults: readonly Fault[]
} {
  const faults = check(value)
  if (faults.length === 0) return { value, faults }
  const changes = new Map<Pointer, unknown>()
  for (const { kind, pointer } of faults) {
    const isWhole = kind === 'bad-value' && isWholeExpression(expressionAt(pointer))
    const coerced = isWhole ? coerceString(String(findAtPointer(value, pointer))) : undefined
    if (coerced !== undefined) changes.set(pointer, coerced)
  }
  if (changes.size === 0) return { value, faults }
  const unfit = new Set(check(copyWith(value, changes)).map(({ pointer }) => pointer))
  for (const pointer of unfit) changes.delete(pointer)
  const coerced = copyWith(value, changes)
  return { value: coerced, faults: check(coerced) }
}

function isWholeExpression(text: string | undefined): boolean {
  if (text === undefined) return false
  const parts = parseExpressions(text)
  return parts.length === 1 && parts[0]?.kind === 'variable'
}

function copyWith<T>(value: T, changes: ReadonlyMap<Pointer, unknown>): T {
  const copy = structuredClone(value)
  for (const [pointer, change] of changes) {
    const holder = findAtPointer(copy, parentPointer(pointer))
    setOwn(holder as Record<string, unknown>, splitPointer(pointer).at(-1) ?? '', change)
  }
  return copy
}
