import { escapeHtml } from './html.ts'

/** Writes an address with a button to copy it, which the script of the page shows. */
export function addressHtml(name: string, address: string): string {
  return `<div class="address"><label>${escapeHtml(name)} <input readonly value="${escapeHtml(address)}"></label>
<button type="button" aria-label="Copy ${escapeHtml(name)}" hidden>Copy</button><span class="copied" role="status"></span></div>`
}
