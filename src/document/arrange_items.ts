import { isObject } from '../core/is_object.ts'
import { formatYaml, type InlineFormat } from './format_yaml.ts'
import type { Range } from './line_starts.ts'
import { isItems, isMembers, type Node, toValue } from './yaml_node.ts'

/** New items of a list. */
export interface Arrangement {
  readonly value: readonly unknown[]
  /** For each item, the index of the item that it was before, which stays as it is written; undefined for a new one. */
  readonly kept: readonly (number | undefined)[]
}

/** A text, and how its values are written. */
export interface ArrangedText {
  readonly text: string
  readonly formatInline: InlineFormat
}

/** A text that replaces a range. */
export interface Patch extends Range {
  readonly text: string
}

/** An item with what is around it, each with its line feed. */
interface Chunk {
  /** Comments and blank lines that do not belong to the item: those above the last blank line. */
  readonly head: string
  /** Comments directly above the item. */
  readonly comment: string
  readonly body: string
  /** Comma and comment behind an item of a list in brackets; empty for one with dashes. */
  readonly tail: string
  readonly indent: string
  readonly node: Node
}

/**
 * Rewrites a list whose items moved, came or went: items that stay move with their comments and keep their style, and
 * new ones get the style of their neighbours. Undefined if the items cannot be told apart in the text, such as several on a line.
 */
export function arrangeItems(
  { text, formatInline }: ArrangedText,
  list: Node,
  arrangement: Arrangement,
): Patch | undefined {
  const { content } = list
  if (!isItems(content) || content.length === 0 || arrangement.value.length === 0) return undefined
  if (arrangement.kept.some((index) => index !== undefined && content[index] === undefined)) return undefined
  const isFlow = text[list.start] === '['
  if (isFlow && !text.slice(list.start, list.end).includes('\n'))
    return arrangeLine({ text, formatInline }, list, arrangement)
  const chunks = splitItems(text, list, isFlow)
  if (chunks === undefined) return undefined
  const [start, last] = [nextLine(text, isFlow ? list.start : list.keyEnd), chunks.at(-1)]
  if (last === undefined) return undefined
  const end = nextLine(text, endOf(text, last.node))
  const texts = joinChunks(keepHeads(chunks, arrangement), arrangement, { isFlow, formatInline })
  return { start, end, text: texts.join('') }
}

/** Items of a list in brackets, on one line. */
function arrangeLine(
  { text, formatInline }: ArrangedText,
  list: Node,
  { value, kept }: Arrangement,
): Patch | undefined {
  const nodes = list.content as readonly Node[]
  const starts = nodes.map((_, index) => (index === 0 ? list.start + 1 : endOf(text, nodes[index - 1]) + 1))
  const pieces = nodes.map((node, index) => text.slice(starts[index], endOf(text, node)).trim())
  // An item without a value is nothing between commas.
  if (pieces.some((piece) => piece === '')) return undefined
  const isPadded = pieces.some((piece) => piece.startsWith('{ ')) || text[list.start + 1] === ' '
  const items = kept.map((index, at) =>
    index === undefined ? formatInline(value[at], isPadded) : (pieces[index] ?? ''),
  )
  const first = nodes[0] as Node
  const start = list.start + 1 + (/^\s*/.exec(text.slice(list.start + 1, first.end))?.[0].length ?? 0)
  return { start, end: endOf(text, nodes.at(-1)), text: items.join(', ') }
}

