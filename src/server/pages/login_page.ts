import type { Caller } from '../auth/caller.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'

/** Content of the sign-in page. */
export interface LoginForm {
  readonly caller: Caller
  readonly hasCatalog: boolean
  /** Path to redirect to after signing in. */
  readonly next: string
  /** Login of the previous attempt. */
  readonly login?: string
  /** Why to sign in. */
  readonly note?: string
  /** Error message of the previous attempt. */
  readonly fault?: string
}

/** Writes the sign-in page. */
export function loginPage({ caller, hasCatalog, next, login = '', note, fault }: LoginForm): string {
  const alert = fault === undefined ? '' : `<p class="fault" role="alert">${escapeHtml(fault)}</p>`
  const reason = note === undefined ? '' : `<p>${escapeHtml(note)}</p>`
  // After a wrong password the login stands there already.
  const [first, second] = login === '' ? [' autofocus', ''] : ['', ' autofocus']
  const content = `<h1>Log in</h1>${alert}${reason}
<form method="post" action="/login">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<label>Login <input name="login" value="${escapeHtml(login)}" autocomplete="username" required${first}></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required${second}></label>
<button>Log in</button>
</form>`
  return layoutPage({ title: 'Log in', caller, path: next, content, hasCatalog })
}
