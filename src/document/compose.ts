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
import type { Range } from './lines.ts'
import { isItems, isMembers, type Members, type Node, type Scalar } from './node.ts'
import { checkNumber } from './number.ts'

/** Reports a fault at a range of the text. */
export type Report = (fault: {
  readonly code: ProblemCode
  readonly range: Range
  readonly message: string
  readonly hint?: string
  readonly severity?: 'error' | 'warning'
}) => void

/** Deepest nesting of lists and maps. */
const maxDepth = 100

/** Most values that aliases may add to a document: a small file must not grow into a large one. */
const maxAliasedValues = 100_000

interface Composing {
  readonly text: string
  readonly report: Report
  readonly anchors: Map<string, { readonly node: Node; readonly size: number }>
  /** Values so far, those that came by aliases included. */
  size: number
  aliased: number
  depth: number
}

/** Where a value stands: behind a key, or not. */
type KeyRange = Pick<Node, 'keyStart' | 'keyEnd'>

const noKey: KeyRange = { keyStart: -1, keyEnd: -1 }

/** Turns a parsed document into nodes; reports keys, numbers and aliases that cannot be taken. */
export function composeNode(document: Document.Parsed, text: string, report: Report): Node {
  const composing = { text, report, anchors: new Map(), size: 0, aliased: 0, depth: 0 }
  return convert(composing, document.contents, noKey)
}

function convert(composing: Composing, source: unknown, key: KeyRange): Node {
  const before = composing.size++
  if (isAlias(source)) return convertAlias(composing, source, key)
  const node = { ...rangeOf(source, key), ...key, content: contentOf(composing, source) }
  const anchor = (source as { anchor?: string } | null)?.anchor
  if (anchor !== undefined) composing.anchors.set(anchor, { node, size: composing.size - before })
  return node
}

function rangeOf(source: unknown, key: KeyRange): Range {
  const range = (source as { range?: readonly number[] | null } | null)?.range
  const start = range?.[0] ?? Math.max(0, key.keyEnd)
  return { start, end: range?.[1] ?? start }
}

function contentOf(composing: Composing, source: unknown): Node['content'] {
  if (isScalar(source)) return scalarOf(composing, source)
  if (!isMap(source) && !isSeq(source)) return null
  if (composing.depth === maxDepth) {
    const range = rangeOf(source, noKey)
    composing.report({ code: 'yaml/syntax', range, message: `nested deeper than ${maxDepth} levels` })
    return null
  }
  composing.depth++
  const content = isMap(source) ? membersOf(composing, source) : itemsOf(composing, source)
  composing.depth--
  return content
}

function scalarOf({ report }: Composing, scalar: YamlScalar): Scalar {
  const { value, source } = scalar
  if (typeof value !== 'number') return typeof value === 'boolean' || value === null ? value : String(value)
  const fault = checkNumber(value, source ?? '')
  if (fault !== undefined) report({ code: 'yaml/number', range: rangeOf(scalar, noKey), ...fault })
  return value
}

function itemsOf(composing: Composing, { items }: YAMLSeq): Node[] {
  return items.map((item) => convert(composing, item, noKey))
}

function membersOf(composing: Composing, { items }: YAMLMap): Members {
  const members = new Map<string, Node>()
  const merged: Node[] = []
  for (const pair of items) {
    const range = rangeOf(pair.key, noKey)
    const node = convert(composing, pair.value, { keyStart: range.start, keyEnd: range.end })
    if (isMergeKey(pair)) merged.push(node)
    else addMember(composing, members, { key: keyOf(composing, pair.key), range, node })
  }
  for (const node of merged) mergeMembers(composing, members, node)
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

function addMember(composing: Composing, members: Map<string, Node>, { key, range, node }: Member): void {
  const first = members.get(key)
  if (first === undefined) {
    members.set(key, node)
    return
  }
  const line = composing.text.slice(0, first.keyStart).split('\n').length
  composing.report({
    code: 'yaml/duplicate-key',
    range,
    message: `key "${key}" stands twice in the same map, first in line ${line}`,
    hint: 'keep one of the two',
  })
}

function keyOf({ report, text }: Composing, key: unknown): string {
  const range = rangeOf(key, noKey)
  if (isScalar(key) && typeof key.value === 'string') return key.value
  const written = text.slice(range.start, range.end)
  const isPlain = isScalar(key) && key.value !== null
  report({
    code: 'yaml/key',
    range,
    message: isPlain ? `key ${written} is not text` : 'a key has to be text',
    ...(isPlain ? { hint: `put it in quotes: "${written}"` } : {}),
  })
  return written
}

/** `<<` takes over the members of another map, or of several, the first of which wins; own members win over all. */
function mergeMembers(composing: Composing, members: Map<string, Node>, node: Node): void {
  const sources = isItems(node.content) ? node.content : [node]
  for (const source of sources) {
    if (!isMembers(source.content)) {
      composing.report({ code: 'yaml/syntax', range: source, message: 'only maps can be merged with <<' })
      continue
    }
    for (const [key, member] of source.content) if (!members.has(key)) members.set(key, member)
  }
}

function convertAlias(composing: Composing, alias: Alias, key: KeyRange): Node {
  const range = rangeOf(alias, key)
  const anchor = composing.anchors.get(alias.source)
  const refuse = (message: string): Node => {
    composing.report({ code: 'yaml/alias', range, message })
    return { ...range, ...key, content: null }
  }
  if (anchor === undefined) return refuse(`no anchor &${alias.source} stands before *${alias.source}`)
  const isOver = composing.aliased > maxAliasedValues
  composing.aliased += anchor.size
  composing.size += anchor.size
  if (isOver) return { ...range, ...key, content: null }
  if (composing.aliased > maxAliasedValues) return refuse(`aliases add more than ${maxAliasedValues} values`)
  return { ...anchor.node, ...range, ...key }
}
