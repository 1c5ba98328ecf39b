import type { Caller } from '../auth/caller.ts'
import { escapeHtml } from './html.ts'
import { documentHeaders, documentHtml } from './html_document.ts'
import { loginAddress } from './login_address.ts'

/** Page with HTML content. */
export interface Layout {
  readonly title: string
  readonly caller: Caller
  /** Path of the page, to return to after signing in. */
  readonly path: string
  readonly content: string
  /** Whether the server has the catalog of geoservices, to link to it. */
  readonly hasCatalog: boolean
  /** Further elements of the head, as HTML. */
  readonly head?: string
}

/** Writes a page with a header that links to the start page and shows the signed-in user. */
export function layoutPage({ title, caller, path, content, hasCatalog, head }: Layout): string {
  return documentHtml(
    title,
    `${headerHtml(hasCatalog, callerHtml(caller, path))}\n<main>${content}</main>`,
    head,
  )
}

/** Writes the header of pages: links to the start page, the catalog and the API, then `more`. */
export function headerHtml(hasCatalog: boolean, more = ''): string {
  const catalog = hasCatalog ? ' <a href="/catalog/">Catalog</a>' : ''
  return `<header class="top"><p><a href="/">landform</a>${catalog} <a href="/docs">API</a></p>${more}</header>`
}

/** Writes who is signed in, with a button to sign out; for guests, a link to sign in that returns to the path. */
export function callerHtml(caller: Caller, path: string): string {
  if (caller.isGuest) return `<p><a href="${escapeHtml(loginAddress(path))}">Log in</a></p>`
  const name = escapeHtml(caller.displayName)
  // Without a session there is nothing to sign out of.
  if (caller.medium !== 'session') return `<p>${name}</p>`
  return `<form method="post" action="/logout">${name} <button>Log out</button></form>`
}

/** Headers of these pages, which are not cached because they depend on the caller. */
export const layoutHeaders: Readonly<Record<string, string>> = {
  ...documentHeaders,
  'cache-control': 'no-store',
}

/** Headers of these pages with a script of this server. */
export const scriptHeaders: Readonly<Record<string, string>> = {
  ...layoutHeaders,
  'content-security-policy': `${documentHeaders['content-security-policy']}; script-src 'self'`,
}
