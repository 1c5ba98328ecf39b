import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { findHint } from '../core/suggest.ts'
import type { YamlDocument } from './document.ts'
import { parseExpressions, type TextPart } from './expression.ts'
import type { Includes } from './include.ts'
import { spanOfRange } from './lines.ts'
import { isItems, isMembers, type Node, setOwn } from './node.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A document's value with its expressions replaced. */
export interface ResolvedValue {
  readonly value: unknown
  readonly issues: readonly Issue[]
  /**
   * The text as the file has it, by pointer, for each text that an expression went into. Messages show this instead
   * of the value: a variable may hold a secret.
   */
  readonly expressions: ReadonlyMap<Pointer, string>
  /** Path of the file, by pointer, for each text that is a file and nothing else. */
  readonly taken: ReadonlyMap<Pointer, string>
}

interface Resolving {
  readonly document: YamlDocument
  readonly env: Environment
  readonly issues: Issue[]
  readonly files: Includes | undefined
  readonly expressions: Map<Pointer, string>
  readonly taken: Map<Pointer, string>
}

/**
 * Replaces `${env.NAME}`, `${env.NAME:-default}` and `${file:PATH}` in all texts of a document (not in keys); `$${`
 * stands for a literal `${`. The default counts where the variable is unset or empty. What comes out is text;
 * `coerceText` gives the number or truth value it reads as, where a schema wants one. Issues point at the expression.
 */
export function resolveValues(document: YamlDocument, env: Environment, files?: Includes): ResolvedValue {
  const expressions = new Map<Pointer, string>()
  const taken = new Map<Pointer, string>()
  const issues: Issue[] = []
  const value = document.text.includes('${')
    ? resolveNode({ document, env, files, issues, expressions, taken }, document.root, '')
    : document.value
  return { value, issues, expressions, taken }
}

function resolveNode(resolving: Resolving, node: Node, pointer: Pointer): unknown {
  const { content } = node
  if (typeof content === 'string') return resolveText(resolving, { node, text: content, pointer })
  if (isItems(content))
    return content.map((item, index) => resolveNode(resolving, item, joinPointer(pointer, index)))
  if (!isMembers(content)) return content
  const value: Record<string, unknown> = {}
  for (const [key, member] of content)
    setOwn(value, key, resolveNode(resolving, member, joinPointer(pointer, key)))
  return value
}

interface Text {
  readonly node: Node
  readonly text: string
  readonly pointer: Pointer
}

function resolveText(resolving: Resolving, written: Text): string {
  if (!written.text.includes('${')) return written.text
  const parts = parseExpressions(written.text)
  if (parts.some(({ kind }) => kind !== 'literal')) resolving.expressions.set(written.pointer, written.text)
  const [first] = parts
  if (first?.kind === 'file' && parts.length === 1) resolving.taken.set(written.pointer, first.path)
  return parts.map((part, index) => resolvePart(resolving, part, { ...written, parts, index })).join('')
}

interface PlacedPart extends Text {
  readonly parts: readonly TextPart[]
  readonly index: number
}

function resolvePart(resolving: Resolving, part: TextPart, place: PlacedPart): string {
  if (part.kind === 'literal') return part.text
  if (part.kind === 'fault') {
    addIssue(resolving, place, { code: 'value/bad-expression', message: part.message, hint: part.hint })
    return part.source
  }
  if (part.kind === 'file') return takeFile(resolving, part, place)
  const value = Object.hasOwn(resolving.env, part.name) ? resolving.env[part.name] : undefined
  if (part.fallback !== undefined) return value || part.fallback
  if (value !== undefined) return value
  addIssue(resolving, place, {
    code: 'value/unknown-variable',
    message: `environment variable ${part.name} is not set`,
    hint:
      findHint(part.name, Object.keys(resolving.env)) ??
      `set it, or give a default: \${env.${part.name}:-default}`,
  })
  return part.source
}

function takeFile(
  resolving: Resolving,
  { path, source }: { readonly path: string; readonly source: string },
  place: PlacedPart,
): string {
  const found = resolving.files?.get(path)
  if (found !== undefined && 'text' in found) return found.text
  addIssue(resolving, place, found ?? notTaken)
  return source
}

const notTaken = {
  code: 'value/bad-expression',
  message: 'no file can be taken in here',
  hint: 'only manifests take files in, by paths that are written as they are, without escapes',
} as const

type Fault = Pick<Issue, 'code' | 'message'> & { readonly hint?: string | undefined }

function addIssue({ document, issues }: Resolving, place: PlacedPart, { hint, ...fault }: Fault): void {
  const span = spanOfRange(document.file, document.lines, findPlace(document.text, place))
  issues.push({
    ...fault,
    severity: 'error',
    span,
    pointer: place.pointer,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Finds the expression in the source of its text; where quoting or folding hides it, the whole text stands for it. */
function findPlace(text: string, { node, parts, index }: PlacedPart): { start: number; end: number } {
  const source = parts[index]?.source ?? ''
  const earlier = parts.slice(0, index).filter((part) => part.source === source).length
  let at = text.indexOf(source, node.start)
  for (let skipped = 0; skipped < earlier && at !== -1; skipped++) at = text.indexOf(source, at + 1)
  return at === -1 || at >= node.end ? node : { start: at, end: at + source.length }
}

/**
 * Gives what a text reads as in YAML when it is not taken as text: a number, true or false, or null. Undefined where
 * it is text only.
 */
export function coerceText(text: string): number | boolean | null | undefined {
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  if (/^(?:null|Null|NULL|~)$/.test(text)) return null
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}
