import { problem } from '../contract/problems.ts'
import { type Pointer, parentPointer, splitPointer } from '../core/pointer.ts'
import { type Arrangement, arrangeItems, type Patch } from './arrange_items.ts'
import { formatInline, formatJson, formatYaml, type InlineFormat } from './format_yaml.ts'
import { lineAt } from './line_starts.ts'
import { parseYaml } from './parse_yaml.ts'
import { findPart, isMembers, type Node } from './yaml_node.ts'

/** An edit of one value in a YAML document. */
export type YamlEdit =
  | { readonly pointer: Pointer; readonly value: unknown }
  | ({ readonly pointer: Pointer } & Arrangement)
  | { readonly pointer: Pointer; readonly remove: true }

/** Options of `editYaml`: the index of the document in the file, from 0, and the file name used in errors. */
export interface EditOptions {
  readonly file?: string
  readonly document?: number
}

/** A document whose text is edited. */
export interface EditTarget {
  readonly text: string
  readonly formatInline: InlineFormat
  readonly root: Node
  readonly lineOf: (offset: number) => number
}

/**
 * Sets and removes members of maps, and arranges items of lists, in the text of a YAML file. Everything else is preserved
 * exactly: order, comments, quotes, blank lines. New members are added at the end of their map. JSON remains JSON.
 *
 * @throws {Problem} yaml/syntax when the text is not valid YAML
 * @throws {Problem} yaml/edit when a position does not exist or cannot be changed in place (an alias, a merged member)
 */
export function editYaml(text: string, edits: readonly YamlEdit[], options: EditOptions = {}): string {
  const { file = 'document', document = 0 } = options
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let edited = text
  for (const batch of splitBatches(edits)) {
    const target = parseForEdit(edited, file, document)
    const patches = batch.map((edit) => patchOf(target, edit)).sort((a, b) => b.start - a.start)
    for (const { start, end, text: patch } of patches)
      edited = edited.slice(0, start) + patch.replaceAll('\n', lineEnd) + edited.slice(end)
  }
  parseForEdit(edited, file, document)
  return edited
}

/** Groups the edits: those of the same or of nested maps are applied one after the other, all others at once. */
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

