import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer, splitPointer } from '../core/pointer.ts'
import { findHint } from '../core/suggest.ts'
import { type Range, spanOfRange } from './line_starts.ts'
import { parseExpressions, type TextPart } from './value_expression.ts'
import type { Includes } from './yaml_files.ts'
import { isItems, isMembers, type Node, setOwn, toValue, type YamlDocument } from './yaml_node.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The value of a document with its expressions replaced. */
export interface ResolvedValue {
  readonly value: unknown
  readonly issues: readonly Issue[]
  /**
   * The string as written, by pointer, for each string with an expression. Messages show it instead of the value: a
   * variable may hold a secret.
   */
  readonly expressions: ReadonlyMap<Pointer, string>
  /** File path, by pointer, for each string that consists of a single `${file:PATH}`. */
  readonly includedPaths: ReadonlyMap<Pointer, string>
  /** The string as written, by pointer, for each string with a parameter. */
  readonly parameters: ReadonlyMap<Pointer, string>
}

/** Value of a parameter. */
export interface ParameterValue {
  readonly value: unknown
  /** Whether the value has an environment variable or a file, and is not shown in messages. */
  readonly isHidden: boolean
}

/** What the expressions of a document may use besides variables. */
export interface ResolveOptions {
  readonly files?: Includes | undefined
  /** Parameters of the fragment; absent outside of fragments. */
  readonly parameters?: ReadonlyMap<string, ParameterValue> | undefined
  /** Member of the root whose expressions stay as they are. */
  readonly keeps?: string | undefined
  /** Tells whether a field must not have the value of an environment variable. */
  readonly refuses?: ((variable: string, field: string) => boolean) | undefined
}

interface ResolveState extends ResolveOptions {
  readonly document: YamlDocument
  readonly env: Environment
  readonly issues: Issue[]
  readonly expressions: Map<Pointer, string>
  readonly includedPaths: Map<Pointer, string>
  readonly withParameters: Map<Pointer, string>
}

/**
 * Replaces `${env.NAME}`, `${env.NAME:-default}` and `${file:PATH}` in all strings of a document (not in keys); `$${`
 * is a literal `${`. The default applies if the variable is unset or empty. The result is a string; `coerceString`
 * converts it where a schema requires a number or boolean. Issues point at the expression.
 */
export function resolveValues(
  document: YamlDocument,
  env: Environment,
  options: ResolveOptions = {},
): ResolvedValue {
  const expressions = new Map<Pointer, string>()
  const includedPaths = new Map<Pointer, string>()
  const withParameters = new Map<Pointer, string>()
  const issues: Issue[] = []
  const state = { ...options, document, env, issues, expressions, includedPaths, withParameters }
  const value = document.text.includes('${') ? resolveNode(state, document.root, '') : document.value
  return { value, issues, expressions, includedPaths, parameters: withParameters }
}

function resolveNode(state: ResolveState, node: Node, pointer: Pointer): unknown {
  const { content } = node
  if (typeof content === 'string') return resolveText(state, { node, text: content, pointer })
  if (isItems(content))
    return content.map((item, index) => resolveNode(state, item, joinPointer(pointer, index)))
  if (!isMembers(content)) return content
  const value: Record<string, unknown> = {}
  for (const [key, member] of content) {
    const isKept = pointer === '' && key === state.keeps
    setOwn(value, key, isKept ? toValue(member) : resolveNode(state, member, joinPointer(pointer, key)))
  }
  return value
}

interface SourceString {
  readonly node: Node
  readonly text: string
  readonly pointer: Pointer
}

function resolveText(state: ResolveState, written: SourceString): unknown {
  if (!written.text.includes('${')) return written.text
  const parts = parseExpressions(written.text)
  if (parts.some((part) => hides(state, part))) state.expressions.set(written.pointer, written.text)
  if (parts.some(({ kind }) => kind === 'parameter')) state.withParameters.set(written.pointer, written.text)
  const [first] = parts
  const whole =
    first?.kind === 'parameter' && parts.length === 1 ? state.parameters?.get(first.name) : undefined
  // A parameter alone keeps its type.
  if (whole !== undefined) return structuredClone(whole.value)
  if (first?.kind === 'file' && parts.length === 1) state.includedPaths.set(written.pointer, first.path)
  return parts.map((part, index) => resolvePart(state, part, { ...written, parts, index })).join('')
}

/** Tells whether messages show the string as written instead of its value. */
function hides({ parameters }: ResolveState, part: TextPart): boolean {
  if (part.kind === 'parameter') return parameters?.get(part.name)?.isHidden ?? true
  return part.kind !== 'literal'
}

