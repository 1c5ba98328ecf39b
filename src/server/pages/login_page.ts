import type { Caller } from '../auth/caller.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'

/** What the form to log in with shows. */
export interface LoginForm {
  readonly caller: Caller
  /** Path of the page to go on with. */
  readonly next: string
  /** What was typed before. */
  readonly login?: string
  /** Why that failed. */
  readonly fault?: string
}

/** Writes the form to log in with. */
export function loginPage({ caller, next, login = '', fault }: LoginForm): string {
  const said = fault === undefined ? '' : `<p class="fault" role="alert">${escapeHtml(fault)}</p>`
  const content = `<h1>Log in</h1>${said}
<form method="post" action="/login">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<label>Login <input name="login" value="${escapeHtml(login)}" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>`
  return layoutPage({ title: 'Log in', caller, path: next, content })
}
