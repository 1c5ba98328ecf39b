import { countOf } from '../../core/count.ts'
import type { StyleEdit } from '../../style/diff/style_diff.ts'
import { oneLine, type Paint } from './text_format.ts'

/** Maximum number of lines for a style. */
const maxLines = 30

const looks = { add: ['+', 'green'], remove: ['-', 'red'], change: ['~', 'yellow'] } as const

/** Formats the differences of a style: a line for each rule, symbol layer or label that changes. */
export function formatStyleEdits(edits: readonly StyleEdit[], paint: Paint): string[] {
  const lines: { head: string; sign: string; changes: string[] }[] = []
  for (const { path, action, property, from, to } of edits) {
    const head = path.length === 0 ? 'style' : path.map(oneLine).join(' / ')
    const change = property === undefined ? oneLine(to ?? from ?? '') : `${property} ${showPair(from, to)}`
    const sign = paint(looks[action][1], looks[action][0])
    const last = lines.at(-1)
    if (last?.head === head && action === 'change') last.changes.push(change)
    else lines.push({ head, sign, changes: [change] })
  }
  const shown = lines
    .slice(0, maxLines)
    .map(({ head, sign, changes }) => `  ${sign} ${head}  ${changes.join(', ')}`)
  const more = lines.length - shown.length
  return more === 0 ? shown : [...shown, `  … and ${countOf(more, 'change')} more`]
}

const maxLength = 100

/** Characters before the difference that are shown of long texts. */
const shownBefore = 20

/** Formats the values of a change; long texts that start alike, from where they differ. */
function showPair(from: string | undefined, to: string | undefined): string {
  const [old, next] = [oneLine(from ?? 'none'), oneLine(to ?? 'none')]
  let start = 0
  while (start < old.length && old[start] === next[start]) start += 1
  const skipped = old !== next && start >= maxLength - shownBefore ? start - shownBefore : 0
  return `${cut(old, skipped)} → ${cut(next, skipped)}`
}

function cut(text: string, skipped: number): string {
  const rest = skipped === 0 ? text : `…${text.slice(skipped)}`
  return rest.length > maxLength ? `${rest.slice(0, maxLength - 1)}…` : rest
}
