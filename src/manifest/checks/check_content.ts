import { annotationsOf } from '../../contract/descriptor.ts'
import { findOrderFaults } from '../../contract/lookup_order.ts'
import { isMarkerKey } from '../../contract/markers.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { isStorableText } from '../../core/storable.ts'
import { type Block, blockIssue, type PlacedBlock } from '../manifest_block.ts'
import { showAt } from '../resolve_source.ts'
import { mentionsWord } from '../validators.ts'

/**
 * Checks what JSON Schema cannot express: duplicate rules, reserved metadata keys, duplicate list items, the order of
 * lookup tables, and strings that a database cannot store.
 */
export function checkContent(block: Block): Issue[] {
  return [
    ...checkRules(block),
    ...checkMetadata(block),
    ...checkItems(block),
    ...checkOrder(block),
    ...checkTexts(block),
  ]
}

/** Checks the order of a lookup table; without items, those on the server are not known. */
function checkOrder(block: Block): Issue[] {
  const { items, order } = (block.value.lookup_table ?? {}) as Readonly<Record<string, unknown>>
  if (!isObject(items) || !Array.isArray(order)) return []
  const pointer = '/lookup_table/order'
  return findOrderFaults(order, items).map(({ index, key, fault, hint }) => {
    const place = index === undefined ? pointer : joinPointer(pointer, index)
    const shown = index === undefined ? JSON.stringify(key) : showAt(block.source, block.pointer + place)
    return blockIssue(block, {
      code: 'manifest/bad-value',
      pointer: place,
      message: `the key ${shown} ${fault}`,
      hint,
    })
  })
}

/** Reports NUL and lone surrogates, which only escapes such as `"\\0"` can produce. */
export function checkTexts(block: PlacedBlock): Issue[] {
  if (!block.source.hasEscapes) return []
  return [...unstorable(block.value, '')].map((pointer) =>
    blockIssue(block, {
      code: 'manifest/bad-value',
      pointer,
      message: `${showAt(block.source, block.pointer + pointer)} contains NUL or a lone surrogate`,
    }),
  )
}

function* unstorable(value: unknown, pointer: Pointer): Generator<Pointer> {
  if (typeof value === 'string' && !isStorableText(value)) yield pointer
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value))
    if (typeof part === 'string' ? !isStorableText(part) : typeof part === 'object')
      yield* unstorable(part, joinPointer(pointer, name))
}

function checkRules(block: Block): Issue[] {
  const { permissions } = block.value
  const include = (permissions as { include?: unknown } | null | undefined)?.include
  const rules = Array.isArray(permissions) ? permissions : include
  const base = Array.isArray(permissions) ? '/permissions' : '/permissions/include'
  if (!Array.isArray(rules)) return []
  const seen = new Map<string, number>()
  return rules.flatMap((rule: Readonly<Record<string, unknown>> | null, index) => {
    const { action, principal, identity = '', scope, permission, propagate } = rule ?? {}
    const text = JSON.stringify([action, principal, identity, scope, permission, propagate])
    const first = seen.get(text)
    if (first === undefined) seen.set(text, index)
    if (first === undefined) return []
    return blockIssue(block, {
      code: 'manifest/duplicate-rule',
      severity: 'warning',
      pointer: joinPointer(base, index),
      message: `duplicate of rule ${base.slice(1).replace('/', '.')}[${first}]`,
      hint: 'remove one of them',
    })
  })
}

function checkMetadata(block: Block): Issue[] {
  const keys = Object.keys((block.value.resmeta as object | null | undefined) ?? {})
  return keys.filter(isMarkerKey).map((key) =>
    blockIssue(block, {
      code: 'manifest/conflict',
      pointer: joinPointer('/resmeta', key),
      message: 'metadata keys that start with "landform." are reserved',
      hint: 'choose another key; protect: and data: set the reserved ones',
      at: 'key',
    }),
  )
}

/** Reports items with the same key in lists that have one (`x-key`). */
function checkItems(block: Block): Issue[] {
  if (block.cls === undefined) return []
  const issues: Issue[] = []
  for (const { name, schema } of membersWithKeys(block.cls)) {
    if (block.value[name] === undefined) continue
    for (const list of keyedLists(schema, block.value[name], joinPointer('', name)))
      issues.push(...checkList(block, list))
  }
  return issues
}

interface KeyedMember {
  readonly name: string
  readonly schema: Schema
}

const keyedMembers = new Map<Cls, readonly KeyedMember[]>()

function membersWithKeys(cls: Cls): readonly KeyedMember[] {
  const known = keyedMembers.get(cls)
  if (known !== undefined) return known
  const found = Object.entries(descriptorOf(cls).members)
    .filter(([, schema]) => mentionsWord(schema, 'x-key'))
    .map(([name, schema]) => ({ name, schema: schema as Schema }))
  keyedMembers.set(cls, found)
  return found
}

interface KeyedList {
  readonly pointer: Pointer
  readonly names: readonly string[]
  readonly items: readonly unknown[]
}

function* keyedLists(schema: Schema, value: unknown, pointer: Pointer): Generator<KeyedList> {
  const names = annotationsOf(schema)['x-key'] ?? []
  if (Array.isArray(value) && names.length > 0) yield { pointer, names, items: value }
  const found = findSchemaFor(schema, value)
  if (value === null || typeof value !== 'object' || found === undefined) return
  for (const [name, part] of Object.entries(value)) {
    const partSchema = Array.isArray(value) ? found.items : found.properties?.[name]
    if (partSchema !== undefined && mentionsWord(partSchema, 'x-key'))
      yield* keyedLists(partSchema, part, joinPointer(pointer, name))
  }
}

function checkList(block: Block, { pointer, names, items }: KeyedList): Issue[] {
  const seen = new Map<string, number>()
  return items.flatMap((item, index) => {
    const values = names.map((name) => (item as Readonly<Record<string, unknown>> | null)?.[name])
    const text = JSON.stringify(values)
    const first = seen.get(text)
    if (first === undefined || values.includes(undefined)) {
      seen.set(text, index)
      return []
    }
    const place = joinPointer(pointer, index, names[0] ?? '')
    return blockIssue(block, {
      code: 'manifest/duplicate-item',
      pointer: place,
      message: `${showAt(block.source, block.pointer + place)} duplicates item [${first}] of the list`,
    })
  })
}
