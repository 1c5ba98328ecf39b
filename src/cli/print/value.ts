import { countOf, showNumber } from '../../core/count.ts'
import { isObject } from '../../core/is_object.ts'
import { oneLine } from './text_format.ts'

const maxLength = 100

/**
 * Formats a value of an edit on one line: strings in quotes, lists of named items by their names, references by the names of their
 * targets. The name is that of the field.
 */
export function showValue(value: unknown, name = ''): string {
  if (value === undefined) return '(none)'
  const names = findReference(name, value) ?? findNames(value)
  if (names !== undefined) return shorten(oneLine(names))
  const text = JSON.stringify(value, withReferences)
  return text.length > maxLength && isStructure(value) ? showStart(value) : shorten(text)
}

const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Maximum length of a member of an object or list that is shown in part. */
const maxPart = 40

/** Formats the first members of a long object or list, each of them whole or abbreviated, with the number of the others. */
function showStart(value: object): string {
  const parts = Object.entries(value).flatMap(([name, one]) => {
    const text = JSON.stringify(withReferences(name, one), withReferences) as string | undefined
    if (text === undefined) return []
    return [Array.isArray(value) ? abbreviate(text) : `${JSON.stringify(name)}:${abbreviate(text)}`]
  })
  const shown: string[] = []
  let left = maxLength - ',… 1,000 more'.length
  for (const part of parts) {
    left -= part.length + 1
    if (left < 0) break
    shown.push(part)
  }
  const more = parts.length - shown.length
  const list = [...shown, ...(more === 0 ? [] : [`… ${showNumber(more)} more`])].join(',')
  return Array.isArray(value) ? `[${list}]` : `{${list}}`
}

function abbreviate(text: string): string {
  if (text.length <= maxPart) return text
  if (text.startsWith('{')) return '{…}'
  return text.startsWith('[') ? '[…]' : `${text.slice(0, maxPart - 2)}…"`
}

/** Cuts a text to the length of a line. */
export function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

/** Formats two different values of an edit, each on one line; long values that start alike from where they differ. */
export function showValues(from: unknown, to: unknown): readonly [from: string, to: string] {
  const [old, next] = [showValue(from), showValue(to)]
  if (old !== next) return [old, next]
  const [oldText, nextText] = [JSON.stringify(from) ?? '', JSON.stringify(to) ?? '']
  let start = 0
  while (start < oldText.length && oldText[start] === nextText[start]) start += 1
  const shown = (text: string) => {
    const part = text.slice(Math.max(0, start - 20), start + maxLength - 22)
    return `${start > 20 ? '…' : ''}${part}${start + maxLength - 22 < text.length ? '…' : ''}`
  }
  return [shown(oldText), shown(nextText)]
}

/** Formats a reference outside of the manifest, `roads (id 33)` or `id 33`, to an icon, `pin (id 3)`, or to a reference system, `EPSG:3857`. */
function findReference(name: string, value: unknown): string | undefined {
  if (!isObject(value) || typeof value.id !== 'number') return undefined
  const { id, name: called, title = called, ...rest } = value
  if (Object.keys(rest).length > 0) return undefined
  if (name === 'srs') return `EPSG:${id}`
  return title === undefined ? `id ${id}` : `${title} (id ${id})`
}

const withReferences = (name: string, value: unknown) => findReference(name, value) ?? value

/** Formats a part of a pointer, which names an item of a list by its key: references without a name by their id. */
export function showPart(part: string): string {
  const id = /^\{"id":(\d+)\}$/.exec(part)?.[1]
  return id === undefined ? part : `id ${id}`
}

function findNames(value: unknown): string | undefined {
  if (isLayerTree(value)) return showItems(value.children)
  if (!Array.isArray(value) || value.length === 0) return undefined
  const names = value.map((item) => nameOf(item))
  return names.every((name) => name !== undefined) ? names.join(', ') : undefined
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { keyname, display_name } = item as { keyname?: unknown; display_name?: unknown }
  const name = keyname ?? display_name
  return typeof name === 'string' ? name : undefined
}

