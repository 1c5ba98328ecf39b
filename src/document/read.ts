import { type Document, LineCounter, parseAllDocuments, type YAMLError } from 'yaml'
import { compareIssues, type Issue } from '../core/issue.ts'
import { composeNode, type Report } from './compose.ts'
import { createDocument, type YamlDocument } from './document.ts'
import { findLineStarts, type LineStarts, lineAt, spanOfRange } from './lines.ts'
import type { Node } from './node.ts'
import { readPlainDocument, readPlainValue } from './plain/block.ts'
import { describeSyntax } from './syntax.ts'

/** What a file holds. A document with issues may lack parts: it is there for finding names, not for acting on. */
export interface ParsedYaml {
  /** One for each `---`; none in a file without content. */
  readonly documents: readonly YamlDocument[]
  /** In the order they stand. */
  readonly issues: readonly Issue[]
}

/**
 * Parses YAML 1.2 with the core schema into values with their places. Text in, values out: keys are strings, numbers
 * exact, aliases and merge keys (`<<`) resolved.
 *
 * @see https://yaml.org/spec/1.2.2/
 */
export function parseYaml(file: string, text: string): ParsedYaml {
  const document = parsePlain(file, text)
  return document === undefined ? parseFully(file, text) : { documents: [document], issues: [] }
}

function parsePlain(file: string, text: string): YamlDocument | undefined {
  // Where there are expressions, their places will be asked for.
  if (text.includes('${')) {
    const root = readPlainDocument(text)
    return root && createDocument({ file, text, readRoot: () => root })
  }
  const value = readPlainValue(text)
  if (value === undefined) return undefined
  const readRoot = () => readPlainDocument(text) as Node
  return createDocument({ file, text, readRoot, readValue: () => value })
}

/** Does the same with the full parser, whatever the text holds. */
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

interface Checking {
  readonly text: string
  readonly lines: LineStarts
  readonly report: Report
}

/** Reports the first fault of each line: the others follow from it. */
function checkSyntax(parsed: Document.Parsed, { text, lines, report }: Checking): void {
  const seen = new Set<number>()
  for (const error of [...parsed.errors, ...parsed.warnings].filter(isOwnFault)) {
    const fault = describeSyntax(parsed, text, error)
    const line = lineAt(lines, fault.range.start)
    if (!seen.has(line)) report({ code: 'yaml/syntax', ...fault })
    seen.add(line)
  }
  const { yaml } = parsed.directives
  if (yaml.explicit && yaml.version !== '1.2')
    report({ code: 'yaml/syntax', range: { start: 0, end: 5 }, message: `YAML ${yaml.version} is not read` })
}

/** After a fault, tokens in places where they may not be are no news. */
function isOwnFault(error: YAMLError, index: number): boolean {
  return index === 0 || error.code !== 'UNEXPECTED_TOKEN'
}
