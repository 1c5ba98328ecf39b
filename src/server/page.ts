/** A small page that reports a failure to a person. */
export function errorPage(status: number, title: string, message: string): string {
  const login = status === 401 || status === 403 ? '<p><a href="/login">Log in</a></p>' : ''
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${status} ${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>body{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;padding:0 1rem}</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p>${login}</body>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Makes text safe between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
