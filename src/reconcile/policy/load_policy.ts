import { relative, resolve } from 'node:path'
import type { Static } from 'typebox'
import { oneOf } from '../../contract/descriptor.ts'
import { problem } from '../../contract/problems.ts'
import type { Fault } from '../../contract/schema/fault.ts'
import { Type } from '../../contract/schema/type.ts'
import { createValidatorCompiler } from '../../contract/schema/validate.ts'
import { compareIssues, hasErrors, type Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { decodeText } from '../../document/decode_text.ts'
import { lineAt, type Range, spanOfRange } from '../../document/line_starts.ts'
import { parseYaml } from '../../document/parse_yaml.ts'
import { readBytes } from '../../document/yaml_files.ts'
import { keySpanAt, nearestNode, spanAt, type YamlDocument } from '../../document/yaml_node.ts'
import { type PolicyExpression, type PolicyScope, readExpression } from './policy_expression.ts'

const closed = { additionalProperties: false } as const

const RuleSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Name of the rule, shown with its message.' }),
    message: Type.String({ minLength: 1, description: 'What is wrong if the expression is false.' }),
    severity: Type.Optional(
      oneOf(['error', 'warning'], {
        default: 'error',
        description: 'Errors stop the plan; warnings do not.',
      }),
    ),
    each: Type.Optional(
      oneOf(['plan', 'change', 'access'], {
        default: 'plan',
        description: 'What the expression is evaluated for.',
      }),
    ),
    expression: Type.String({ minLength: 1, description: 'CEL expression that must be true.' }),
  },
  closed,
)

const PolicySchema = Type.Object(
  {
    policy: Type.String({ minLength: 1, description: 'Name of the policy.' }),
    rules: Type.Array(RuleSchema, { minItems: 1 }),
  },
  closed,
)

/** A rule of a policy. */
export interface PolicyRule {
  readonly name: string
  readonly message: string
  readonly severity: 'error' | 'warning'
  readonly each: PolicyScope
  readonly expression: PolicyExpression
  /** Position of the expression. */
  readonly span: Span
}

/** The rules of a policy file, or its issues if it is invalid; `text` is the file, for excerpts. */
export interface LoadedPolicy {
  readonly file: string
  readonly rules: readonly PolicyRule[]
  readonly issues: readonly Issue[]
  readonly text: string
}

const validate = createValidatorCompiler({ faults: 'all' })(PolicySchema)

/**
 * Loads a policy file and checks its expressions. Reports all faults as issues, in the order of the file.
 *
 * @throws {Problem} file/not-found, file/unreadable
 */
export async function loadPolicy(path: string, cwd: string): Promise<LoadedPolicy> {
  const file = relative(cwd, resolve(cwd, path))
  const decoded = decodeText(file, await readFile(resolve(cwd, path), file))
  if ('issue' in decoded) return { file, rules: [], issues: [decoded.issue], text: '' }
  const { text } = decoded
  const { documents, issues } = parseYaml(file, text)
  const [document, second] = documents
  if (hasErrors(issues)) return { file, rules: [], issues, text }
  if (document === undefined) return { file, rules: [], issues: [...issues, emptyFile(file)], text }
  const faults = [
    ...validate(document.value).map((fault) => issueOf(document, fault)),
    ...(second === undefined ? [] : [secondDocument(second)]),
  ]
  const all = [...issues, ...faults]
  if (hasErrors(all)) return { file, rules: [], issues: all.sort(compareIssues), text }
  const read = readRules(document)
  return { file, rules: read.rules, issues: [...all, ...read.issues].sort(compareIssues), text }
}

async function readFile(path: string, shown: string): Promise<Buffer> {
  try {
    return await readBytes(path)
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const code = isAbsent ? 'file/not-found' : 'file/unreadable'
    throw problem(code, `Cannot read the policy ${shown}.`, { cause: error })
  }
}

function readRules(document: YamlDocument): { readonly rules: PolicyRule[]; readonly issues: Issue[] } {
  const rules: PolicyRule[] = []
  const issues: Issue[] = []
  const names = new Set<string>()
  const written = (document.value as Static<typeof PolicySchema>).rules
  for (const [
    at,
    { name, message, severity = 'error', each = 'plan', expression: text },
  ] of written.entries()) {
    const pointer = joinPointer('/rules', at)
    if (names.has(name)) issues.push(duplicateName(document, joinPointer(pointer, 'name'), name))
    names.add(name)
    const place = joinPointer(pointer, 'expression')
    const expression = readExpression(text, each)
    if ('evaluate' in expression)
      rules.push({ name, message, severity, each, expression, span: spanAt(document, place) })
    else
      issues.push({
        code: 'policy/bad-expression',
        severity: 'error',
        message: `${name}: ${expression.message}`,
        span: findTextSpan(document, place, { text, range: expression.range }),
        pointer: place,
      })
  }
  return { rules, issues }
}

function duplicateName(document: YamlDocument, pointer: string, name: string): Issue {
  const message = `another rule has the name "${name}"`
  return { code: 'policy/bad-value', severity: 'error', message, span: spanAt(document, pointer), pointer }
}

function issueOf(document: YamlDocument, { kind, pointer, message, hint }: Fault): Issue {
  const span = kind === 'bad-value' ? spanAt(document, pointer) : keySpanAt(document, pointer)
  return { code: `policy/${kind}`, severity: 'error', message, span, pointer, ...(hint ? { hint } : {}) }
}

/** Rules of further documents would not be checked. */
function secondDocument(document: YamlDocument): Issue {
  const message = 'a policy file has one document; write all rules in it, or several files'
  return { code: 'policy/bad-value', severity: 'error', message, span: keySpanAt(document, '') }
}

function emptyFile(file: string): Issue {
  const span = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
  return { code: 'policy/missing-field', severity: 'error', message: 'the file contains no policy', span }
}

/**
 * Finds the span of a part of a string in its file: exact if the file has the string as it is, on one line or as a block
 * scalar (`|`); else the span of the string.
 */
function findTextSpan(
  document: YamlDocument,
  pointer: Pointer,
  { text, range }: { readonly text: string; readonly range: Range | undefined },
): Span {
  const start = range === undefined ? undefined : findOffset(document, pointer, { text, offset: range.start })
  if (range === undefined || start === undefined) return spanAt(document, pointer)
  const end = Math.max(range.end, range.start + 1)
  const isOneLine = !text.slice(range.start, end).includes('\n')
  return spanOfRange(document.file, document.lines, {
    start,
    end: start + (isOneLine ? end - range.start : 1),
  })
}

function findOffset(
  document: YamlDocument,
  pointer: Pointer,
  { text, offset }: { readonly text: string; readonly offset: number },
): number | undefined {
  const { text: file, lines } = document
  const node = nearestNode(document, pointer)
  const within = file.slice(node.start, node.end).indexOf(text.trimEnd())
  if (within >= 0) return node.start + within + offset
  const before = text.slice(0, offset).split('\n')
  const written = text.split('\n')[before.length - 1] ?? ''
  // The node of a block scalar starts at its `|`, or at the first line after it.
  const first = lineAt(lines, node.start) + (file[node.start] === '|' ? 1 : 0)
  const lineStart = lines[first + before.length - 2]
  if (lineStart === undefined) return undefined
  const shown = file.slice(lineStart).split(/\r?\n/, 1)[0] ?? ''
  const indent = shown.length - written.length
  if (indent < 0 || shown.trimStart() !== written.trimStart()) return undefined
  return lineStart + indent + (before.at(-1)?.length ?? 0)
}
