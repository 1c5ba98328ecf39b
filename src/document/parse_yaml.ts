import {
  type Document,
  type ErrorCode,
  isNode,
  LineCounter,
  parseAllDocuments,
  visit,
  type YAMLError,
} from 'yaml'
import { compareIssues, type Issue } from '../core/issue.ts'
import { composeNode, type Report, tooDeep } from './compose_node.ts'
import { findLineStarts, type LineStarts, lineAt, type Range, spanOfRange } from './line_starts.ts'
import { readPlainDocument, readPlainValue } from './plain/plain_yaml.ts'
import { createDocument, type Node, type YamlDocument } from './yaml_node.ts'

/** Content of a file. A document with issues may lack parts: use it to look up names, not to act on. */
export interface ParsedYaml {
  /** One for each `---`; empty for a file without content. */
  readonly documents: readonly YamlDocument[]
  /** Sorted by position. */
  readonly issues: readonly Issue[]
}

/** A syntax fault. */
interface SyntaxFault {
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

/**
 * Parses YAML 1.2 with the core schema into values with positions. Keys are strings, numbers are exact, aliases and
 * merge keys (`<<`) are resolved.
 *
 * @see https://yaml.org/spec/1.2.2/
 */
export function parseYaml(file: string, text: string): ParsedYaml {
  const document = parsePlain(file, text)
  return document === undefined ? parseFully(file, text) : { documents: [document], issues: [] }
}

function parsePlain(file: string, text: string): YamlDocument | undefined {
  // The positions of expressions are always needed.
  if (text.includes('${')) {
    const root = readPlainDocument(text)
    return root && createDocument({ file, text, readRoot: () => root })
  }
  const value = readPlainValue(text)
  if (value === undefined) return undefined
  const readRoot = () => readPlainDocument(text) as Node
  return createDocument({ file, text, readRoot, readValue: () => value })
}

/** Parses any YAML with the full parser. */
export function parseFully(file: string, text: string): ParsedYaml {
  const lines = findLineStarts(text)
  const issues: Issue[] = []
  const report: Report = ({ code, range, message, hint, severity = 'error' }) => {
    const span = spanOfRange(file, lines, range)
    issues.push({ code, severity, message, span, ...(hint === undefined ? {} : { hint }) })
  }
  const documents = parseDocuments(text).map((parsed) => {
    const root = composeNode(parsed, { text, lines }, report)
    // Where the parser stops is a consequence of the depth.
    const isDeep = issues.some(({ message }) => message === tooDeep)
    checkSyntax(parsed, { text, lines, report, isDeep })
    return createDocument({ file, text, readRoot: () => root })
  })
  return { documents, issues: issues.sort(compareIssues) }
}

function parseDocuments(text: string): readonly Document.Parsed[] {
  return [
    ...parseAllDocuments(text, {
      lineCounter: new LineCounter(),
      uniqueKeys: false,
      prettyErrors: false,
      resolveKnownTags: false,
      version: '1.2',
      schema: 'core',
    }),
  ]
}

interface SyntaxContext {
  readonly text: string
  readonly lines: LineStarts
  readonly report: Report
  /** Whether the document is nested too deeply, which is reported already. */
  readonly isDeep: boolean
}

/** Reports the first fault of each line: later ones are consequences of it. */
function checkSyntax(parsed: Document.Parsed, { text, lines, report, isDeep }: SyntaxContext): void {
  const reportedLines = new Set<number>()
  let openings: Openings | undefined
  const findOpenings = () => {
    openings ??= indexOpenings(parsed, text)
    return openings
  }
  for (const error of [...parsed.errors, ...parsed.warnings].filter(isPrimaryFault)) {
    if (isDeep && error.code === 'RESOURCE_EXHAUSTION') continue
    const fault = describeSyntax(text, error, findOpenings)
    const line = lineAt(lines, fault.range.start)
    if (!reportedLines.has(line)) report({ code: 'yaml/syntax', ...fault })
    reportedLines.add(line)
  }
  const { yaml } = parsed.directives
  if (yaml.explicit && yaml.version !== '1.2')
    report({
      code: 'yaml/syntax',
      range: { start: 0, end: 5 },
      message: `YAML ${yaml.version} is not supported`,
    })
}

/** Unexpected tokens after another fault are consequences of it. */
function isPrimaryFault(error: YAMLError, index: number): boolean {
  return index === 0 || error.code !== 'UNEXPECTED_TOKEN'
}

/** Describes a fault found by the parser. */
function describeSyntax(text: string, error: YAMLError, findOpenings: () => Openings): SyntaxFault {
  const [start, end] = error.pos
  const open = findUnclosed(text, error, findOpenings)
  if (open !== undefined) return open
  const hint = isExpressionInFlow(text, start)
    ? 'quote expressions inside { } and [ ]: "${env.NAME}"'
    : hints[error.code]
  const message = messages[error.code] ?? lowerFirst(error.message)
  return { range: { start, end }, message, ...(hint ? { hint } : {}) }
}

/** Starts of quotes and brackets by the position where the parser ended them; the last one of each position. */
interface Openings {
  readonly quotes: ReadonlyMap<number, number>
  readonly brackets: ReadonlyMap<number, number>
}

/** A document may have as many unclosed brackets as characters: it is searched once for all of them. */
function indexOpenings(document: Document, text: string): Openings {
  const quotes = new Map<number, number>()
  const brackets = new Map<number, number>()
  visit(document, (_, node) => {
    if (!isNode(node) || node.range == null) return
    const [start, end] = node.range
    const opening = text.charAt(start)
    if (/["']/.test(opening)) quotes.set(end, start)
    else if (/[[{]/.test(opening)) brackets.set(end, start)
  })
  return { quotes, brackets }
}

/** Locates an unclosed quote or bracket at its opening, not where the parser stopped. */
function findUnclosed(text: string, error: YAMLError, findOpenings: () => Openings): SyntaxFault | undefined {
  const isQuote = /^Missing closing/.test(error.message)
  const isBracket = /^Flow .* end with a/.test(error.message)
  if (!isQuote && !isBracket) return undefined
  const start = findOpenings()[isQuote ? 'quotes' : 'brackets'].get(error.pos[0])
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
