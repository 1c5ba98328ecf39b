import { type Document, type ErrorCode, isNode, visit, type YAMLError } from 'yaml'
import type { Range } from './line_starts.ts'

/** A syntax fault. */
export interface SyntaxFault {
  readonly range: Range
  readonly message: string
  readonly hint?: string
}

const hints: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'check the indentation of this line and of the one above',
  BAD_SCALAR_START: 'quote the value',
  BLOCK_AS_IMPLICIT_KEY: 'quote the value, or check the indentation of the surrounding lines',
  BLOCK_IN_FLOW: 'use { } and [ ] for maps and lists inside { } and [ ]',
  MULTILINE_IMPLICIT_KEY: 'check the indentation, and the colon after the key',
  TAB_AS_INDENT: 'indent with spaces',
  TAG_RESOLVE_FAILED: 'remove the tag',
  UNEXPECTED_TOKEN: 'check brackets, quotes and indentation',
}

/** Replacements for the messages of the parser. */
const messages: Partial<Record<ErrorCode, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'this value contains ": ", which makes it a map',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line, followed by a colon',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAB_AS_INDENT: 'tabs are not allowed for indentation',
  TAG_RESOLVE_FAILED: 'tags are not supported',
}

/** Describes a fault found by the parser. */
export function describeSyntax(document: Document, text: string, error: YAMLError): SyntaxFault {
  const [start, end] = error.pos
  const open = findUnclosed(document, text, error)
  if (open !== undefined) return open
  const hint = isExpressionInFlow(text, start)
    ? 'quote expressions inside { } and [ ]: "${env.NAME}"'
    : hints[error.code]
  const message = messages[error.code] ?? lowerFirst(error.message)
  return { range: { start, end }, message, ...(hint ? { hint } : {}) }
}

/** Locates an unclosed quote or bracket at its opening, not where the parser stopped. */
function findUnclosed(document: Document, text: string, error: YAMLError): SyntaxFault | undefined {
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
        message: 'unclosed quote',
        hint: "close it; escape a quote inside the string as '' or, between double quotes, as \\\"",
      }
    : {
        range: { start, end: start + 1 },
        message: `unclosed ${text[start]}`,
        hint: `close it with ${text[start] === '{' ? '}' : ']'}`,
      }
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

/** In `{ id: ${env.SRS} }`, YAML reads the brace of the expression as the start of a map. */
function isExpressionInFlow(text: string, offset: number): boolean {
  return text.startsWith('{env.', offset) && text[offset - 1] === '$'
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
