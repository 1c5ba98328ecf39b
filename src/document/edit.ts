import { problem } from '../contract/problems.ts'
import { type Pointer, parentPointer, splitPointer } from '../core/pointer.ts'
import { lineAt, type Range } from './lines.ts'
import { findPart, isMembers, type Node } from './node.ts'
import { parseYaml } from './read.ts'
import { formatInline, formatYaml } from './write.ts'

/** A change of one value in a YAML document. */
export type YamlEdit =
  | { readonly pointer: Pointer; readonly value: unknown }
  | { readonly pointer: Pointer; readonly remove: true }

/** Which document of a file is edited, from 0, and how the file is called in errors. */
export interface EditOptions {
  readonly file?: string
  readonly document?: number
}

/** A piece of text to put in the place of a range. */
interface Patch extends Range {
  readonly text: string
}

interface Editing {
  readonly text: string
  readonly root: Node
  readonly lineOf: (offset: number) => number
}

/**
 * Sets and removes members of maps in the text of a YAML file. Everything else stays as it is, to the letter: order,
 * comments, quotes, blank lines. Members that are not there yet are added at the end of their map.
 *
 * @throws {Problem} yaml/syntax when the text is no YAML
 * @throws {Problem} yaml/edit when a place is not there, or cannot be changed alone (an alias, a merged member)
 */
export function editYaml(text: string, edits: readonly YamlEdit[], options: EditOptions = {}): string {
  const { file = 'document', document = 0 } = options
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let edited = text
  for (const batch of splitBatches(edits)) {
    const editing = parseForEdit(edited, file, document)
    const patches = batch.map((edit) => patchOf(editing, edit)).sort((a, b) => b.start - a.start)
    for (const { start, end, text: patch } of patches)
      edited = edited.slice(0, start) + patch.replaceAll('\n', lineEnd) + edited.slice(end)
  }
  parseForEdit(edited, file, document)
  return edited
}

/** Edits of the same map, or of one within the other, are made one after the other; the others at once. */
function splitBatches(edits: readonly YamlEdit[]): YamlEdit[][] {
  const batches: { readonly maps: Set<Pointer>; readonly edits: YamlEdit[] }[] = []
  for (const edit of edits) {
    const map = parentPointer(edit.pointer)
    const last = batches.at(-1)
    const meets =
      last === undefined || [...last.maps].some((other) => isWithin(map, other) || isWithin(other, map))
    if (last === undefined || meets) batches.push({ maps: new Set([map]), edits: [edit] })
    else {
      last.maps.add(map)
      last.edits.push(edit)
    }
  }
  return batches.map((batch) => batch.edits)
}

function isWithin(inner: Pointer, outer: Pointer): boolean {
  return inner === outer || inner.startsWith(`${outer}/`)
}

function parseForEdit(text: string, file: string, index: number): Editing {
  const { documents, issues } = parseYaml(file, text)
  const document = documents[index]
  const faults = issues.filter(({ severity }) => severity === 'error')
  if (document === undefined || faults.length > 0)
    throw problem('yaml/syntax', `${file} cannot be edited: it is no valid YAML.`, { issues: faults })
  return { text, root: document.root, lineOf: (offset) => lineAt(document.lines, offset) }
}

function patchOf(editing: Editing, edit: YamlEdit): Patch {
  const map = findMap(editing, edit.pointer)
  const key = splitPointer(edit.pointer).at(-1) ?? ''
  const node = findPart(map, key)
  if ('remove' in edit)
    return node === undefined ? { start: 0, end: 0, text: '' } : removal(editing, map, node)
  const pair = { key, value: edit.value }
  return node === undefined ? addition(editing, map, pair) : replacement(editing, map, { ...pair, node })
}

function findMap({ root, text }: Editing, pointer: Pointer): Node {
  let node = root
  for (const token of splitPointer(parentPointer(pointer))) {
    const part = findPart(node, token)
    if (part === undefined) throw cannotEdit(pointer, 'is not there')
    if (text[part.start] === '*') throw cannotEdit(pointer, 'stands in an alias')
    node = part
  }
  if (!isMembers(node.content) || node.content.size === 0 || pointer === '')
    throw cannotEdit(pointer, 'stands in no map that has members')
  return node
}

