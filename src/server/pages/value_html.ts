import { escapeHtml } from './html.ts'

/** Writes a value of JSON as HTML: lists of plain objects as tables, texts of many lines as they stand, other structures as JSON. */
export function valueHtml(value: unknown): string {
  if (value === null || value === undefined) return '<span class="quiet">none</span>'
  if (typeof value === 'string' && value.includes('\n')) return `<pre>${escapeHtml(value)}</pre>`
  if (typeof value !== 'object') return escapeHtml(String(value))
  if (Array.isArray(value) && value.length > 0 && value.every(isFlat)) return listHtml(value)
  if (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0)
    return '<span class="quiet">empty</span>'
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`
}

type Flat = Readonly<Record<string, unknown>>

function isFlat(value: unknown): value is Flat {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => typeof member !== 'object' || member === null || 'id' in member)
  )
}

function listHtml(items: readonly Flat[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const head = names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`)
  const rows = items.map(
    (item) => `<tr>${names.map((name) => `<td>${cellHtml(item[name])}</td>`).join('')}</tr>`,
  )
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function cellHtml(value: unknown): string {
  if (value === null || value === undefined) return ''
  return escapeHtml(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
