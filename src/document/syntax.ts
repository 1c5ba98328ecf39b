import { type Document, type ErrorCode, isNode, visit, type YAMLError } from 'yaml'
import type { Range } from './lines.ts'

/** A fault of syntax: where, what, and what to do. */
export interface SyntaxFault {
  readonly range: Range
  readonly message: string
  readonly hint?: string
}

const hints: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'check the indentation of this line and of the one above',
  BAD_SCALAR_START: 'put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'put the value in quotes, or check the indentation of the lines around',
  BLOCK_IN_FLOW: 'inside { } and [ ] everything is written with { } and [ ]',
  MULTILINE_IMPLICIT_KEY: 'check the indentation, and the colon after the key',
  TAB_AS_INDENT: 'indent with spaces',
  TAG_RESOLVE_FAILED: 'remove the tag',
  UNEXPECTED_TOKEN: 'check brackets, quotes and indentation',
}

/** Plainer words than the parser's. */
const words: Partial<Record<ErrorCode, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'this value holds ": ", which makes it a map',
  MULTILINE_IMPLICIT_KEY: 'a key stands in one line, with a colon behind it',
  RESOURCE_EXHAUSTION: 'nested too deep to be read',
  TAB_AS_INDENT: 'a tab does not count as indentation',
  TAG_RESOLVE_FAILED: 'tags are not read',
}

/** Says where a fault of the parser is, and in which words. */
export function describeSyntax(document: Document, text: string, error: YAMLError): SyntaxFault {
  const [start, end] = error.pos
  const open = findOpening(document, text, error)
  if (open !== undefined) return open
  const hint = isExpressionInFlow(text, start)
    ? 'inside { } and [ ] put expressions in quotes: "${env.NAME}"'
    : hints[error.code]
  const message = words[error.code] ?? lowerFirst(error.message)
  return { range: { start, end }, message, ...(hint ? { hint } : {}) }
}

/** What is never closed is shown where it opens, not where the parser gave up. */
function findOpening(document: Document, text: string, error: YAMLError): SyntaxFault | undefined {
  const isQuote = /^Missing closing/.test(error.message)
  const isBracket = /^Flow .* end with a/.test(error.message)
  if (!isQuote && !isBracket) return undefined
  let start: number | undefined
  visit(document, (_, node) => {
    if (!isNode(node) || node.range?.[1] !== error.pos[0]) return
    const opens = isQuote ? /["']/ : /[[{]/
    if (opens.test(text.charAt(node.range[0]))) start = node.range[0]
  })
  if (start === undefined) return undefined
  return isQuote
    ? {
        range: { start, end: endOfLine(text, start) },
        message: 'this quote is never closed',
        hint: "close it; a quote inside the text is written twice ('') or, between double quotes, as \\\"",
      }
    : {
        range: { start, end: start + 1 },
        message: `this ${text[start]} is never closed`,
        hint: `close it with ${text[start] === '{' ? '}' : ']'}`,
      }
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

/** `{ id: ${env.SRS} }`: to YAML, the brace of the expression opens a map. */
function isExpressionInFlow(text: string, offset: number): boolean {
  return text.startsWith('{env.', offset) && text[offset - 1] === '$'
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
