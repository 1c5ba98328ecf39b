import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
  type Scalar as YamlScalar,
} from 'yaml'
import type { ProblemCode } from '../contract/problems.ts'
import { type LineStarts, lineAt, type Range } from './line_starts.ts'
import { isItems, isMembers, type Members, type Node, type Scalar } from './yaml_node.ts'

/** Records a fault at a range of the text. */
export type Report = (fault: {
  readonly code: ProblemCode
  readonly range: Range
  readonly message: string
  readonly hint?: string
  readonly severity?: 'error' | 'warning'
}) => void

/** Maximum nesting depth of lists and maps. */
const maxDepth = 100

/** Maximum number of values that aliases may add to a document: a small file must not expand into a huge one. */
const maxAliasedValues = 100_000

/** Message of the fault of a document that is nested deeper. */
export const tooDeep = `nested deeper than ${maxDepth} levels`

interface ComposeState extends ComposedText {
  readonly report: Report
  readonly anchors: Map<string, { readonly node: Node; readonly size: number }>
  /** Number of values so far, including those added by aliases. */
  size: number
  aliased: number
  depth: number
}

/** Text of a document. */
interface ComposedText {
  readonly text: string
  readonly lines: LineStarts
}

/** Range of the key in front of a value, or `noKey`. */
type KeyRange = Pick<Node, 'keyStart' | 'keyEnd'>

const noKey: KeyRange = { keyStart: -1, keyEnd: -1 }

/** Converts a parsed document to nodes; reports keys, numbers and aliases that are not accepted. */
export function composeNode(document: Document.Parsed, { text, lines }: ComposedText, report: Report): Node {
  const state = { text, lines, report, anchors: new Map(), size: 0, aliased: 0, depth: 0 }
  return convert(state, document.contents, noKey)
}

function convert(state: ComposeState, source: unknown, key: KeyRange): Node {
  const before = state.size++
  if (isAlias(source)) return convertAlias(state, source, key)
  const node = { ...rangeOf(source, key), ...key, content: contentOf(state, source) }
  const anchor = (source as { anchor?: string } | null)?.anchor
  if (anchor !== undefined) state.anchors.set(anchor, { node, size: state.size - before })
  return node
}

function rangeOf(source: unknown, key: KeyRange): Range {
  const range = (source as { range?: readonly number[] | null } | null)?.range
  const start = range?.[0] ?? Math.max(0, key.keyEnd)
  return { start, end: range?.[1] ?? start }
}

function contentOf(state: ComposeState, source: unknown): Node['content'] {
  if (isScalar(source)) return scalarOf(state, source)
  if (!isMap(source) && !isSeq(source)) return null
  if (state.depth === maxDepth) {
    const range = rangeOf(source, noKey)
    state.report({ code: 'yaml/syntax', range, message: tooDeep })
    return null
  }
  state.depth++
  const content = isMap(source) ? membersOf(state, source) : itemsOf(state, source)
  state.depth--
  return content
}

function scalarOf({ report }: ComposeState, scalar: YamlScalar): Scalar {
  const { value, source } = scalar
  if (typeof value !== 'number') return typeof value === 'boolean' || value === null ? value : String(value)
  const fault = checkNumber(value, source ?? '')
  if (fault !== undefined) report({ code: 'yaml/number', range: rangeOf(scalar, noKey), ...fault })
  return value
}

function itemsOf(state: ComposeState, { items }: YAMLSeq): Node[] {
  return items.map((item) => convert(state, item, noKey))
}

function membersOf(state: ComposeState, { items }: YAMLMap): Members {
  const members = new Map<string, Node>()
  const merged: Node[] = []
  for (const pair of items) {
    const range = rangeOf(pair.key, noKey)
    const node = convert(state, pair.value, { keyStart: range.start, keyEnd: range.end })
    if (isMergeKey(pair)) merged.push(node)
    else addMember(state, members, { key: keyOf(state, pair.key), range, node })
  }
  for (const node of merged) mergeMembers(state, members, node)
  return members
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN'
}

interface Member {
  readonly key: string
  readonly range: Range
  readonly node: Node
}

function addMember(state: ComposeState, members: Map<string, Node>, { key, range, node }: Member): void {
  const first = members.get(key)
  if (first === undefined) {
    members.set(key, node)
    return
  }
  const line = lineAt(state.lines, first.keyStart)
  state.report({
    code: 'yaml/duplicate-key',
    range,
    message: `duplicate key "${key}", first defined on line ${line}`,
    hint: 'remove one of the two',
  })
}

function keyOf({ report, text }: ComposeState, key: unknown): string {
  const range = rangeOf(key, noKey)
  if (isScalar(key) && typeof key.value === 'string') return key.value
  const written = text.slice(range.start, range.end)
  const isScalarKey = isScalar(key) && key.value !== null
  report({
    code: 'yaml/key',
    range,
    message: isScalarKey ? `key ${written} is not a string` : 'keys must be strings',
    ...(isScalarKey ? { hint: `quote it: "${written}"` } : {}),
  })
  return written
}

/** `<<` merges the members of one or more maps; own members take precedence, then those of earlier maps. */
function mergeMembers(state: ComposeState, members: Map<string, Node>, node: Node): void {
  const sources = isItems(node.content) ? node.content : [node]
  for (const source of sources) {
    if (!isMembers(source.content)) {
      state.report({ code: 'yaml/syntax', range: source, message: 'only maps can be merged with <<' })
      continue
    }
    for (const [key, member] of source.content) if (!members.has(key)) members.set(key, member)
  }
}

function convertAlias(state: ComposeState, alias: Alias, key: KeyRange): Node {
  const range = rangeOf(alias, key)
  const anchor = state.anchors.get(alias.source)
  const refuse = (message: string): Node => {
    state.report({ code: 'yaml/alias', range, message })
    return { ...range, ...key, content: null }
  }
  if (anchor === undefined)
    return refuse(`undefined alias *${alias.source}: no anchor &${alias.source} precedes it`)
  const isOver = state.aliased > maxAliasedValues
  state.aliased += anchor.size
  state.size += anchor.size
  if (isOver) return { ...range, ...key, content: null }
  if (state.aliased > maxAliasedValues) return refuse(`aliases add more than ${maxAliasedValues} values`)
  return { ...anchor.node, ...range, ...key }
}

/** A fault of a number literal. */
interface NumberFault {
  readonly message: string
  readonly hint: string
  readonly severity: 'error' | 'warning'
}

/**
 * Checks a number literal: integers beyond ±(2^53 − 1) would be rounded silently, infinity and NaN cannot be
 * represented in JSON, and leading zeros would be lost.
 */
function checkNumber(value: number, source: string): NumberFault | undefined {
  const asText = `quote it to keep it as a string: "${source}"`
  if (!Number.isFinite(value))
    return { message: `${source} is not a finite number`, hint: asText, severity: 'error' }
  if (!/e/i.test(source.replace(/^0x.*/, '')) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return {
      message: `${source} is too large to be represented exactly`,
      hint: `write a number up to ${Number.MAX_SAFE_INTEGER}, or ${asText}`,
      severity: 'error',
    }
  if (/^[-+]?0\d/.test(source))
    return { message: `${source} is read as the number ${value}`, hint: asText, severity: 'warning' }
  return undefined
}
