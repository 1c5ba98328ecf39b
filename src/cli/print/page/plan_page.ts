import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Change, Plan } from '../../../reconcile/model/change.ts'
import { escapeHtml } from '../../../server/pages/html.ts'
import { formatAccess } from '../access.ts'
import { formatDetails, formatSummary, signs } from '../plan.ts'
import { countMarks, listFacts, listIssues, marks, type PlanDocument, showMark } from '../plan_facts.ts'
import { type Paint, plainLine, plainText } from '../text_format.ts'
import { buildTree, type PlanNode } from './plan_tree.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/**
 * Writes a plan as one HTML page that requests nothing: the tree of changes, with a search and filters, errors and changes
 * of access. Its policy allows its own style and script only, so that names from servers cannot run scripts.
 */
export function formatPlanPage(document: PlanDocument): string {
  const style = `${read('../../../contract/theme.css')}\n${read('./plan_page.css')}`
  const script = read('./plan_page_script.js')
  const title = escapeHtml(plainLine(formatSummary(document.plan)))
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src data:; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${factsHtml(document)}
${issuesHtml(document)}
${accessHtml(document.plan)}
${changesHtml(document.plan)}
</main>
<script>${script}</script>
</body>
</html>
`
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function factsHtml(document: PlanDocument): string {
  const facts = listFacts(document).map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  return `<dl>${facts.join('')}</dl>`
}

function issuesHtml(document: PlanDocument): string {
  return listIssues(document)
    .map(({ title, text, isError }) => {
      const content = escapeHtml(plainText(text))
      return `<details class="issues ${isError ? 'error' : 'warning'}"${isError ? ' open' : ''}><summary>${title}</summary><pre>${content}</pre></details>`
    })
    .join('\n')
}

function accessHtml({ access }: Plan): string {
  const { paint, toHtml } = createPaint()
  const lines = formatAccess(access, paint).slice(1, -1)
  if (lines.length === 0) return ''
  const items = lines.map((line) => `<li>${toHtml(line.trim())}</li>`)
  return `<section><h2>Access</h2><ul class="access">${items.join('')}</ul></section>`
}

function changesHtml(plan: Plan): string {
  const counts = countMarks(plan)
  const present = marks.filter((mark) => counts[mark] > 0)
  if (present.length === 0) return '<p>No changes.</p>'
  const boxes = present.map(
    (mark) =>
      `<label class="${mark}"><input type="checkbox" name="mark" value="${mark}" checked> ${showMark(mark, counts[mark])}</label>`,
  )
  const nodes = buildTree(plan).map((node) => nodeHtml(node, createPaint()))
  return `<section><h2>Changes</h2>
<form class="filter" role="search" hidden>
<input type="search" id="search" placeholder="Search" aria-label="Search changes" autocomplete="off">
<fieldset><legend>Show</legend>${boxes.join(' ')}</fieldset>
<output aria-live="polite"></output>
</form>
<ul class="tree">${nodes.join('\n')}</ul>
</section>`
}

const unknownSign = ['?', 'magenta'] as const

function nodeHtml({ name, entries, children }: PlanNode, ink: Ink): string {
  const below = children.map((child) => nodeHtml(child, ink)).join('\n')
  const list = below === '' ? '' : `<ul>${below}</ul>`
  const shownName = escapeHtml(plainLine(name))
  if (entries.length === 0) return `<li><span class="place">${shownName}</span>${list}</li>`
  const items = entries.map(({ mark, key, cls, change, reason }, at) => {
    const [sign] = mark === 'unknown' ? unknownSign : signs[mark]
    const lines = change === undefined ? [reason ?? ''] : formatDetails(change, ink.paint)
    const details = lines.length === 0 ? '' : `<pre>${lines.map((line) => ink.toHtml(line)).join('\n')}</pre>`
    const words = escapeHtml(plainLine([key, cls, name, ...textsOf(change)].join(' ').toLowerCase()))
    const head = `<span class="sign">${sign}</span> <b>${shownName}</b> <code>${escapeHtml(plainLine(key))}</code> <small>${escapeHtml(plainLine(cls))}</small>`
    return `<li class="${mark}" data-mark="${mark}" data-words="${words}"><div class="head">${head}</div>${details}${at === entries.length - 1 ? list : ''}</li>`
  })
  return items.join('\n')
}

/** Names of the changed fields, for the search. */
const textsOf = (change: Change | undefined) => change?.edits.map(({ pointer }) => pointer) ?? []

interface Ink {
  readonly paint: Paint
  /** Converts a painted line to HTML. */
  toHtml(line: string): string
}

/** Returns a paint with marks that no text can contain, since they are random, and its conversion to HTML. */
function createPaint(): Ink {
  const mark = randomUUID()
  return {
    paint: (colour, text) => `${mark}${colour};${text}${mark};`,
    toHtml: (line) =>
      escapeHtml(plainText(line))
        .replaceAll(new RegExp(`${mark}(\\w+);`, 'g'), '<span class="$1">')
        .replaceAll(`${mark};`, '</span>'),
  }
}
