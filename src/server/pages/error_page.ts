import type { Caller } from '../auth/caller.ts'
import { escapeHtml } from './html.ts'
import { documentHtml } from './html_document.ts'
import { callerHtml, headerHtml } from './layout.ts'
import { loginAddress, readNext } from './login_address.ts'

/** Content of an error page. */
export interface ErrorPage {
  readonly status: number
  readonly title: string
  readonly message: string
  /** Path and query of the requested page, for the link to sign in; undefined if it was not a page. */
  readonly path: string | undefined
  /** Whether the server has the catalog of geoservices, to link to it. */
  readonly hasCatalog: boolean
  /** Whether the session of the request has ended, so that guests may still see the page. */
  readonly hasSessionEnded: boolean
  /** Who requested the page; undefined if the request failed before that was known. */
  readonly caller: Caller | undefined
}

/** Writes an error page. */
export function errorPage(page: ErrorPage): string {
  const { status, title, message, hasCatalog, caller, path } = page
  // A guest finds the link to sign in below the message.
  const account = caller === undefined || caller.isGuest ? '' : callerHtml(caller, path ?? '/')
  const body = `${headerHtml(hasCatalog, account)}
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
${linksHtml(page)}
</main>`
  return documentHtml(`${status} ${title}`, body)
}

function linksHtml({ status, path, hasSessionEnded }: ErrorPage): string {
  const login = path === undefined ? '/login' : loginAddress(path)
  const here = readNext(path)
  const links = [
    ...(status === 401 || status === 403 ? [[login, 'Log in']] : []),
    ...(hasSessionEnded && here !== '/' ? [[here, 'Continue as a guest']] : []),
    ['/', 'Start page'],
  ]
  const items = links.map(([href = '', text]) => `<li><a href="${escapeHtml(href)}">${text}</a></li>`)
  return `<ul class="links">${items.join('')}</ul>`
}