function cannotEdit(pointer: Pointer | undefined, reason: string) {
  const place = pointer === undefined ? '' : ` at ${pointer || 'the top'}`
  return problem('yaml/edit', `The value${place} cannot be edited in place: it ${reason}.`)
}

function isFlow({ text }: Editing, map: Node): boolean {
  return text[map.start] === '{'
}

function membersOf(map: Node): Node[] {
  return isMembers(map.content) ? [...map.content.values()] : []
}

/** Members as they stand in the map itself; what was merged in from elsewhere cannot be edited here. */
function ownIndex(map: Node, node: Node): number {
  const own = membersOf(map).filter(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
  const index = own.indexOf(node)
  if (index === -1) throw cannotEdit(undefined, 'was merged in from elsewhere')
  return index
}

function removal(editing: Editing, map: Node, node: Node): Patch {
  const members = membersOf(map)
  const index = ownIndex(map, node)
  const end = trimmedEnd(editing, node)
  if (isFlow(editing, map)) {
    const before = members[index - 1]
    if (before !== undefined) return { start: trimmedEnd(editing, before), end, text: '' }
    const after = members[index + 1]
    return { start: node.keyStart, end: after?.keyStart ?? end, text: '' }
  }
  if (members.length === 1) return { start: node.keyStart, end, text: '{}' }
  const start = lineStart(editing, node.keyStart)
  const after = members[index + 1]
  const isBehindDash = editing.text.slice(start, node.keyStart).trim() !== ''
  if (isBehindDash && after !== undefined) return { start: node.keyStart, end: after.keyStart, text: '' }
  return { start, end: nextLine(editing, end), text: '' }
}

interface Pair {
  readonly key: string
  readonly value: unknown
}

function addition(editing: Editing, map: Node, pair: Pair): Patch {
  const last = membersOf(map).findLast(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
  if (last === undefined) throw cannotEdit(pair.key, 'would stand in a map without members of its own')
  const end = trimmedEnd(editing, last)
  if (isFlow(editing, map))
    return { start: end, end, text: `, ${formatInline(pair.key)}: ${formatInline(pair.value)}` }
  const indent = indentOf(editing, map)
  const at = nextLine(editing, end)
  const gap = editing.text[at - 1] === '\n' ? '' : '\n'
  return { start: at, end: at, text: `${gap}${formatPair(pair, indent)}\n` }
}

function replacement(editing: Editing, map: Node, pair: Pair & { readonly node: Node }): Patch {
  const { node, key, value } = pair
  ownIndex(map, node)
  const start = node.keyStart
  const end = Math.max(trimmedEnd(editing, node), node.keyEnd)
  const isScalar = value === null || typeof value !== 'object'
  const isInLine = editing.lineOf(node.start) === editing.lineOf(end)
  const hasLines = typeof value === 'string' && value.includes('\n')
  if (isFlow(editing, map) || (isScalar && isInLine && !hasLines && node.start < node.end))
    return { start: node.start, end, text: formatInline(value) }
  return { start, end, text: formatPair({ key, value }, indentOf(editing, map)).trimStart() }
}

function formatPair({ key, value }: Pair, indent: string): string {
  const lines = formatYaml({ [key]: value })
    .replace(/\n$/, '')
    .split('\n')
  return lines.map((line) => (line === '' ? '' : indent + line)).join('\n')
}

/** Columns in front of the keys of a block map, as spaces. */
function indentOf({ text }: Editing, map: Node): string {
  const first = membersOf(map).find(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
  const start = first?.keyStart ?? map.start
  return ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1))
}

/** End of a value without the line feeds and blanks behind it. */
function trimmedEnd({ text }: Editing, node: Node): number {
  let end = Math.max(node.end, node.keyEnd)
  while (end > node.keyEnd && /\s/.test(text[end - 1] ?? '')) end--
  return end
}

function lineStart({ text }: Editing, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

function nextLine({ text }: Editing, offset: number): number {
  const feed = text.indexOf('\n', offset)
  return feed === -1 ? text.length : feed + 1
}
