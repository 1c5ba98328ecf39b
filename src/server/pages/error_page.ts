import { escapeHtml } from './html.ts'
import { documentHtml } from './html_document.ts'
import { headerHtml } from './layout.ts'
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
}

/** Writes an error page. */
export function errorPage(page: ErrorPage): string {
  const { status, title, message, hasCatalog } = page
  const body = `${headerHtml(hasCatalog)}
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
