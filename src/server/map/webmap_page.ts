import type { WebBundle } from '../http/web_files.ts'
import { escapeHtml } from '../pages/html.ts'

/** What the page of a web map is made of. */
export interface WebmapPage {
  readonly id: number
  readonly title: string
  readonly bundle: WebBundle
  /** Without layer tree and tools, for other sites to embed. */
  readonly tiny: boolean
}

/** Writes the page of a web map. It has nothing but a title in it: all else comes with the bundle. */
export function webmapPage({ id, title, bundle, tiny }: WebmapPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${bundle.stylesheet}">
<script type="module" src="${bundle.script}"></script>
</head>
<body data-webmap="${id}"${tiny ? ' data-tiny' : ''}>
<noscript>This map needs JavaScript.</noscript>
</body>
</html>
`
}

/** Header fields of the page: nothing is loaded from elsewhere, and nothing in the page can run but the bundle. */
export function pageHeaders(tiny: boolean): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${tiny ? '*' : "'self'"}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
    'cache-control': 'no-cache',
  }
}
