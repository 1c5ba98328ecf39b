import { type Document, LineCounter, parseAllDocuments, type YAMLError } from 'yaml'
import { compareIssues, type Issue } from '../core/issue.ts'
import { composeNode, type Report } from './compose_node.ts'
import { findLineStarts, type LineStarts, lineAt, spanOfRange } from './line_starts.ts'
import { readPlainDocument, readPlainValue } from './plain/plain_yaml.ts'
import { describeSyntax } from './syntax_fault.ts'
import { createDocument, type Node, type YamlDocument } from './yaml_node.ts'

/** Content of a file. A document with issues may lack parts: use it to look up names, not to act on. */
export interface ParsedYaml {
  /** One for each `---`; empty for a file without content. */
  readonly documents: readonly YamlDocument[]
  /** Sorted by position. */
  readonly issues: readonly Issue[]
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
    checkSyntax(parsed, { text, lines, report })
    const root = composeNode(parsed, text, report)
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
}

/** Reports the first fault of each line: later ones are consequences of it. */
function checkSyntax(parsed: Document.Parsed, { text, lines, report }: SyntaxContext): void {
  const reportedLines = new Set<number>()
  for (const error of [...parsed.errors, ...parsed.warnings].filter(isPrimaryFault)) {
    const fault = describeSyntax(parsed, text, error)
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
