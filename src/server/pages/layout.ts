import type { Caller } from '../auth/caller.ts'
import { escapeHtml } from './html.ts'
import { documentHeaders, documentHtml } from './html_document.ts'
import { loginAddress } from './login_address.ts'

/** A page around its content, which is HTML. */
export interface Layout {
  readonly title: string
  /** Who looks at it. */
  readonly caller: Caller
  /** Path of the page, to come back to after logging in. */
  readonly path: string
  readonly content: string
}

/** Writes a page with the way home and who is logged in on top. */
export function layoutPage({ title, caller, path, content }: Layout): string {
  const top = `<p><a href="/">landform</a> <a href="/docs">API</a></p>${whoHtml(caller, path)}`
  return documentHtml(title, `<header class="top">${top}</header>\n<main>${content}</main>`)
}

function whoHtml(caller: Caller, path: string): string {
  if (caller.isGuest) return `<p><a href="${escapeHtml(loginAddress(path))}">Log in</a></p>`
  const name = escapeHtml(caller.displayName)
  // Who came with each request, and not with a session, has nothing to end.
  if (caller.medium !== 'session') return `<p>${name}</p>`
  return `<form method="post" action="/logout">${name} <button>Log out</button></form>`
}

/** Header fields of these pages: what they show is for who looks at them alone. */
export const layoutHeaders: Readonly<Record<string, string>> = {
  ...documentHeaders,
  'cache-control': 'no-store',
}
