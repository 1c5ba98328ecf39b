import { countOf, showNumber } from '../../core/count.ts'
import { splitPointer } from '../../core/pointer.ts'
import { type Change, countActions } from '../../reconcile/model/change.ts'
import { oneLine } from './text_format.ts'

/** Changes of a kind that are all shown; of more, only the first ones are. */
const maxShown = 50
const shownOfMany = 5

/** A change to show, or changes that are left out. */
export type FoldedChange =
  | { readonly change: Change }
  | { readonly count: number; readonly like: Change; readonly place: string }

/**
 * Leaves out changes of a kind, except the first five, if there are more than fifty: those with the same action, class and
 * parent that change the same fields. Deletions, replacements and changes that lose data are always shown.
 */
export function foldChanges(changes: readonly Change[]): FoldedChange[] {
  if (changes.length <= maxShown) return changes.map((change) => ({ change }))
  const kinds = changes.map(kindOf)
  const sizes = new Map<string, number>()
  for (const kind of kinds) sizes.set(kind, (sizes.get(kind) ?? 0) + 1)
  const seen = new Map<string, number>()
  return changes.flatMap((change, at): FoldedChange[] => {
    const kind = kinds[at] ?? ''
    const size = sizes.get(kind) ?? 0
    const before = seen.get(kind) ?? 0
    seen.set(kind, before + 1)
    if (size <= maxShown || before < shownOfMany) return [{ change }]
    if (before > shownOfMany) return []
    const place = change.path.slice(0, -1).map(oneLine).join(' / ')
    return [{ count: size - shownOfMany, like: change, place }]
  })
}

function kindOf(change: Change): string {
  if (losesData(change)) return `${change.cls} ${change.key}`
  const { action, cls, path, edits, data } = change
  const fields = edits.map(({ pointer }) => splitPointer(pointer).slice(0, 2).join('/'))
  return JSON.stringify([action, cls, path.slice(0, -1), [...new Set(fields)].sort(), data === undefined])
}

function losesData({ action, edits, data, takes }: Change): boolean {
  if (action === 'delete' || action === 'replace' || takes !== undefined) return true
  return edits.some(({ loses }) => loses !== undefined) || (data !== undefined && data.reason !== 'new')
}

/** Counts the changes of large plans by action and class, a line for each action. */
export function countKinds(changes: readonly Change[]): string[] {
  if (changes.length <= maxShown) return []
  return Object.keys(countActions(changes)).flatMap((action) => {
    const counts = new Map<string, number>()
    for (const change of changes)
      if (change.action === action) counts.set(change.cls, (counts.get(change.cls) ?? 0) + 1)
    if (counts.size === 0) return []
    const sorted = [...counts].sort(([, a], [, b]) => b - a)
    return [`${action}: ${sorted.map(([cls, count]) => `${showNumber(count)} ${cls}`).join(', ')}`]
  })
}

/** Describes changes that are left out: `… and 2,995 more vector_layer to create in Main / City`. */
export function formatFold({ count, like, place }: Extract<FoldedChange, { count: number }>): string {
  const where = place === '' ? '' : ` in ${place}`
  return `  … and ${countOf(count, 'similar change')}: ${like.cls} to ${like.action}${where}; see --json`
}
