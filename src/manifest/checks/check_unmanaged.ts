import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer } from '../../core/pointer.ts'
import { findHint } from '../../core/suggest.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import { blockSchema, existingSchema } from '../schema/block_schema.ts'
import type { JsonSchema } from '../schema/field_schema.ts'

/** Fields that say what a block is about, and not what a resource has. */
const others = new Set(['cls', 'existing', 'id', 'was', 'parent', 'display_name', 'unmanaged'])

/** Fields that are left as they are as a whole. */
const wholes = new Set(['data', 'features', 'children'])

/** Checks the fields that a block leaves as they are: resources of the class have them, and the block does not set them. */
export function checkUnmanaged(block: Block): Issue[] {
  const { unmanaged } = block.value
  if (!Array.isArray(unmanaged)) return []
  const known = listNames(block)
  return unmanaged.flatMap((name, index) => {
    if (typeof name !== 'string') return []
    const pointer = joinPointer('/unmanaged', index)
    if (!known.includes(name)) {
      const hint = findHint(name, known)
      const fault = { code: 'manifest/bad-value', pointer, message: `there is no field "${name}"` } as const
      return [blockIssue(block, { ...fault, ...(hint === undefined ? {} : { hint }) })]
    }
    if (!isSet(block, name)) return []
    const message = `the block sets "${name}"`
    const hint = `remove ${name}, or the name from unmanaged:`
    return [blockIssue(block, { code: 'manifest/conflict', pointer, message, hint })]
  })
}

function isSet({ value }: Block, name: string): boolean {
  // A block may describe some of the resources below it.
  if (name === 'children') return false
  const [member = '', field] = name.split('.')
  const own = value[member]
  return field === undefined ? own !== undefined : isObject(own) && own[field] !== undefined
}

function listNames({ cls }: Block): string[] {
  const { properties } = cls === undefined ? existingSchema() : blockSchema(cls)
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, schema]) => {
    if (others.has(name)) return []
    const fields = wholes.has(name) ? {} : (schema.properties ?? {})
    return [name, ...Object.keys(fields as object).map((field) => `${name}.${field}`)]
  })
}
