import { isDeepStrictEqual } from 'node:util'
import { findAtPointer, type Pointer, parentPointer, splitPointer } from '../core/pointer.ts'
import { isProblem } from '../core/problem.ts'
import type { Patch } from './arrange_items.ts'
import {
  cannotEdit,
  type EditOptions,
  type EditTarget,
  indentOf,
  isFlow,
  lineStart,
  nextLine,
  parseForEdit,
  removal,
  trimmedEnd,
} from './edit_yaml.ts'
import { findPart, isMembers, type Node, toValue } from './yaml_node.ts'

/** A move of a member of a map to the end of another map of the document. */
export interface MemberMove {
  /** The member. */
  readonly from: Pointer
  /** The map that gets it, which is added if it does not exist. */
  readonly into: Pointer
}

/**
 * Moves a member of a map into another map, with its text and the comments above it; only the indentation changes. A map that
 * loses its last member is removed.
 *
 * @throws {Problem} yaml/edit if other values would change, because of anchors, or if the text cannot be moved as it is
 */
export function moveMember(text: string, move: MemberMove, options: EditOptions = {}): string {
  const { file = 'document', document = 0 } = options
  const target = parseForEdit(text, file, document)
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const source = findSource(target, move.from)
  const patches = [source.cut, insertion(target, move.into, source)]
  if (overlaps(patches)) throw cannotEdit(move.from, 'is part of the map that it moves into')
  let moved = text
  for (const { start, end, text: patch } of patches.sort((a, b) => b.start - a.start))
    moved = moved.slice(0, start) + patch.replaceAll(/\r?\n/g, lineEnd) + moved.slice(end)
  requireSame(moved, move, { ...options, before: toValue(target.root) })
  return moved
}

const overlaps = ([a, b]: readonly Patch[]) =>
  a !== undefined && b !== undefined && a.start < b.end && b.start < a.end

/** The text of a member. */
interface MovedText {
  readonly key: string
  /** The key and the value, without comments around them. */
  readonly pair: string
  /** Whole lines with the pair, and the comments directly above it; undefined for a member in braces. */
  readonly lines: string | undefined
  /** Indentation of the key. */
  readonly indent: string
  /** Whether the value can stand in braces. */
  readonly isInline: boolean
  readonly cut: Patch
}

function nodeAt({ root, text }: EditTarget, pointer: Pointer): Node | undefined {
  let node = root
  for (const token of splitPointer(pointer)) {
    const part = findPart(node, token)
    if (part === undefined) return undefined
    if (text[part.start] === '*') throw cannotEdit(pointer, 'belongs to an alias')
    node = part
  }
  return node
}

const isBlank = (text: string) => text.trim() === ''

function findSource(target: EditTarget, from: Pointer): MovedText {
  const { text } = target
  const [map, node] = [nodeAt(target, parentPointer(from)), nodeAt(target, from)]
  if (map === undefined || node === undefined) throw cannotEdit(from, 'does not exist')
  if (node.keyStart < map.start || node.keyStart >= map.end)
    throw cannotEdit(from, 'is merged from another map')
  const end = trimmedEnd(target, node)
  const start = lineStart(target, node.keyStart)
  const lead = text.slice(start, node.keyStart)
  const pair = text.slice(node.keyStart, end)
  const isInBraces = isFlow(target, map)
  const own = isInBraces ? undefined : ownLines(target, { start, end })
  if (own !== undefined && !isBlank(lead)) throw cannotEdit(from, 'is in a line with others')
  return {
    key: splitPointer(from).at(-1) ?? '',
    pair,
    lines: own && text.slice(own.start, own.end),
    indent: /^\s*/.exec(lead)?.[0] ?? '',
    isInline:
      text[node.start] === '{' && (own === undefined || text.slice(own.start, own.end).trim() === pair),
    cut: cutOf(target, { from, map, node, own }),
  }
}

/** The lines of a member, and those of the comments directly above it. */
function ownLines(target: EditTarget, { start, end }: { readonly start: number; readonly end: number }) {
  let first = start
  while (first > 0) {
    const above = lineStart(target, first - 1)
    if (!target.text.slice(above, first).trimStart().startsWith('#')) break
    first = above
  }
  return { start: first, end: nextLine(target, end) }
}

interface Cut {
  readonly from: Pointer
  readonly map: Node
  readonly node: Node
  readonly own: { readonly start: number; readonly end: number } | undefined
}

/** Removes the member, or its map if nothing else is in it. */
function cutOf(target: EditTarget, { from, map, node, own }: Cut): Patch {
  const { text } = target
  const isLast = isMembers(map.content) && map.content.size === 1
  const above = isLast ? nodeAt(target, parentPointer(parentPointer(from))) : undefined
  if (above === undefined || map.keyStart < 0 || !isMembers(above.content) || above.content.size === 1) {
    if (isLast) throw cannotEdit(from, 'leaves an empty map')
    return own === undefined ? removal(target, map, node) : { ...own, text: '' }
  }
  const between = text.slice(map.keyEnd, own?.start ?? node.keyStart)
  if (between.includes('#')) throw cannotEdit(from, 'leaves an empty map with a comment')
  const rest = removal(target, above, map)
  // The lines of the member go with those of its map.
  return own === undefined ? rest : { ...rest, end: Math.max(rest.end, own.end) }
}

