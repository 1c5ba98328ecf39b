import { countOf, joinWords } from '../../core/count.ts'
import type { Change } from '../../reconcile/model/change.ts'
import type { LastChange, Referrer, TakenResource, Takes } from '../../reconcile/model/takes.ts'
import { oneLine, type Paint, showBytes } from './text_format.ts'

/** Maximum number of names in a line. */
const maxNames = 20

/** Formats what else a deletion or replacement deletes: counts, the resources below by name, the last change, and referrers. */
export function formatTakes({ takes, action, key }: Change, paint: Paint): string[] {
  if (takes === undefined) return []
  const parts = [
    ...(takes.resources > 0 ? [`${countOf(takes.resources, 'resource')} below it`] : []),
    ...(takes.features === undefined ? ['features that could not be counted'] : []),
    ...(takes.features ? [countOf(takes.features, 'feature')] : []),
    ...listHoldings(takes),
  ]
  const verb = action === 'delete' ? 'also deletes' : 'loses'
  const size = takes.bytes ? ` (${showBytes(takes.bytes)})` : ''
  const own = parts.length === 0 ? [] : [`${verb} ${joinWords(parts)}${size}`]
  const lines = [
    ...own,
    ...formatBelow(takes),
    ...formatUnmanaged(takes),
    ...(takes.referrers ?? []).map(formatReferrer),
  ]
  return [...lines.map((line) => paint('red', line)), ...formatChanged(takes.changed, key)]
}

const listHoldings = ({ files, attachments }: Pick<TakenResource, 'files' | 'attachments'>) => [
  ...(files === undefined ? [] : [countOf(files, 'file')]),
  ...(attachments === undefined ? [] : [countOf(attachments, 'attachment')]),
]

function formatBelow({ below = [] }: Takes): string[] {
  if (below.length === 0) return []
  const more = below.length > maxNames ? `, … and ${countOf(below.length - maxNames, 'resource')} more` : ''
  return [`below it: ${below.slice(0, maxNames).map(formatTaken).join(', ')}${more}`]
}

function formatTaken({ key, cls, display_name, features, ...holdings }: TakenResource): string {
  // A label without a keyname says nothing.
  const name = key.startsWith('#') ? `${key} "${oneLine(display_name)}"` : oneLine(key)
  const counts = [...(features ? [countOf(features, 'feature')] : []), ...listHoldings(holdings)]
  return `${name} (${[oneLine(cls), ...counts].join(', ')})`
}

function formatUnmanaged({ unmanaged }: Takes): string[] {
  if (unmanaged.length === 0) return []
  const more = unmanaged.length > maxNames ? ', …' : ''
  const names = unmanaged.slice(0, maxNames).map(oneLine).join(', ')
  return [`not managed by this manifest: ${names}${more}`]
}

function formatReferrer({ key, cls, path, loses, refuses }: Referrer): string {
  const what = `${refuses ? 'uses it in' : 'loses'} ${loses.map(oneLine).join(', ')}`
  return `${key} (${cls}, ${path.map(oneLine).join(' / ')}) ${what}`
}

function formatChanged(changed: LastChange | undefined, key: string): string[] {
  if (changed === undefined) return []
  const { at, by } = changed
  const what = changed.key === key ? '' : ` (${oneLine(changed.key)})`
  return [`last change ${at.replace('T', ' ')} UTC${by === null ? '' : ` by ${oneLine(by)}`}${what}`]
}
