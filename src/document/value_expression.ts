/**
 * A part of a string: literal text, a variable, a file, a parameter of a fragment, or an invalid expression. `source` is the part as written.
 */
export type TextPart =
  | { readonly kind: 'literal'; readonly source: string; readonly text: string }
  | {
      readonly kind: 'variable'
      readonly source: string
      readonly name: string
      readonly fallback: string | undefined
    }
  | { readonly kind: 'file'; readonly source: string; readonly path: string }
  | { readonly kind: 'parameter'; readonly source: string; readonly name: string }
  | { readonly kind: 'fault'; readonly source: string; readonly message: string; readonly hint: string }

const opening = /\$\$\{|\$\{/g
const parameter = /^param\.([A-Za-z_][A-Za-z0-9_]*)$/
const file = /^file:\s*(\S(?:[\s\S]*\S)?)\s*$/
const variable = /^env\.([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/

/** Splits a string at its expressions. The concatenated sources equal the string. */
export function parseExpressions(text: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const { 0: mark, index } of text.matchAll(opening)) {
    if (index < from) continue
    if (index > from) parts.push(literal(text.slice(from, index)))
    const part = mark === '$${' ? literal(mark, '${') : parseExpression(text, index)
    parts.push(part)
    from = index + part.source.length
  }
  if (from < text.length) parts.push(literal(text.slice(from)))
  return parts
}

function literal(source: string, text = source): TextPart {
  return { kind: 'literal', source, text }
}

function parseExpression(text: string, start: number): TextPart {
  const end = text.indexOf('}', start)
  if (end === -1) return fault(text.slice(start), 'unclosed expression', 'close it with }')
  const source = text.slice(start, end + 1)
  const inner = source.slice(2, -1)
  const [, name, fallback] = variable.exec(inner) ?? []
  if (fallback?.includes('${')) return fault(source, 'a default must not contain an expression')
  if (name !== undefined) return { kind: 'variable', source, name, fallback }
  const [, param] = parameter.exec(inner) ?? []
  if (param !== undefined) return { kind: 'parameter', source, name: param }
  const [, path] = file.exec(inner) ?? []
  if (path !== undefined) return { kind: 'file', source, path }
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(inner)
  return fault(
    source,
    `unknown expression ${source}`,
    isName ? `write \${env.${inner}}, or $${source} for the literal text` : undefined,
  )
}

function fault(source: string, message: string, hint?: string): TextPart {
  return {
    kind: 'fault',
    source,
    message,
    hint: hint ?? 'write ${env.NAME}, ${env.NAME:-default} or ${file:PATH}; write a literal ${ as $${',
  }
}

/** Lists the distinct paths in the file expressions of a string. */
export function listFilePaths(text: string): string[] {
  if (!text.includes('${file:')) return []
  return [...new Set(parseExpressions(text).flatMap((part) => (part.kind === 'file' ? part.path : [])))]
}
