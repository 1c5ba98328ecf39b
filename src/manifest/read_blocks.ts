import { clsNames, isCls } from '../contract/registry.ts'
import { showValue } from '../contract/schema/describe.ts'
import type { Fault } from '../contract/schema/fault.ts'
import { isObject } from '../core/is_object.ts'
import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { findHint } from '../core/suggest.ts'
import { redactValue } from '../document/redact.ts'
import { coerceString } from '../document/resolve_values.ts'
import { classHint, coerceExpressions, issueOfFault } from './block_issue.ts'
import { type Block, blockIssue } from './manifest_block.ts'
import { issueAt, type ManifestSource, showAt } from './resolve_source.ts'
import { keyPattern } from './schema/block_schema.ts'
import { blockValidator } from './validators.ts'

/** The blocks of a file, parents before children, with the issues of each block. */
export interface ReadBlocks {
  readonly blocks: Block[]
  readonly issues: Issue[]
}

interface Place {
  readonly source: ManifestSource
  readonly pointer: Pointer
  /** Key of the resource that contains the map. */
  readonly parent?: string
}

/** Reads the resources of a source, including nested ones. */
export function readBlocks(source: ManifestSource): ReadBlocks {
  const read: ReadBlocks = { blocks: [], issues: [] }
  const { resources } = source.value as { resources?: unknown }
  const parent = source.use?.parent
  readMap(read, resources, { source, pointer: '/resources', ...(parent === undefined ? {} : { parent }) })
  return read
}

function readMap(read: ReadBlocks, map: unknown, { source, pointer, parent }: Place): void {
  if (!isObject(map)) return
  for (const [key, value] of Object.entries(map)) {
    if (isUse(value)) continue
    const place = { source, pointer: joinPointer(pointer, key), ...(parent === undefined ? {} : { parent }) }
    checkKey(read, key, place)
    if (isObject(value)) readBlock(read, { key, value }, place)
    else read.issues.push(notABlock(key, place))
  }
}

/** Tells whether an entry of a map of resources is a use of a fragment, whose resources are read from a source of their own. */
export function isUse(value: unknown): value is { readonly use: unknown; readonly with?: unknown } {
  return isObject(value) && Object.hasOwn(value, 'use')
}

const keyRegExp = new RegExp(keyPattern)

function checkKey(read: ReadBlocks, key: string, { source, pointer }: Place): void {
  if (keyRegExp.test(key)) return
  const message = `${showValue(key)} is not a valid key: keys are 1 to 255 printable ASCII characters`
  read.issues.push(issueAt(source, { code: 'manifest/bad-key', pointer, message, at: 'key' }))
}

function notABlock(key: string, { source, pointer }: Place): Issue {
  const message = `${key}: expected a resource, got ${showAt(source, pointer)}`
  const hint = 'write its fields below it: cls, display_name, …'
  return issueAt(source, { code: 'manifest/bad-value', pointer, message, hint })
}

interface Entry {
  readonly key: string
  readonly value: Record<string, unknown>
}

function readBlock(read: ReadBlocks, { key, value }: Entry, place: Place): void {
  const { children } = value
  const existing = isExisting(value.existing, place)
  const parent = place.parent ?? (typeof value.parent === 'string' ? value.parent : undefined)
  const own = children === undefined ? value : withoutChildren(value)
  const was = existing ? undefined : findFormerKey(place)
  const block: Block = {
    key,
    value: was === undefined || was === key ? own : { was, ...own },
    existing,
    source: place.source,
    pointer: place.pointer,
    ...(isCls(value.cls) ? { cls: value.cls } : {}),
    ...(parent === undefined ? {} : { parent }),
  }
  read.blocks.push(checkBlock(read, block, place))
  if (was !== undefined && value.was !== undefined) read.issues.push(renamedTwice(block, was))
  if (children === undefined) return
  readMap(read, children, { ...place, pointer: joinPointer(place.pointer, 'children'), parent: key })
  if (!isObject(children)) read.issues.push(badChildren(block))
}

