import { findAtPointer, joinPointer, type Pointer, splitPointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { spanOfRange } from '../../document/line_starts.ts'
import { parseExpressions, type TextPart } from '../../document/value_expression.ts'
import { findPart, type Node } from '../../document/yaml_node.ts'
import { keySpanOf, type ManifestSource } from '../resolve_source.ts'
import { keyParameter } from '../schema/fragment_schema.ts'

/** One step on the way of a value into a manifest, nearest first. */
export interface Origin {
  readonly kind:
    | 'written'
    | 'anchor'
    | 'merge'
    | 'variable'
    | 'default'
    | 'file'
    | 'fragment'
    | 'parameter'
    | 'parameter-default'
  /** Position in a file of the manifest; absent for what is outside of the manifest. */
  readonly span?: Span
  /** Name of the variable, file, fragment or parameter, or text of the expression. */
  readonly text?: string
}

/**
 * Traces a value of a document: where it is written, the aliases and merge keys that it comes through, and the variables
 * and files of its expressions.
 *
 * @param env names of the variables that are set
 */
export function traceValue(
  source: ManifestSource,
  pointer: Pointer,
  env: Readonly<Record<string, unknown>>,
): Origin[] {
  const { nodes, through } = walk(source, pointer)
  const node = nodes.at(-1) ?? source.document.root
  const written: Origin = { kind: 'written', span: spanOf(source, node) }
  return [
    written,
    ...through,
    ...traceExpressions(source, pointer, env),
    ...traceParameters(source, pointer, env),
  ]
}

/** Traces the fragment that a value comes from, and the parameters in it to the values of the use. */
function traceParameters(
  { use, parameters }: ManifestSource,
  pointer: Pointer,
  env: Readonly<Record<string, unknown>>,
): Origin[] {
  if (use === undefined) return []
  const { source, pointer: place, fragment } = use
  const names = parseExpressions(parameters.get(pointer) ?? '').flatMap((part) =>
    part.kind === 'parameter' ? [part.name] : [],
  )
  const given = names.flatMap((name): Origin[] => {
    const at = joinPointer(place, 'with', name)
    if (findAtPointer(source.value, at) === undefined)
      return name === keyParameter ? [] : [{ kind: 'parameter-default', text: name }]
    const [first, ...rest] = traceValue(source, at, env)
    return [{ kind: 'parameter', text: name, ...(first?.span && { span: first.span }) }, ...rest]
  })
  const used: Origin = { kind: 'fragment', text: fragment, span: keySpanOf(source, place) }
  const isTraced = given.some(({ kind }) => kind === 'parameter')
  return [...given, used, ...(isTraced ? [] : traceParameters(source, '', env))]
}

function walk({ document }: ManifestSource, pointer: Pointer) {
  const nodes: Node[] = [document.root]
  const through: Origin[] = []
  let at: Pointer = ''
  for (const token of splitPointer(pointer)) {
    const parent = nodes.at(-1) ?? document.root
    const node = findPart(parent, token)
    if (node === undefined) break
    at = joinPointer(at, token)
    const isAlias = document.text[parent.start] === '*'
    const isInside = node.start >= parent.start && node.end <= parent.end
    if (!isInside && nodes.length > 1)
      through.unshift({
        kind: isAlias ? 'anchor' : 'merge',
        span: spanOfRange(document.file, document.lines, shownRange(parent)),
      })
    nodes.push(node)
  }
  const last = nodes.at(-1)
  if (last !== undefined && document.text[last.start] === '*')
    through.unshift({ kind: 'anchor', text: document.text.slice(last.start, last.end) })
  return { nodes, through }
}

const shownRange = ({ keyStart, keyEnd, start, end }: Node) =>
  keyStart < 0 ? { start, end } : { start: keyStart, end: keyEnd }

function spanOf({ document }: ManifestSource, node: Node): Span {
  return spanOfRange(document.file, document.lines, shownRange(node))
}

function traceExpressions(
  { expressions }: ManifestSource,
  pointer: Pointer,
  env: Readonly<Record<string, unknown>>,
): Origin[] {
  const text = expressions.get(pointer)
  return text === undefined ? [] : parseExpressions(text).flatMap((part) => traceExpression(part, env))
}

function traceExpression(part: TextPart, env: Readonly<Record<string, unknown>>): Origin[] {
  if (part.kind === 'file') return [{ kind: 'file', text: part.path }]
  if (part.kind !== 'variable') return []
  const isSet = Object.hasOwn(env, part.name) && (part.fallback === undefined || env[part.name] !== '')
  return [{ kind: isSet ? 'variable' : 'default', text: part.name }]
}