/** @throws {Problem} yaml/syntax */
export function parseForEdit(text: string, file: string, index: number): EditTarget {
  const { documents, issues } = parseYaml(file, text)
  const document = documents[index]
  const faults = issues.filter(({ severity }) => severity === 'error')
  if (document === undefined || faults.length > 0)
    throw problem('yaml/syntax', `Cannot edit ${file}: it is not valid YAML.`, { issues: faults })
  const format = isJson(text) ? formatJson : formatInline
  return {
    text,
    formatInline: format,
    root: document.root,
    lineOf: (offset) => lineAt(document.lines, offset),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function patchOf(target: EditTarget, edit: YamlEdit): Patch {
  const map = findMap(target, edit.pointer)
  const key = splitPointer(edit.pointer).at(-1) ?? ''
  const node = findPart(map, key)
  if ('remove' in edit)
    return node === undefined ? { start: 0, end: 0, text: '' } : removal(target, map, node)
  const arranged = node !== undefined && 'kept' in edit && arrangeItems(target, node, edit)
  if (arranged) return arranged
  const pair = { key, value: edit.value }
  return node === undefined ? addition(target, map, pair) : replacement(target, map, { ...pair, node })
}

function findMap({ root, text }: EditTarget, pointer: Pointer): Node {
  let node = root
  for (const token of splitPointer(parentPointer(pointer))) {
    const part = findPart(node, token)
    if (part === undefined) throw cannotEdit(pointer, 'does not exist')
    if (text[part.start] === '*') throw cannotEdit(pointer, 'belongs to an alias')
    node = part
  }
  if (!isMembers(node.content) || node.content.size === 0 || pointer === '')
    throw cannotEdit(pointer, 'does not belong to a non-empty map')
  return node
}

/** Creates the problem of a value that cannot be changed in place. */
export function cannotEdit(pointer: Pointer | undefined, reason: string) {
  const place = pointer === undefined ? '' : ` at ${pointer || 'the top'}`
  return problem('yaml/edit', `Cannot edit the value${place} in place: it ${reason}.`)
}

/** Tells whether a map is written in braces. */
export function isFlow({ text }: EditTarget, map: Node): boolean {
  return text[map.start] === '{'
}

function membersOf(map: Node): Node[] {
  return isMembers(map.content) ? [...map.content.values()] : []
}

/** Index among the map's own members; merged members cannot be edited here. */
function ownIndex(map: Node, node: Node): number {
  const own = membersOf(map).filter(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
  const index = own.indexOf(node)
  if (index === -1) throw cannotEdit(undefined, 'is merged from another map')
  return index
}

/** Removes a member of a map. */
export function removal(target: EditTarget, map: Node, node: Node): Patch {
  const members = membersOf(map)
  const index = ownIndex(map, node)
  const end = trimmedEnd(target, node)
  if (isFlow(target, map)) {
    const before = members[index - 1]
    if (before !== undefined) return { start: trimmedEnd(target, before), end, text: '' }
    const after = members[index + 1]
    return { start: node.keyStart, end: after?.keyStart ?? end, text: '' }
  }
  if (members.length === 1) return { start: node.keyStart, end, text: '{}' }
  const start = lineStart(target, node.keyStart)
  const after = members[index + 1]
  const isBehindDash = target.text.slice(start, node.keyStart).trim() !== ''
  if (isBehindDash && after !== undefined) return { start: node.keyStart, end: after.keyStart, text: '' }
  return { start, end: nextLine(target, end), text: '' }
}

interface Pair {
  readonly key: string
  readonly value: unknown
}

function addition(target: EditTarget, map: Node, pair: Pair): Patch {
  const last = membersOf(map).findLast(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
  if (last === undefined) throw cannotEdit(pair.key, 'would belong to a map without members of its own')
  const end = trimmedEnd(target, last)
  if (isFlow(target, map)) {
    const start = lineStart(target, last.keyStart)
    const lead = target.text.slice(start, last.keyStart)
    // Below the last member if it begins its line.
    const gap = lead.trim() === '' && start > map.start ? `\n${lead}` : ' '
    const { formatInline: format } = target
    return { start: end, end, text: `,${gap}${format(pair.key)}: ${format(pair.value)}` }
  }
  const indent = indentOf(target, map)
  const at = nextLine(target, end)
  const gap = target.text[at - 1] === '\n' ? '' : '\n'
  return { start: at, end: at, text: `${gap}${formatPair(pair, indent)}\n` }
}

function replacement(target: EditTarget, map: Node, pair: Pair & { readonly node: Node }): Patch {
  const { node, key, value } = pair
  ownIndex(map, node)
  const start = node.keyStart
  const end = Math.max(trimmedEnd(target, node), node.keyEnd)
  const isScalar = value === null || typeof value !== 'object'
  const isInLine = target.lineOf(node.start) === target.lineOf(end)
  const hasLines = typeof value === 'string' && value.includes('\n')
  if (isFlow(target, map) || (isScalar && isInLine && !hasLines && node.start < node.end))
    return { start: node.start, end, text: target.formatInline(value) }
  return { start, end, text: formatPair({ key, value }, indentOf(target, map)).trimStart() }
}

function formatPair({ key, value }: Pair, indent: string): string {
  const lines = formatYaml({ [key]: value })
    .replace(/\n$/, '')
    .split('\n')
  return lines.map((line) => (line === '' ? '' : indent + line)).join('\n')
}

/** Indentation of the keys of a block map, as spaces. */
export function indentOf({ text }: EditTarget, map: Node): string {
  const first = membersOf(map).find(({ keyStart }) => keyStart >= map.start && keyStart < map.end)
  const start = first?.keyStart ?? map.start
  return ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1))
}

/** End of a value, without trailing whitespace. */
export function trimmedEnd({ text }: EditTarget, node: Node): number {
  let end = Math.max(node.end, node.keyEnd)
  while (end > node.keyEnd && /\s/.test(text[end - 1] ?? '')) end--
  return end
}

/** Start of the line of an offset. */
export function lineStart({ text }: EditTarget, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Start of the line after that of an offset. */
export function nextLine({ text }: EditTarget, offset: number): number {
  const lineFeed = text.indexOf('\n', offset)
  return lineFeed === -1 ? text.length : lineFeed + 1
}
