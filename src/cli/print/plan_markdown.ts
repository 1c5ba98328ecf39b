import { showNumber } from '../../core/count.ts'
import type { Change } from '../../reconcile/model/change.ts'
import { formatAccess } from './access.ts'
import { formatDetails, formatSummary, formatUncompared, signs } from './plan.ts'
import {
  countMarks,
  listFacts,
  listIssues,
  type Mark,
  marks,
  type PlanDocument,
  showMark,
} from './plan_facts.ts'
import { oneLine, painter, plainLine, plainText } from './text_format.ts'

/** Maximum length of a comment on GitHub, in characters. */
export const maxMarkdown = 65_536

/** Characters for what follows the sections: closing tags and the note on what is left out. */
const reserve = 1000

/** Maximum number of lines of a change, and of characters of a line. */
const maxLines = 60
const maxLine = 300

const plain = painter(false)

/**
 * Writes a plan as Markdown for a comment on a pull request: summary, what it is based on, errors, changes of access, and a
 * collapsible section for each kind of change. Leaves out what exceeds the maximum length of a comment, and counts it.
 */
export function formatMarkdown(document: PlanDocument): string {
  const { plan } = document
  const draft: Draft = { parts: [], left: maxMarkdown - reserve }
  const facts = listFacts(document).map(([name, value]) => `${name}: ${codeSpan(value)}`)
  add(draft, `### ${escapeText(formatSummary(plan))}\n\n${facts.join(' · ')}\n`)
  for (const line of formatUncompared(plan)) add(draft, `${escapeText(line)}\n`)
  for (const { title, text, isError } of listIssues(document))
    addSection(draft, { title, isOpen: isError, blocks: [text], language: 'text' })
  const access = formatAccess(plan.access, plain).slice(1, -1)
  if (access.length > 0)
    addSection(draft, {
      title: 'Access',
      isOpen: true,
      blocks: access.map((line) => line.trim()),
      language: 'text',
    })
  const counts = countMarks(plan)
  for (const mark of marks) {
    if (counts[mark] === 0) continue
    const isOpen = mark === 'delete' || mark === 'replace'
    addSection(draft, {
      title: showMark(mark, counts[mark]),
      isOpen,
      blocks: blocksOf(document, mark),
      language: 'diff',
    })
  }
  return draft.parts.join('\n')
}

interface Draft {
  readonly parts: string[]
  /** Number of characters that are left. */
  left: number
}

function add(draft: Draft, text: string): void {
  draft.parts.push(text)
  draft.left -= text.length + 1
}

interface Section {
  readonly title: string
  readonly isOpen: boolean
  readonly blocks: readonly string[]
  readonly language: string
}

/** Adds as many blocks of a section as there is room for; a section without room is its title. */
function addSection(draft: Draft, { title, isOpen, blocks, language }: Section): void {
  const shown: string[] = []
  let room = draft.left - title.length - 150
  for (const block of blocks.map(limitBlock)) {
    room -= block.length + 1
    if (room < 0) break
    shown.push(block)
  }
  const more = blocks.length - shown.length
  const note = more === 0 ? '' : `\n… and ${showNumber(more)} more; landform plan shows all of them.\n`
  if (shown.length === 0) {
    add(draft, `${title}${note === '' ? '' : ': not shown, see landform plan.'}\n`)
    return
  }
  const content = shown.join('\n')
  const fence = fenceOf(content)
  const open = isOpen ? ' open' : ''
  add(
    draft,
    `<details${open}><summary>${title}</summary>\n\n${fence}${language}\n${content}\n${fence}\n${note}\n</details>\n`,
  )
}

function limitBlock(block: string): string {
  const lines = block.split('\n')
  const shown = lines
    .slice(0, maxLines)
    .map((line) => (line.length > maxLine ? `${line.slice(0, maxLine)}…` : line))
  const more = lines.length - shown.length
  return plainText([...shown, ...(more > 0 ? [`      … ${more} more lines`] : [])].join('\n'))
}

/** Backticks, more than in any run of them in the content. */
function fenceOf(content: string, least = 3): string {
  const runs = content.match(/`+/g) ?? []
  return '`'.repeat(Math.max(least, ...runs.map(({ length }) => length + 1)))
}

function codeSpan(text: string): string {
  const fence = fenceOf(text, 1)
  const space = /^`|`$/.test(text) ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

/** Escapes what is not text in Markdown. */
function escapeText(text: string): string {
  return plainLine(text).replaceAll(/[\\`*_{}[\]<>#|~&@!]/g, (found) => `&#${found.codePointAt(0)};`)
}

/** Signs at the start of a line that make it green, red or orange in a diff. */
const diffSigns: Readonly<Record<Mark, string>> = {
  create: '+',
  adopt: '!',
  update: '!',
  move: '!',
  replace: '-',
  delete: '-',
  unknown: '?',
}

function blocksOf({ plan }: PlanDocument, mark: Mark): string[] {
  if (mark === 'unknown')
    return plan.unknown.map(
      ({ key, cls, path, reason }) => `? ${headOf({ key, cls, path })}\n      ${reason}`,
    )
  return plan.changes
    .filter(({ action }) => action === mark)
    .map((change) => {
      const [sign] = signs[mark]
      const more = sign === '>' || sign === '=' || sign === '-/+' ? `${sign} ` : ''
      const head = `${diffSigns[mark]} ${more}${headOf(change)}`
      return [head, ...formatDetails(change, plain).map((line) => `      ${line}`)].join('\n')
    })
}

function headOf({ key, cls, path }: Pick<Change, 'key' | 'cls' | 'path'>): string {
  return `${key}  ${cls}  ${path.map(oneLine).join(' / ')}`
}
