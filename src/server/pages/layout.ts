import { createHash } from 'node:crypto'
import type { Caller } from '../caller.ts'
import { escapeHtml } from '../page.ts'

/** A page around its content, which is HTML. */
export interface Layout {
  readonly title: string
  /** Who looks at it. */
  readonly caller: Caller
  /** Path of the page, to come back to after logging in. */
  readonly path: string
  readonly content: string
}

const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:0 1rem 3rem}
header{display:flex;gap:1rem;align-items:baseline;justify-content:space-between;border-bottom:1px solid var(--line);padding:.6rem 0}
header form,header p{margin:0}nav ol{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem .5rem;padding:0}nav li+li::before{content:"/ ";opacity:.6}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.25rem .8rem .25rem 0}
th{font-weight:600}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}code{overflow-wrap:anywhere}
.links{display:flex;flex-wrap:wrap;gap:.5rem 1.2rem;padding:0;list-style:none}.quiet{opacity:.7}.fault{color:#c00}
label{display:block;margin:.8rem 0}input{display:block;font:inherit;padding:.3rem;width:100%;max-width:20rem;box-sizing:border-box}
button{font:inherit;padding:.25rem .8rem}:focus-visible{outline:3px solid #2a6fdb;outline-offset:2px}details{margin:.3rem 0}`

const styleDigest = createHash('sha256').update(style).digest('base64')

/** Writes a page that needs no script and nothing from elsewhere. */
export function layoutPage({ title, caller, path, content }: Layout): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${style}</style></head>
<body>
<header><p><a href="/">landform</a> <a class="quiet" href="/docs">API</a></p>${whoHtml(caller, path)}</header>
<main>${content}</main>
</body>
</html>
`
}

function whoHtml(caller: Caller, path: string): string {
  if (caller.isGuest) return `<p><a href="/login?next=${encodeURIComponent(path)}">Log in</a></p>`
  const name = escapeHtml(caller.displayName)
  // Who came with each request, and not with a session, has nothing to end.
  if (caller.medium !== 'session') return `<p>${name}</p>`
  return `<form method="post" action="/logout">${name} <button>Log out</button></form>`
}

/** Header fields of these pages: nothing runs in them, and nothing is loaded. */
export const layoutHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleDigest}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
}