interface ExpressionPart extends SourceString {
  readonly parts: readonly TextPart[]
  readonly index: number
}

function resolvePart(state: ResolveState, part: TextPart, place: ExpressionPart): string {
  if (part.kind === 'literal') return part.text
  if (part.kind === 'fault') {
    addIssue(state, place, { code: 'value/bad-expression', message: part.message, hint: part.hint })
    return part.source
  }
  if (part.kind === 'file') return includeFile(state, part, place)
  if (part.kind === 'parameter') return resolveParameter(state, part, place)
  if (state.refuses?.(part.name, splitPointer(place.pointer).at(-1) ?? '')) {
    addIssue(state, place, {
      code: 'value/secret-variable',
      message: `${part.name} contains credentials, and plans show this value`,
      hint: 'use another variable; credentials are for secret fields, such as password',
    })
    return part.source
  }
  const value = Object.hasOwn(state.env, part.name) ? state.env[part.name] : undefined
  if (part.fallback !== undefined) return value || part.fallback
  if (value !== undefined) return value
  addIssue(state, place, {
    code: 'value/unknown-variable',
    message: `environment variable ${part.name} is not set`,
    hint:
      findHint(part.name, Object.keys(state.env)) ??
      `set it, or add a default: \${env.${part.name}:-default}`,
  })
  return part.source
}

function resolveParameter(
  state: ResolveState,
  { name, source }: { readonly name: string; readonly source: string },
  place: ExpressionPart,
): string {
  const { parameters } = state
  const found = parameters?.get(name)
  if (found === undefined)
    addIssue(state, place, {
      code: 'manifest/bad-parameter',
      message:
        parameters === undefined
          ? `parameter ${source} outside of a fragment`
          : `unknown parameter ${source}`,
      hint:
        parameters === undefined
          ? 'parameters exist within fragments: only'
          : (findHint(name, [...parameters.keys()]) ?? 'declare it under parameters: of the fragment'),
    })
  else if (typeof found.value === 'object' && found.value !== null)
    addIssue(state, place, {
      code: 'manifest/bad-parameter',
      message: `the parameter ${name} is a ${Array.isArray(found.value) ? 'list' : 'map'} and cannot be part of a string`,
      hint: `write ${source} alone`,
    })
  else return String(found.value)
  return source
}

function includeFile(
  state: ResolveState,
  { path, source }: { readonly path: string; readonly source: string },
  place: ExpressionPart,
): string {
  const found = state.files?.get(path)
  if (found !== undefined && 'text' in found) return found.text
  addIssue(state, place, found ?? cannotInclude)
  return source
}

const cannotInclude = {
  code: 'value/bad-expression',
  message: 'cannot include a file here',
  hint: 'include files only in manifests, and write their paths without escape sequences',
} as const

type Fault = Pick<Issue, 'code' | 'message'> & { readonly hint?: string | undefined }

function addIssue(
  { document, issues }: ResolveState,
  place: ExpressionPart,
  { hint, ...fault }: Fault,
): void {
  const span = spanOfRange(document.file, document.lines, findRange(document.text, place))
  issues.push({
    ...fault,
    severity: 'error',
    span,
    pointer: place.pointer,
    ...(hint === undefined ? {} : { hint }),
  })
}

/**
 * Finds the range of an expression in the file: the opening with the same ordinal. Falls back to the whole string if
 * escapes hide an opening, and to the opening alone if folding breaks the expression.
 */
function findRange(text: string, { node, parts, index, text: string }: ExpressionPart): Range {
  const written = text.slice(node.start, node.end)
  const openings = [...written.matchAll(opening)]
  if (openings.length !== countOpenings(string)) return node
  const source = parts[index]?.source ?? ''
  const earlier = parts.slice(0, index).reduce((count, part) => count + countOpenings(part.source), 0)
  const at = openings[earlier]?.index
  if (at === undefined) return node
  const end = source.endsWith('}') ? written.indexOf('}', at) + 1 : at + 2
  return {
    start: node.start + at,
    end: node.start + (written.startsWith(source, at) ? at + source.length : end),
  }
}

const opening = /\$\{/g

const countOpenings = (string: string) => string.split('${').length - 1

/**
 * Converts a string to the number, boolean or null that YAML would read it as; undefined if YAML would read it as a
 * string.
 */
export function coerceString(text: string): number | boolean | null | undefined {
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  if (/^(?:null|Null|NULL|~)$/.test(text)) return null
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}
