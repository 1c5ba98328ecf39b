import { catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedCatalog, WantedRecord } from '../../manifest/manifest.ts'
import { labelOf } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import { issueAt } from '../plan/issue_at.ts'
import type { ActualCatalog, ActualRecord } from './actual_catalog.ts'

/** Records with the changes of a plan. */
export interface NamesInput {
  readonly wanted: WantedCatalog
  readonly actual: ActualCatalog
  readonly changes: readonly Change[]
}

/** Reports names of the plan that other records have, unless the plan renames or deletes these. */
export function checkNames({ wanted, actual, changes }: NamesInput): Issue[] {
  return catalogKinds.flatMap((kind) => {
    const own = changes.filter((change) => change.record === kind)
    const leaving = new Set(own.filter(leavesName).map(({ id }) => id))
    const holders = new Map([...actual[kind].values()].map((one) => [one.name, one] as const))
    return own.flatMap((change) => {
      const holder = takesName(change) ? holders.get(change.displayName) : undefined
      const block = wanted[kind].get(change.key)
      if (holder === undefined || block === undefined) return []
      return holder.id === change.id || leaving.has(holder.id) ? [] : [nameTaken(block, holder)]
    })
  })
}

const isRenamed = ({ edits }: Change) => edits.some(({ pointer }) => pointer === '/name')

const leavesName = (change: Change) =>
  change.action === 'delete' || (change.id !== undefined && isRenamed(change))

const takesName = (change: Change) => change.action !== 'delete' && isRenamed(change)

function nameTaken(wanted: WantedRecord, holder: ActualRecord): Issue {
  const message = `the name "${holder.name}" is in use by ${holder.kind} ${labelOf(holder)}`
  const hint = 'Choose another name, or rename the other record.'
  return { ...issueAt(wanted, 'catalog/name-taken', message, '/name'), hint }
}