interface LayerTree {
  readonly children: readonly LayerTree[]
  readonly display_name?: string
}

function isLayerTree(value: unknown): value is LayerTree {
  return (
    typeof value === 'object' && value !== null && Array.isArray((value as { children?: unknown }).children)
  )
}

function showItems(items: readonly LayerTree[]): string {
  if (items.length === 0) return '(empty)'
  return items
    .map((item) => {
      const name = item.display_name ?? '?'
      if (!isLayerTree(item)) return name
      return item.children.length === 0 ? `${name} (empty)` : `${name} (${showItems(item.children)})`
    })
    .join(', ')
}

/** Tells whether a string is long enough to be compared by lines. */
export function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 60
}

/** Line of a comparison of two texts. */
export interface TextLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
}

/** Maximum number of differing lines of each text that are compared; the rest is counted. */
const maxLines = 400

/**
 * Compares two texts line by line, and returns the differing lines with one line of context; never empty for texts that
 * differ.
 */
export function compareLines(from: string, to: string): TextLine[] {
  const [old, next] = [splitLines(from), splitLines(to)]
  const { head, tail } = sharedEnds(old, next)
  const [changed, written] = [old.slice(head, old.length - tail), next.slice(head, next.length - tail)]
  if (changed.length + written.length === 0)
    return [{ sign: ' ', text: '(only spaces or line breaks differ)' }]
  const context = (line: string | undefined): TextLine[] =>
    line === undefined ? [] : [{ sign: ' ', text: line }]
  const left = Math.max(changed.length, written.length) - maxLines
  const lines = compareParts(changed.slice(0, maxLines), written.slice(0, maxLines))
  if (left > 0)
    return [...context(old[head - 1]), ...lines, { sign: ' ', text: `… ${countOf(left, 'more line')}` }]
  return [...context(old[head - 1]), ...lines, ...context(tail > 0 ? old[old.length - tail] : undefined)]
}

/** Counts the equal lines at the start and at the end of two texts. */
function sharedEnds(old: readonly string[], next: readonly string[]): { head: number; tail: number } {
  const most = Math.min(old.length, next.length)
  let head = 0
  while (head < most && old[head] === next[head]) head += 1
  let tail = 0
  while (tail < most - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1
  return { head, tail }
}

function compareParts(old: readonly string[], next: readonly string[]): TextLine[] {
  const lengths = sharedLengths(old, next)
  const lines: TextLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ sign: ' ', text: old[i] ?? '' })
      i += 1
      j += 1
    } else if (
      j >= next.length ||
      (i < old.length && lengthAt(lengths, i + 1, j) >= lengthAt(lengths, i, j + 1))
    ) {
      lines.push({ sign: '-', text: old[i] ?? '' })
      i += 1
    } else {
      lines.push({ sign: '+', text: next[j] ?? '' })
      j += 1
    }
  }
  return lines.filter((_, at) => [at - 1, at, at + 1].some((near) => (lines[near]?.sign ?? ' ') !== ' '))
}

// Splits markup on one line between its elements, and EWKT between its positions, to locate the change.
function splitLines(text: string): string[] {
  const between = /^SRID=\d+;/.test(text) ? /(?<=,)/g : /(?<=>)(?=<)/g
  const broken = text.includes('\n') ? text : text.replaceAll(between, '\n')
  return broken.trim().split('\n')
}

const lengthAt = (lengths: readonly (readonly number[])[], i: number, j: number) => lengths[i]?.[j] ?? 0

/** Lengths of the longest common subsequences of the remaining lines. */
function sharedLengths(old: readonly string[], next: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(next.length + 1).fill(0))
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = next.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? []
      row[j] =
        old[i] === next[j]
          ? lengthAt(lengths, i + 1, j + 1) + 1
          : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1))
    }
  return lengths
}
