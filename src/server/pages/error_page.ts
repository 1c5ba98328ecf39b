import { escapeHtml } from './html.ts'
import { documentHtml } from './html_document.ts'
import { loginAddress, readNext } from './login_address.ts'

/** A failure that is reported to a person. */
export interface Failure {
  readonly status: number
  readonly title: string
  readonly message: string
  /** Path and query of the page that was asked for, to come back to after logging in; undefined where none was. */
  readonly path: string | undefined
  /** Whether the same page may be there for guests: the session with which it was asked for has ended. */
  readonly hasSessionEnded: boolean
}

/** Writes a small page that reports a failure to a person. */
export function errorPage(failure: Failure): string {
  const { status, title, message } = failure
  const body = `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
${waysHtml(failure)}
</main>`
  return documentHtml(`${status} ${title}`, body)
}

function waysHtml({ status, path, hasSessionEnded }: Failure): string {
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