function insertion(target: EditTarget, into: Pointer, source: MovedText): Patch {
  const parent = nodeAt(target, parentPointer(into))
  if (parent === undefined || !isMembers(parent.content) || parent.content.size === 0)
    throw cannotEdit(into, 'does not exist')
  const name = splitPointer(into).at(-1) ?? ''
  const map = findPart(parent, name)
  if (map !== undefined && target.text[map.start] === '*') throw cannotEdit(into, 'belongs to an alias')
  if (map !== undefined && isMembers(map.content) && map.content.size > 0) {
    if (isFlow(target, map)) return appendInBraces(target, map, inBraces(source, into))
    return append(target, map, reindent(source, indentOf(target, map)))
  }
  if (isFlow(target, parent)) {
    if (map !== undefined) throw cannotEdit(into, 'is empty')
    return appendInBraces(target, parent, `${name}: { ${inBraces(source, into)} }`)
  }
  const indent = indentOf(target, parent)
  const text = `${indent}${name}:\n${reindent(source, `${indent}  `)}`
  if (map === undefined) return append(target, parent, text)
  return { start: lineStart(target, map.keyStart), end: nextLine(target, trimmedEnd(target, map)), text }
}

function inBraces({ pair, isInline }: MovedText, into: Pointer): string {
  if (!isInline) throw cannotEdit(into, 'is written in braces, unlike what moves into it')
  return pair
}

const lastOf = (map: Node) =>
  isMembers(map.content)
    ? [...map.content.values()].findLast(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
    : undefined

function append(target: EditTarget, map: Node, text: string): Patch {
  const last = lastOf(map)
  if (last === undefined) throw cannotEdit(undefined, 'would belong to a map without members of its own')
  const at = nextLine(target, trimmedEnd(target, last))
  const gap = target.text[at - 1] === '\n' ? '' : '\n'
  return { start: at, end: at, text: gap + text }
}

function appendInBraces(target: EditTarget, map: Node, pair: string): Patch {
  const last = lastOf(map)
  if (last === undefined) throw cannotEdit(undefined, 'would belong to a map without members of its own')
  const lead = target.text.slice(lineStart(target, last.keyStart), last.keyStart)
  const at = trimmedEnd(target, last)
  return { start: at, end: at, text: `,${isBlank(lead) ? `\n${lead}` : ' '}${pair}` }
}

/** Writes the lines of a member with another indentation. */
function reindent({ lines, pair, indent }: MovedText, to: string): string {
  if (lines === undefined) {
    if (pair.includes('\n')) throw cannotEdit(undefined, 'has several lines in braces')
    return `${to}${pair}\n`
  }
  const moved = lines
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => {
      if (isBlank(line)) return line.startsWith(indent) ? line.slice(indent.length) : line
      if (line.startsWith(indent)) return to + line.slice(indent.length)
      if (line.trimStart().startsWith('#')) return to + line.trimStart()
      throw cannotEdit(undefined, 'has lines with less indentation')
    })
  return `${moved.join('\n')}\n`
}

/** Makes sure that only the place of the member has changed: anchors and merge keys depend on the order of the text. */
function requireSame(
  text: string,
  move: MemberMove,
  { file = 'document', document = 0, before }: EditOptions & { readonly before: unknown },
): void {
  const after = valueAfter(text, { file, document })
  const expected = moveValue(before, move)
  const from = parentPointer(move.from)
  if (!isDeepStrictEqual(withoutEmpty(after, from), withoutEmpty(expected, from)))
    throw cannotEdit(move.from, 'would change other values, because of anchors')
}

/** Returns the value of an edited document; undefined if it is not valid any more, since an anchor follows its alias. */
function valueAfter(text: string, place: { readonly file: string; readonly document: number }): unknown {
  try {
    return toValue(parseForEdit(text, place.file, place.document).root)
  } catch (error) {
    if (isProblem(error, 'yaml/syntax')) return undefined
    throw error
  }
}

type Values = Readonly<Record<string, unknown>>

const membersAt = (root: unknown, pointer: Pointer) => (findAtPointer(root, pointer) ?? {}) as Values

function moveValue(root: unknown, { from, into }: MemberMove): unknown {
  const key = splitPointer(from).at(-1) ?? ''
  const { [key]: value, ...rest } = membersAt(root, parentPointer(from))
  const cut = setAt(root, splitPointer(parentPointer(from)), rest)
  return setAt(cut, splitPointer(into), { ...membersAt(cut, into), [key]: value })
}

/** An empty map may be written or not. */
function withoutEmpty(root: unknown, pointer: Pointer): unknown {
  const isEmpty = Object.keys(membersAt(root, pointer)).length === 0
  return isEmpty ? setAt(root, splitPointer(pointer), undefined) : root
}

function setAt(root: unknown, tokens: readonly string[], value: unknown): unknown {
  const [first, ...rest] = tokens
  if (first === undefined) return value
  const { [first]: old, ...others } = (root ?? {}) as Values
  const next = setAt(old, rest, value)
  return next === undefined ? others : { ...others, [first]: next }
}
