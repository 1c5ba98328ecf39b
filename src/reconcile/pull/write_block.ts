import { isDeepStrictEqual } from 'node:util'
import { annotationsOf } from '../../contract/descriptor.ts'
import { type Cls, dataOf, descriptorOf, isCls } from '../../contract/registry.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { fileExpression, variableExpression } from '../../document/format_yaml.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import { formatRule, fullName, type NamedRule, nameRule, sortedRules } from '../model/access_rules.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import { canonical, isCompared, toWantedForm } from '../model/value_equality.ts'
import type { LineOf } from './narrow_edits.ts'
import type { PullContext } from './pull_tree.ts'
import { textFile } from './pulled_file.ts'
import { slugOf } from './slug.ts'

/**
 * Writes a resource as a block of a manifest, without its children. Undefined if its class is unknown or the account
 * cannot read required fields; the manifest then declares it as existing.
 */
export function writeBlock(pulling: PullContext, resource: ActualResource): WrittenBlock | undefined {
  const { cls } = resource
  if (!isCls(cls)) {
    warn(pulling, resource, `class ${cls} is unknown`)
    return undefined
  }
  const members = writeMembers(pulling, resource, { cls, whole: false })
  if (members === undefined) {
    warn(pulling, resource, 'this account cannot read its required fields')
    return undefined
  }
  const written = writeTexts(pulling, { resource, cls, members })
  const { displayName, description, protect, resmeta } = resource
  return {
    cls,
    ...(protect ? { protect } : {}),
    display_name: displayName,
    ...(description ? { description } : {}),
    ...writeRules(pulling, resource),
    ...(resmeta !== undefined && Object.keys(resmeta).length > 0 ? { resmeta } : {}),
    ...written,
  }
}

/** Replaces the texts of styles by files. */
function writeTexts(
  { files, keyOf }: PullContext,
  {
    resource,
    cls,
    members,
  }: { readonly resource: ActualResource; readonly cls: Cls; readonly members: Members },
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  if (files === undefined) return members
  const { table } = descriptorOf(cls)
  const own = { ...members[cls] }
  for (const field of table?.volume ?? []) {
    const text = own[field]
    if (typeof text !== 'string') continue
    const file = textFile(resource, { folder: files.folder, key: keyOf.get(resource.id) ?? '', text })
    files.list.push(file)
    own[field] = fileExpression(file.path)
  }
  return Object.keys(own).length === 0 ? members : { ...members, [cls]: own }
}

function warn({ issues, keyOf }: PullContext, { id }: ActualResource, why: string): void {
  const message = `"${keyOf.get(id)}" (resource ${id}) is written as existing: ${why}`
  issues.push({ code: 'plan/unknown', message, severity: 'warning' })
}

/** Writes the rules of a resource; nothing if it has none. */
export function writeRules({ tree }: Pick<PullContext, 'tree'>, { rules }: ActualResource): WrittenBlock {
  if (rules === undefined || rules.length === 0) return {}
  const { principals } = tree
  const named = sortedRules(rules.map((rule) => nameRule(rule, principals)))
  const permissions = named.map(({ identity, principal, ...rule }) => {
    const short = principal.slice(principal.indexOf(':') + 1)
    const found = principals.find(short)
    const isPlain = 'name' in found && found.name === principal
    return { ...rule, principal: isPlain ? short : principal, ...(identity === '' ? {} : { identity }) }
  })
  return { permissions }
}

/** Formats rules of manifests as lines: equal rules have equal lines, however they name a principal. */
export const ruleLine =
  ({ principals }: ActualTree): LineOf =>
  (item) => {
    const rule = { identity: '', ...(item as Partial<NamedRule>) } as NamedRule
    return formatRule({ ...rule, principal: fullName(rule.principal, principals) })
  }

type Members = Record<string, Record<string, unknown>>

/** How to write the members of a class. */
interface MemberOptions {
  readonly cls: Cls
  /** Whether to write defaults too, and no secrets. */
  readonly whole: boolean
}

/** Writes the members of a class in manifest form. Undefined if the account cannot read required fields. */
export function writeMembers(
  pulling: Pick<PullContext, 'tree' | 'keyOf'>,
  resource: ActualResource,
  { cls, whole }: MemberOptions,
): Members | undefined {
  const members: Members = {}
  for (const [member, schema] of Object.entries(descriptorOf(cls).members)) {
    const fields: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(schema.properties as Readonly<Record<string, Schema>>)) {
      const words = annotationsOf(field)
      if (whole && words['x-secret']) continue
      const written = writeField(pulling, resource, { member, name, field })
      const needed = (schema.required ?? []).includes(name) || (member === cls && isStructure(cls, name))
      if (written === undefined && needed && !words['x-wire']) return undefined
      if (isWritten(written, field, whole || needed)) fields[name] = written
    }
    if (Object.keys(fields).length > 0) members[member] = fields
  }
  return members
}

/** Whether a member has to be written for a layer without `data:`. */
const isStructure = (cls: Cls, name: string) => dataOf(cls)?.structure?.includes(name) === true

const isWritten = (written: unknown, field: Schema, isWhole: boolean) =>
  written !== undefined && (isWhole || !isDefault(field, written))

interface FieldPlace {
  readonly member: string
  readonly name: string
  readonly field: Schema
}

function writeField(
  { tree, keyOf }: Pick<PullContext, 'tree' | 'keyOf'>,
  resource: ActualResource,
  { member, name, field }: FieldPlace,
): unknown {
  const wire = resource.members[member]?.[name]
  // Secrets are environment variables named after the key. Null means that no secret is set.
  if (annotationsOf(field)['x-secret']) {
    if (wire === null) return undefined
    return variableExpression(secretVariable(keyOf.get(resource.id) ?? '', name))
  }
  if (!isCompared(field)) return undefined
  if (wire === undefined) return undefined
  return tidyValue(field, toWantedForm(field, wire, { keyOf, principals: tree.principals }))
}

/** Names the environment variable with the secret of a resource. */
export const secretVariable = (key: string, name: string) => `${slugOf(key)}_${name}`.toUpperCase()

type Fields = Readonly<Record<string, unknown>>

/** Removes defaults and read-only members from a value in manifest form. The meaning stays the same. */
function tidyValue(schema: Schema, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const fitting = findSchemaFor(schema, value) ?? schema
  const words = annotationsOf(fitting)
  if (words['x-ref'] || words['x-principal']) return value
  if (Array.isArray(value)) {
    const { items } = fitting
    return items === undefined ? value : value.map((item) => tidyValue(items, item))
  }
  return fitting.properties === undefined ? value : tidyObject(fitting, value as Fields)
}

function tidyObject(schema: Schema, value: Fields): Fields {
  const required = (schema as { required?: readonly string[] }).required ?? []
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const there = value[name]
    if (there === undefined || !isCompared(field)) return []
    const optional = !required.includes(name)
    return optional && isDefault(field, there, value) ? [] : [[name, tidyValue(field, there)] as const]
  })
  return Object.fromEntries(entries)
}

/** Reports whether a value equals the default of its field. */
function isDefault(schema: Schema, value: unknown, siblings: Fields = {}): boolean {
  const from = annotationsOf(schema)['x-default-from']
  const fallback = from === undefined ? schema.default : siblings[from]
  if (fallback === undefined) return false
  return isDeepStrictEqual(canonical(schema, value), canonical(schema, fallback))
}
