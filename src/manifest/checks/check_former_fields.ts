import type { Issue } from '../../core/issue.ts'
import { findAtPointer, joinPointer } from '../../core/pointer.ts'
import { type Block, blockIssue } from '../manifest_block.ts'

interface WrittenField {
  readonly keyname?: unknown
  readonly was?: unknown
}

/** Checks the previous keynames of renamed fields: each is that of one field, and of none that the layer has. */
export function checkFormerFields(block: Block): Issue[] {
  const fields = findAtPointer(block.value, '/feature_layer/fields')
  if (!Array.isArray(fields)) return []
  const list = fields as readonly (WrittenField | null)[]
  if (list.every((field) => field?.was === undefined)) return []
  const placeOf = new Map(list.map((field, index) => [field?.keyname, index]))
  const seen = new Map<unknown, string>()
  return list.flatMap((field, index) => {
    const { was, keyname } = field ?? {}
    if (typeof was !== 'string') return []
    const first = seen.get(was)
    seen.set(was, first ?? String(keyname))
    const other = placeOf.get(was)
    const isRenamed = other !== undefined && list[other]?.was !== undefined
    const fault = findFault(block, { keyname, was, other, isRenamed, first })
    if (fault === undefined) return []
    const pointer = joinPointer('/feature_layer/fields', index, 'was')
    return [blockIssue(block, { code: 'manifest/conflict', pointer, ...fault })]
  })
}

interface Rename {
  readonly keyname: unknown
  readonly was: string
  /** Index of the field that has the previous keyname. */
  readonly other: number | undefined
  /** Whether that field is renamed itself. */
  readonly isRenamed: boolean
  /** Keyname of an earlier field with the same previous keyname. */
  readonly first: string | undefined
}

function findFault({ cls }: Block, { keyname, was, other, isRenamed, first }: Rename) {
  const name = JSON.stringify(was)
  if (cls === 'geodb_layer')
    return {
      message: `a ${cls} cannot rename fields, which are named after their columns`,
      hint: 'remove was:',
    }
  if (was === keyname) return { message: 'the old keyname equals the new one', hint: 'remove was:' }
  if (other !== undefined) {
    const hint = isRenamed
      ? `rename ${name} to a keyname that no field has, apply, and then give its keyname away: fields do not swap keynames in one apply`
      : 'remove was:'
    return { message: `the old keyname ${name} is still that of the field [${other}]`, hint }
  }
  if (first !== undefined)
    return { message: `the field "${first}" has the same was`, hint: 'keep was: of one of them' }
  return undefined
}
