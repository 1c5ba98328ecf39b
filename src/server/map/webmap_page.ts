import type { WebBundle } from '../http/web_files.ts'
import { escapeHtml } from '../pages/html.ts'

/** Content of a web map page. */
export interface WebmapPage {
  readonly id: number
  readonly title: string
  readonly bundle: WebBundle
  /** Address of the server, by that of the request. */
  readonly base: string
  /** Whether to omit layer tree and tools, for embedding in other sites. */
  readonly tiny: boolean
  /** Maximum time of drawing an image, for which the page waits. */
  readonly renderTimeoutSeconds: number
}

/** Writes a web map page, which contains only the title and the bundle. */
export function webmapPage(page: WebmapPage): string {
  const { id, title, bundle, base, tiny, renderTimeoutSeconds } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta property="og:title" content="${escapeHtml(title)}">
<meta property="og:image" content="${escapeHtml(`${base}/api/resource/${id}/preview.png`)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${bundle.stylesheet}">
<script type="module" src="${bundle.script}"></script>
</head>
<body data-webmap="${id}" data-render-timeout="${renderTimeoutSeconds}"${tiny ? ' data-tiny' : ''}>
<noscript>This map needs JavaScript.</noscript>
</body>
</html>
`
}

/** What the policy of a page allows. */
export interface PagePolicy {
  /** Whether other sites may embed the page. */
  readonly tiny: boolean
  /** Origins of images apart from this server: those of base maps. */
  readonly imageOrigins: readonly string[]
}

/** Headers of the page: the policy allows only the bundle, resources of this server and the tiles of base maps. */
export function pageHeaders({ tiny, imageOrigins }: PagePolicy): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: blob:", ...imageOrigins].join(' '),
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
