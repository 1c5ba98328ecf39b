import { descriptorOf, isCls } from '../../../contract/registry.ts'
import type { Schema } from '../../../contract/schema/schema.ts'
import type { Issue } from '../../../core/issue.ts'
import { splitPointer } from '../../../core/pointer.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { findRecorded, listOwners } from '../../model/owned_fields.ts'
import type { Principals } from '../../model/principals.ts'
import { partName, ruleName } from '../../model/rule_records.ts'
import { issueAt } from '../issue_at.ts'

/** Fields that a plan changes although another manifest sets them too: each apply would undo the other. */
export interface ContestedFields {
  readonly manifest: string
  /** Pointers of the edits. */
  readonly pointers: readonly string[]
  /** Names in the field mark of the other manifest. */
  readonly names: ReadonlySet<string>
}

interface ContestContext {
  readonly manifestId: string
  readonly adopts: boolean
  readonly principals: Principals
}

/** Finds the edits of fields that other manifests are recorded to set. */
export function findContested(
  actual: ActualResource,
  edits: readonly Edit[],
  { manifestId, adopts, principals }: ContestContext,
): ContestedFields[] {
  if (edits.length === 0) return []
  return listOwners(actual).flatMap((manifest): ContestedFields[] => {
    const isReplaced = adopts && manifest === actual.manager
    const fields = findRecorded(actual, manifest, principals)?.fields
    if (manifest === manifestId || isReplaced || fields === undefined) return []
    const found = edits.flatMap((edit) => {
      const name = namesOf(edit, actual.cls, principals).find((one) => fields.has(one))
      return name === undefined ? [] : [{ pointer: edit.pointer, name }]
    })
    if (found.length === 0) return []
    const names = new Set(found.map(({ name }) => name))
    return [{ manifest, pointers: found.map(({ pointer }) => pointer), names }]
  })
}

/** Lists the names in field marks of what an edit changes. */
function namesOf({ pointer, from, to, released }: Edit, cls: string, { ids }: Principals): string[] {
  const [block = '', field] = splitPointer(pointer)
  if (released) return []
  if (block === 'permissions')
    return to !== undefined
      ? ['permissions']
      : ['permissions', ruleName(String(from), ids), 'permissions/*', 'permissions.include']
  if (block === 'resmeta') return ['resmeta', partName(block, field ?? ''), 'resmeta/*']
  if (block === 'file') return ['files']
  if (field === undefined || block === 'files') return [block]
  return [`${block}.${field}`, ...(hasScalarDefault(cls, block, field) ? [block] : [])]
}

/** The manager of a resource sets the omitted fields of a member, except lists and maps, which users may fill. */
function hasScalarDefault(cls: string, member: string, field: string): boolean {
  const { properties } = (isCls(cls) ? descriptorOf(cls).members[member] : undefined) ?? {}
  const fallback = (properties as Readonly<Record<string, Schema>> | undefined)?.[field]?.default
  return typeof fallback !== 'object' || fallback === null
}

/** Reports fields that another manifest sets too. */
export function reportContested(wanted: WantedResource, contested: readonly ContestedFields[]): Issue[] {
  return contested.map(({ manifest, pointers }) => {
    const fields = [...new Set(pointers.map((pointer) => splitPointer(pointer).join('.')))].join(', ')
    const message = `the manifest "${manifest}" sets ${fields} of "${wanted.key}" too`
    const hint = `Remove it from one of the manifests. To set it with this one from now on, use --take ${wanted.key}.`
    return { ...issueAt(wanted, 'plan/foreign', message, pointers[0]), hint }
  })
}
