import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { escapeHtml } from './html.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const style = `${read('../../contract/theme.css')}\n${read('./pages.css')}`

/** Returns the source of an inline stylesheet in a content security policy. */
export function styleSource(css: string): string {
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`
}

/** Source of the stylesheet of every page in a content security policy. */
export const documentStyle = styleSource(style)

/** Writes a complete HTML document around a body of HTML; `head` has further elements of the head. */
export function documentHtml(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${style}</style>${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** Headers of these pages: the policy allows neither scripts nor resources of other hosts. */
export const documentHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${documentStyle}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
}