/** Splits the lines of a list into its items; undefined if an item does not begin a line. */
function splitItems(text: string, list: Node, isFlow: boolean): Chunk[] | undefined {
  const chunks: Chunk[] = []
  let from = nextLine(text, isFlow ? list.start : list.keyEnd)
  for (const node of list.content as readonly Node[]) {
    const at = skipComments(text, from)
    const [end, next] = [endOf(text, node), nextLine(text, endOf(text, node))]
    const indent = /^ */.exec(text.slice(at, next))?.[0] ?? ''
    const begins = isFlow ? node.start === at + indent.length : /^-\s/.test(text.slice(at + indent.length))
    if (at > node.start || !begins || end > next) return undefined
    const tail = isFlow ? text.slice(end, next).trimEnd() : ''
    if (isFlow && !/^,?\s*(#.*)?$/.test(tail)) return undefined
    const lead = text.slice(from, at)
    const cut = /(?:^|\n)[ \t\r]*\n(?=(?:[ \t]*#[^\n]*\n)*$)/.exec(lead)
    const own = cut === null ? 0 : cut.index + cut[0].length
    const body = isFlow ? text.slice(at, end) : withLineFeed(text.slice(at, next))
    chunks.push({ head: lead.slice(0, own), comment: lead.slice(own), body, tail, indent, node })
    from = next
  }
  return chunks
}

/** Comments of their own above removed items stay, above the item that follows. */
function keepHeads(chunks: readonly Chunk[], { kept }: Arrangement): Chunk[] {
  let carried = ''
  return chunks.map((chunk, index) => {
    const isFirst = index === 0
    const head = isFirst ? '' : carried + chunk.head
    const stays = kept.includes(index)
    carried = !stays && /#/.test(head) ? head : ''
    return { ...chunk, head: isFirst ? chunk.head : head }
  })
}

/** How items are written. */
interface ListStyle extends Pick<ArrangedText, 'formatInline'> {
  readonly isFlow: boolean
}

function joinChunks(
  chunks: readonly Chunk[],
  { value, kept }: Arrangement,
  { isFlow, formatInline }: ListStyle,
): string[] {
  const isSpaced = chunks.length > 1 && chunks.slice(1).every(({ head }) => /^\s*\n/.test(head))
  const isLastComma = chunks.at(-1)?.tail.startsWith(',') === true
  const texts = kept.map((index, at) => {
    const chunk = index === undefined ? undefined : chunks[index]
    const gap = isSpaced && at > 0 ? '\n' : ''
    const head = index === 0 || chunk === undefined ? gap : at === 0 ? chunk.head.trimStart() : chunk.head
    const body = chunk?.body ?? newItem(neighbour(chunks, kept, at), value[at], { isFlow, formatInline })
    if (!isFlow) return `${head}${chunk?.comment ?? ''}${body}`
    const comma = at < kept.length - 1 || isLastComma ? ',' : ''
    return `${head}${chunk?.comment ?? ''}${body}${comma}${chunk?.tail.replace(/^,/, '') ?? ''}\n`
  })
  return [chunks[0]?.head ?? '', ...texts]
}

/** The item that a new one is written like: the one above it, or below it if there is none. */
function neighbour(chunks: readonly Chunk[], kept: Arrangement['kept'], at: number): Chunk {
  const above = kept.slice(0, at).findLast((index) => index !== undefined)
  const below = kept.slice(at).find((index) => index !== undefined)
  return chunks[above ?? below ?? 0] as Chunk
}

function newItem({ indent, body, node }: Chunk, item: unknown, { isFlow, formatInline }: ListStyle): string {
  const value = inOrderOf(node, item)
  const written = body.slice(indent.length).replace(/^-\s+/, '')
  if (isFlow) return `${indent}${formatInline(value, written.startsWith('{ '))}`
  const isShort = value === null || !['object', 'string'].includes(typeof value)
  if (isShort || /^[{[]/.test(written)) return `${indent}- ${formatInline(value, /^[{[] /.test(written))}\n`
  const isBlock = isObject(value) && isMembers(node.content)
  const lines = (isBlock ? formatYaml(value) : formatYaml([value])).trimEnd().split('\n')
  const dashed = isBlock ? lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`) : lines
  return dashed.map((line) => (line.trim() === '' ? '\n' : `${indent}${line}\n`)).join('')
}

/** Orders the members of a value as another map has them. */
function inOrderOf(node: Node, value: unknown): unknown {
  const model = toValue(node)
  if (!isObject(value) || !isObject(model)) return value
  const first = Object.keys(model).filter((name) => name in value)
  const rest = Object.keys(value).filter((name) => !first.includes(name))
  return Object.fromEntries([...first, ...rest].map((name) => [name, value[name]]))
}

/** End of a node without the comments and blank lines behind it. */
function endOf(text: string, node: Node | undefined): number {
  if (node === undefined) return 0
  const isWritten = !['*', '{', '['].includes(text[node.start] ?? '')
  const { content } = node
  const parts = isMembers(content) ? [...content.values()] : isItems(content) ? content : []
  // Merged members are elsewhere.
  const inside = parts.filter(({ start, end }) => start >= node.start && end <= node.end)
  const last = inside.reduce<Node | undefined>(
    (a, b) => (a === undefined || b.end >= a.end ? b : a),
    undefined,
  )
  if (isWritten && last !== undefined) return Math.max(endOf(text, last), last.keyEnd)
  let { end } = node
  while (end > node.start && /\s/.test(text[end - 1] ?? '')) end--
  return Math.max(end, node.keyEnd)
}

/** Start of the first line from an offset that is neither blank nor a comment. */
function skipComments(text: string, offset: number): number {
  return offset + (/^(?:[ \t]*(?:#[^\n]*)?\r?\n)*/.exec(text.slice(offset))?.[0].length ?? 0)
}

function nextLine(text: string, offset: number): number {
  const lineFeed = text.indexOf('\n', offset)
  return lineFeed === -1 ? text.length : lineFeed + 1
}

const withLineFeed = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)
