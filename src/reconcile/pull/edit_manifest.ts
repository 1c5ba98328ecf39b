import type { Issue } from '../../core/issue.ts'
import { findAtPointer, joinPointer, type Pointer, splitPointer } from '../../core/pointer.ts'
import { isProblem } from '../../core/problem.ts'
import { editYaml, type YamlEdit } from '../../document/edit_yaml.ts'
import { moveMember } from '../../document/move_member.ts'
import { parseYaml } from '../../document/parse_yaml.ts'
import { keySpanAt, nearestNode } from '../../document/yaml_node.ts'
import { traceValue } from '../../manifest/explain/trace_value.ts'
import { isUse } from '../../manifest/read_blocks.ts'
import { describeUse, type ManifestSource } from '../../manifest/resolve_source.ts'
import { findBlockPointer } from '../../manifest/rewrite.ts'
import { narrowEdits } from './narrow_edits.ts'
import type { ServerValue } from './server_values.ts'

/** A file of a manifest before and after. */
export interface EditedFile {
  /** Path as shown in messages. */
  readonly file: string
  readonly before: string
  readonly after: string
}

/** Files that change, and issues for values that cannot be written in place. */
export interface EditedManifest {
  readonly files: readonly EditedFile[]
  readonly issues: readonly Issue[]
  /** Number of values that were written. */
  readonly count: number
}

/**
 * Writes values of a server into the files of a manifest, in place: comments, order and quotes stay. Values that come from
 * variables, anchors, merge keys or fragments are reported with their position, and included files are written themselves.
 */
export function editManifest(
  documents: readonly ManifestSource[],
  values: readonly ServerValue[],
  env: Readonly<Record<string, unknown>>,
): EditedManifest {
  const draft: Draft = { texts: new Map(), issues: [], count: 0, env }
  const written = documents.filter(({ use }) => use === undefined)
  for (const [file, sources] of Map.groupBy(written, ({ document }) => document.file))
    sources.forEach((source, index) => {
      const place = { source, index, file }
      const moves = values.filter((value) => isNestedMove(source, value))
      const others = values.filter((value) => !moves.includes(value))
      writeEdits(
        draft,
        place,
        others.flatMap((value) => editsOf(draft, place, value)),
      )
      moveBlocks(draft, place, moves)
    })
  for (const source of documents)
    if (source.use !== undefined)
      for (const value of values) draft.issues.push(...reportFragment(source, value))
  const files = [...draft.texts].map(([file, { before, after }]) => ({ file, before, after }))
  return {
    files: files.filter(({ before, after }) => before !== after),
    issues: draft.issues,
    count: draft.count,
  }
}

interface Draft {
  readonly texts: Map<string, { before: string; after: string }>
  readonly issues: Issue[]
  readonly env: Readonly<Record<string, unknown>>
  count: number
}

interface Place {
  readonly source: ManifestSource
  /** Index of the document in its file. */
  readonly index: number
  readonly file: string
}

function editsOf(draft: Draft, { source }: Place, one: ServerValue): YamlEdit[] {
  const { key, pointer } = one
  const block = findBlockPointer(source.value, key)
  // The block of a use is in the fragment.
  if (block === undefined || isUse(findAtPointer(source.value, block))) return []
  const place = joinAll(block, pointer)
  const narrow = narrowEdits({ ...one, pointer: place, old: findAtPointer(source.value, place) })
  return narrow.flatMap((edit) => {
    const isWritten = writeIncluded(draft, source, edit)
    if (isWritten) return []
    const fault = findObstacle(draft, source, edit)
    if (fault === undefined) return [insideOf(source.value, edit)]
    draft.issues.push(report(source, edit, { key, fault }))
    return []
  })
}

/** Tells whether a value is the new parent of a resource whose block is in that of its former parent. */
function isNestedMove({ value: root }: ManifestSource, { key, pointer }: ServerValue): boolean {
  const block = pointer === '/parent' ? findBlockPointer(root, key) : undefined
  if (block === undefined || isUse(findAtPointer(root, block))) return false
  return findAtPointer(root, joinPointer(block, 'parent')) === undefined
}

/** Moves blocks to the children of their new parents. One that moves below another that moves, too, may have to wait for it. */
function moveBlocks(draft: Draft, place: Place, moves: readonly ServerValue[]): void {
  let open = moves
  for (;;) {
    const failed = open.filter((move) => moveOne(draft, place, move) !== undefined)
    if (failed.length === 0) return
    if (failed.length === open.length) break
    open = failed
  }
  for (const move of open)
    draft.issues.push(reportMove(place.source, move, moveOne(draft, place, move) ?? ''))
}

/** Moves a block; returns why it cannot be moved. */
function moveOne(
  draft: Draft,
  { source, index, file }: Place,
  { key, value }: ServerValue,
): string | undefined {
  const known = draft.texts.get(file) ?? { before: source.document.text, after: source.document.text }
  const root = parseYaml(file, known.after).documents[index]?.value
  const [from, parent] = [findBlockPointer(root, key), findBlockPointer(root, String(value))]
  if (from === undefined || parent === undefined) return `"${String(value)}" is in another file`
  if (isUse(findAtPointer(root, parent))) return `"${String(value)}" is a use of a fragment`
  if (parent.startsWith(`${from}/`)) return `"${String(value)}" is below it`
  try {
    const move = { from, into: joinPointer(parent, 'children') }
    const after = moveMember(known.after, move, { file, document: index })
    draft.texts.set(file, { ...known, after })
    draft.count += 1
    return undefined
  } catch (error) {
    if (!isProblem(error, 'yaml/edit')) throw error
    return error.message.replace(/^.*in place: it /, 'the block ').replace(/\.$/, '')
  }
}

