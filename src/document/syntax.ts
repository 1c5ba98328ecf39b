import { type Document, type ErrorCode, isScalar, visit, type YAMLError } from 'yaml'
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
  BLOCK_AS_IMPLICIT_KEY: 'put a value with ": " in quotes, or move what it holds to a line of its own',
  BLOCK_IN_FLOW: 'inside { } and [ ] everything is written with { } and [ ]',
  MISSING_CHAR: 'add what is missing',
  MULTILINE_IMPLICIT_KEY: 'check the indentation, and the colon after the key',
  TAB_AS_INDENT: 'indent with spaces',
  TAG_RESOLVE_FAILED: 'remove the tag',
  UNEXPECTED_TOKEN: 'check brackets, quotes and indentation',
}

/** Says where a fault of the parser is, and in which words. */
export function describeSyntax(document: Document, text: string, error: YAMLError): SyntaxFault {
  const [start, end] = error.pos
  const open = /^Missing closing/.test(error.message) ? findOpenQuote(document, start) : undefined
  if (open !== undefined)
    return {
      range: { start: open, end: endOfLine(text, open) },
      message: 'this quote is never closed',
      hint: 'close it; a quote inside the text is written twice (' + "'') or, between double quotes, as \\\"",
    }
  const hint = isExpressionInFlow(text, start)
    ? 'inside { } and [ ] put expressions in quotes: "${env.NAME}"'
    : hints[error.code]
  return { range: { start, end }, message: lowerFirst(error.message), ...(hint ? { hint } : {}) }
}

/** Finds where a quoted text starts that goes on to the end of the file. */
function findOpenQuote(document: Document, end: number): number | undefined {
  let found: number | undefined
  visit(document, {
    Scalar: (_, node) => {
      const isQuoted = isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE')
      if (isQuoted && node.range?.[1] === end) found = node.range[0]
    },
  })
  return found
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
