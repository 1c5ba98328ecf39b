import {
  type JournalChange,
  type JournalEntry,
  journalActions,
  outcomeNames,
} from '../../contract/bodies/journal.ts'
import { countOf, showNumber } from '../../core/count.ts'
import { formatColumns, plainLine } from './text_format.ts'

/** Words of counts: of an action where the outcome is unknown. */
const words: readonly string[] = [...outcomeNames, ...journalActions.map((action) => `to ${action}`)]

/** Formats entries of the journal in columns, with the changes that they have below. */
export function formatHistory(entries: readonly JournalEntry[]): string {
  if (entries.length === 0) return 'The journal has no entries of this kind.'
  const rows = entries.map((entry) => [
    String(entry.id),
    entry.began.replace('T', ' '),
    plainLine(entry.user),
    plainLine(entry.manifest),
    plainLine(entry.commit ?? '-'),
    resultOf(entry),
    formatCounts(entry),
  ])
  const [head, ...lines] = formatColumns(
    ['ID', 'UTC', 'USER', 'MANIFEST', 'COMMIT', 'RESULT', 'CHANGES'],
    rows,
  ).split('\n')
  return [
    head,
    ...lines.flatMap((line, at) => [line, ...(entries[at]?.changes ?? []).map(formatChange)]),
  ].join('\n')
}

const resultOf = ({ result, undoes }: JournalEntry) =>
  `${result ?? 'unknown'}${undoes == null ? '' : ` (undo of ${undoes})`}`

function formatCounts({ counts }: JournalEntry): string {
  const listed = words.flatMap((word) => {
    const count = counts[word]
    return count === undefined ? [] : [`${showNumber(count)} ${word}`]
  })
  return listed.join(', ')
}

function formatChange({
  action,
  outcome,
  key,
  cls,
  display_name,
  deleted_with: above,
  bad_count: badCount = 0,
}: JournalChange): string {
  const why = above === undefined ? '' : `  with ${above}`
  const left = badCount > 0 ? `  ${countOf(badCount, 'invalid feature')} skipped` : ''
  return plainLine(`  ${outcome ?? `to ${action}`}  ${key}  ${cls}  ${display_name}${why}${left}`)
}