function reportMove(
  { value: root, document }: ManifestSource,
  { key, value }: ServerValue,
  why: string,
): Issue {
  const block = findBlockPointer(root, key) ?? ''
  return {
    code: 'pull/not-written',
    severity: 'warning',
    message: `"${key}": it was moved on the server to "${String(value)}"; its block stays, because ${why}`,
    span: keySpanAt(document, block),
    pointer: block,
    hint: `Move its block to the children of "${String(value)}".`,
  }
}

/** The resources of a fragment are those of all its uses. */
function reportFragment(source: ManifestSource, { key, pointer, value }: ServerValue): Issue[] {
  const block = findBlockPointer(source.value, key)
  if (block === undefined || source.use === undefined) return []
  const place = joinAll(block, pointer)
  const fault = `it is in the ${describeUse(source.use)}`
  return [
    report(source, value === undefined ? { pointer: place, remove: true } : { pointer: place, value }, {
      key,
      fault,
    }),
  ]
}

const joinAll = (base: Pointer, pointer: Pointer) => joinPointer(base, ...splitPointer(pointer))

/** Writes a text that is a file of its own, such as a style. */
function writeIncluded(draft: Draft, { included }: ManifestSource, edit: YamlEdit): boolean {
  const file = included.get(edit.pointer)
  if (file === undefined || 'remove' in edit || typeof edit.value !== 'string') return false
  draft.texts.set(file.file, { before: file.text, after: edit.value })
  draft.count += 1
  return true
}

/** Tells why a value cannot be written in place; undefined if it can. */
function findObstacle({ env }: Draft, source: ManifestSource, edit: YamlEdit): string | undefined {
  const { pointer } = edit
  // Items that only move keep their expressions.
  const isExpression = [...source.expressions.keys()].some(
    (one) => one === pointer || (!('kept' in edit) && one.startsWith(`${pointer}/`)),
  )
  if (isExpression) return 'it comes from a variable or a file'
  const through = traceValue(source, pointer, env).find(({ kind }) => kind === 'anchor' || kind === 'merge')
  if (through !== undefined) return 'it comes through an anchor'
  return isShared(source, pointer) ? 'it is in an anchor that is used elsewhere too' : undefined
}

/** Tells whether a value is in a node with an anchor that an alias names. */
function isShared({ document }: ManifestSource, pointer: Pointer): boolean {
  const tokens = splitPointer(pointer)
  return tokens.some((_, index) => {
    const { keyEnd, start, end } = nearestNode(document, joinPointer('', ...tokens.slice(0, index + 1)))
    if (keyEnd < 0) return false
    const [, name] = /^\s*:\s*&([^\s,\]}]+)/.exec(document.text.slice(keyEnd, Math.max(start, end))) ?? []
    return name !== undefined && document.text.includes(`*${name}`)
  })
}

/** Sets the nearest missing map if the map of a value is missing: an edit needs a map to write into. */
function insideOf(root: unknown, edit: YamlEdit): YamlEdit {
  if ('remove' in edit) return edit
  const tokens = splitPointer(edit.pointer)
  for (let length = 1; length < tokens.length; length += 1) {
    const pointer = joinPointer('', ...tokens.slice(0, length))
    if (findAtPointer(root, pointer) !== undefined) continue
    const value = tokens
      .slice(length)
      .reduceRight<unknown>((inner, token) => ({ [token]: inner }), edit.value)
    return { pointer, value }
  }
  return edit
}

interface Refusal {
  readonly key: string
  readonly fault: string
}

function report({ document }: ManifestSource, edit: YamlEdit, { key, fault }: Refusal): Issue {
  const shown = 'remove' in edit ? 'no value' : JSON.stringify(edit.value)
  const field = splitPointer(edit.pointer).at(-1)
  const short = shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
  return {
    code: 'pull/not-written',
    severity: 'warning',
    message: `"${key}": ${field} is not written, because ${fault}; the server has ${short}`,
    span: keySpanAt(document, edit.pointer),
    pointer: edit.pointer,
    hint: 'Change it where it comes from.',
  }
}

function writeEdits(draft: Draft, place: Place, edits: readonly YamlEdit[]): void {
  if (edits.length === 0) return
  const { source, index, file } = place
  const known = draft.texts.get(file) ?? { before: source.document.text, after: source.document.text }
  let { after } = known
  for (const edit of mergeEdits(edits))
    try {
      after = editYaml(after, [edit], { file, document: index })
      draft.count += 1
    } catch (error) {
      if (!isProblem(error, 'yaml/edit')) throw error
      const key = splitPointer(edit.pointer).at(-2) ?? ''
      draft.issues.push(report(source, edit, { key, fault: 'it is not written in this file' }))
    }
  draft.texts.set(file, { ...known, after })
}

/** Merges edits that set the same missing map. */
function mergeEdits(edits: readonly YamlEdit[]): YamlEdit[] {
  const merged = new Map<Pointer, YamlEdit>()
  for (const edit of edits) {
    const before = merged.get(edit.pointer)
    const both = before !== undefined && !('remove' in before) && !('remove' in edit)
    merged.set(edit.pointer, both ? { ...edit, value: mergeValues(before.value, edit.value) } : edit)
  }
  return [...merged.values()]
}

function mergeValues(a: unknown, b: unknown): unknown {
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return isMap(a) && isMap(b) ? { ...(a as object), ...(b as object) } : b
}