/** Finds the key of a resource under the previous key of the use of a fragment that it is part of. */
function findFormerKey({ source, pointer }: Place): string | undefined {
  return source.use?.former?.keys.get(pointer)
}

function renamedTwice(block: Block, was: string): Issue {
  const message = `the use of the fragment was renamed, too: the key was ${JSON.stringify(was)}`
  const hint = 'remove was: in the fragment, or of the use, and apply the one rename before the other'
  return blockIssue(block, { code: 'manifest/conflict', pointer: '/was', message, hint })
}

function withoutChildren({ children: _, ...fields }: Entry['value']): Entry['value'] {
  return fields
}

function isExisting(value: unknown, { source, pointer }: Place): boolean {
  const isExpression = source.expressions.has(joinPointer(pointer, 'existing'))
  const resolved = isExpression && typeof value === 'string' ? coerceString(value) : value
  // An invalid value counts as true, so that only the value itself is reported.
  return resolved !== undefined && resolved !== false && !/^(?:n|no|off|false)$/i.test(String(resolved))
}

function badChildren(block: Block): Issue {
  const shown = showAt(block.source, joinPointer(block.pointer, 'children'))
  const message = `expected resources by key, got ${shown}`
  return blockIssue(block, { code: 'manifest/bad-value', pointer: '/children', message })
}

/** Checks the fields of a block and returns it with its expressions converted to the types of the schema. */
function checkBlock(read: ReadBlocks, block: Block, { parent }: Place): Block {
  if (parent !== undefined && block.value.parent !== undefined)
    read.issues.push(
      blockIssue(block, {
        code: 'manifest/conflict',
        pointer: '/parent',
        message: `conflicts with nesting under ${JSON.stringify(parent)}`,
        hint: 'remove parent:, or move the block out of children:',
      }),
    )
  const fault = classIssue(block)
  if (fault !== undefined) {
    read.issues.push(fault)
    return block
  }
  const { value, faults } = coerceExpressions({
    value: block.value,
    expressionAt: (pointer) => block.source.expressions.get(block.pointer + pointer),
    check: (candidate) => blockValidator(block.cls, block.existing)(candidate, showOf(block)),
  })
  read.issues.push(...faults.filter((one) => !isConflict(block, one)).map((one) => issueOfFault(block, one)))
  return value === block.value ? block : { ...block, value }
}

/** Skips `data` of a resource without a class: `checkIdentity` reports the conflict with `existing: true`. */
function isConflict({ cls }: Block, { kind, pointer }: Fault): boolean {
  return cls === undefined && kind === 'unknown-field' && pointer === '/data'
}

function showOf({ source, pointer: base }: Block) {
  return (pointer: Pointer, part: unknown) => redactValue(part, base + pointer, source.expressions)
}

function classIssue(block: Block): Issue | undefined {
  const { value, existing, cls } = block
  if (cls !== undefined || (value.cls === undefined && existing)) return undefined
  if (value.cls === undefined) {
    const message = 'missing field "cls"'
    const hint =
      'write cls: with the class of the resource, or existing: true if the manifest does not manage it'
    return blockIssue(block, { code: 'manifest/missing-field', pointer: '', message, hint, at: 'key' })
  }
  const message = `unknown class ${showAt(block.source, joinPointer(block.pointer, 'cls'))}`
  return blockIssue(block, { code: 'manifest/unknown-class', pointer: '/cls', message, hint: hintFor(block) })
}

function hintFor({ value, source, pointer }: Block): string {
  const isShown = !source.expressions.has(joinPointer(pointer, 'cls'))
  const near =
    isShown && typeof value.cls === 'string'
      ? (classHint(value.cls) ?? findHint(value.cls, clsNames))
      : undefined
  return near ?? `valid classes: ${clsNames.join(', ')}`
}
