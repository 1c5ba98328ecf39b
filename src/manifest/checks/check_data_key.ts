import type { Issue } from '../../core/issue.ts'
import { joinPointer } from '../../core/pointer.ts'
import { findHint } from '../../core/suggest.ts'
import { type Block, blockIssue } from '../manifest_block.ts'

/** Checks the key of `data:`, which the mode sync requires, and whose fields must be among those of the layer. */
export function checkDataKey(block: Block): Issue[] {
  const { mode, key } = (block.value.data ?? {}) as { readonly mode?: unknown; readonly key?: unknown }
  if (mode === 'sync' && key === undefined) {
    const message = 'mode sync requires a key'
    const hint = 'name the field that identifies a feature: key: code'
    return [blockIssue(block, { code: 'manifest/missing-field', pointer: '/data', message, hint, at: 'key' })]
  }
  if (key === undefined) return []
  if (mode !== 'sync')
    return [
      blockIssue(block, {
        code: 'manifest/bad-value',
        pointer: '/data/key',
        message: 'a key is only allowed with mode sync',
        hint: 'write mode: sync, or remove the key',
      }),
    ]
  return checkKeyFields(block, key)
}

function checkKeyFields(block: Block, key: unknown): Issue[] {
  const { fields } = (block.value.feature_layer ?? {}) as { readonly fields?: unknown }
  if (!Array.isArray(fields)) return []
  const known = fields.map((field: { readonly keyname?: unknown } | null) => String(field?.keyname))
  return [key].flat().flatMap((name, index) => {
    if (typeof name !== 'string' || known.includes(name)) return []
    const pointer = Array.isArray(key) ? joinPointer('/data/key', index) : '/data/key'
    const message = `the layer has no field "${name}"`
    return [blockIssue(block, { code: 'manifest/bad-value', pointer, message, hint: findHint(name, known) })]
  })
}
