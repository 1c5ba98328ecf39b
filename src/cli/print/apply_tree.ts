import { catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { countOf, showNumber } from '../../core/count.ts'
import type { Change } from '../../reconcile/model/change.ts'
import { type ApplyState, type ChangeState, uploadBytesOf } from './apply_state.ts'
import { type ScreenSize, spinner } from './live.ts'
import { signs } from './plan.ts'
import { type Paint, plainLine, showBytes, showDuration } from './text_format.ts'

/** A resource with changes below it, or a section of the manifest, in the tree of changes. */
export interface Branch {
  readonly name: string
  /** Change of the resource itself. */
  readonly own?: Change
  readonly branches: ReadonlyMap<string, Branch>
  /** Changes of resources without changes below them. */
  readonly changes: readonly Change[]
}

/** A state of an apply to draw. */
export interface ApplyView {
  readonly state: ApplyState
  readonly tree: Branch
  readonly paint: Paint
  readonly nowMs: number
}

interface OpenBranch extends Branch {
  own?: Change
  readonly branches: Map<string, OpenBranch>
  readonly changes: Change[]
}

const openBranch = (name: string): OpenBranch => ({ name, branches: new Map(), changes: [] })

/** Arranges changes as the tree of their resources, after sections of records and accounts. */
export function treeOfChanges(changes: readonly Change[]): Branch {
  const top = openBranch('')
  const parents = changes.map((change) => growTo(top, placeOf(change)))
  changes.forEach((change, at) => {
    const parent = parents[at] ?? top
    const branch = change.record === undefined ? parent.branches.get(change.path.at(-1) ?? '') : undefined
    if (branch === undefined || branch.own !== undefined) parent.changes.push(change)
    else branch.own = change
  })
  return top
}

function growTo(top: OpenBranch, names: readonly string[]): OpenBranch {
  let branch = top
  for (const name of names) {
    const below = branch.branches.get(name) ?? openBranch(name)
    branch.branches.set(name, below)
    branch = below
  }
  return branch
}

function placeOf({ record, path }: Change): readonly string[] {
  if (record === undefined) return path.slice(0, -1)
  return [catalogKinds.some((kind) => kind === record) ? 'Catalog' : 'Users and groups']
}

/** Draws an apply: a line of counts, then as much of the tree as fits, but always what is running. */
export function drawApply(view: ApplyView, { width, height }: ScreenSize): string[] {
  const head = drawHead(view, width)
  // The last row stays free, so that the terminal does not scroll.
  const room = Math.max(1, height - 2)
  for (const detail of details) {
    const lines: string[] = []
    drawBelow({ ...view, lines, detail, room }, view.tree, 1)
    if (lines.length <= room) return [head, ...lines]
    if (detail === 'running') return [head, ...lines.slice(0, room - 1), `  … ${more(view.state)}`]
  }
  return [head]
}

/** What is drawn, from most to least: all changes, all branches with what is running, only what is running. */
const details = ['changes', 'branches', 'running'] as const

const more = ({ running }: ApplyState) => `${countOf(running.length, 'change')} running`

/** Describes the counts, the time and the remaining time in one line. */
export function describeApply(state: ApplyState, nowMs: number): string {
  const { done, total, failed, loaded, uploads, isSending, sent, fraction } = state
  const took = showDuration(state.elapsedMs(nowMs))
  if (isSending) return `${countOf(sent, 'change')} sent in one request, ${took}`
  const isLoading = done === 0 && uploads > 0
  const counts = isLoading
    ? `${showNumber(loaded)} of ${countOf(uploads, 'upload')} done, ${countOf(total, 'change')} to make`
    : `${showNumber(done)} of ${countOf(total, 'change')} done`
  const remainingMs = state.remainingMs(nowMs)
  return [
    counts,
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${Math.floor(fraction * 100)} %`,
    took,
    ...(remainingMs === undefined ? [] : [`about ${showDuration(remainingMs)} left`]),
  ].join(', ')
}

const barWidth = 20

function drawHead({ state, paint, nowMs }: ApplyView, width: number): string {
  const text = describeApply(state, nowMs)
  const colour = state.failed > 0 ? 'red' : 'green'
  const full = Math.floor(state.fraction * barWidth)
  const bar = `${paint(colour, '█'.repeat(full))}${paint('dim', '░'.repeat(barWidth - full))} `
  const hasBar = !state.isSending && width > text.length + barWidth + 4
  return `${paint('cyan', spinner(nowMs))} ${hasBar ? bar : ''}${text}`
}

interface Drawing extends ApplyView {
  readonly lines: string[]
  readonly detail: (typeof details)[number]
  /** Number of lines that fit. */
  readonly room: number
}

/** Counts of a branch with all below it. */
interface BranchCounts {
  total: number
  done: number
  failed: number
  running: number
  uploads: number
  loaded: number
}

function drawBelow(drawing: Drawing, branch: Branch, depth: number): void {
  const { lines, room, detail, state } = drawing
  for (const change of branch.changes) {
    if (lines.length > room) return
    const now = state.stateOf(change)
    if (detail === 'changes' || now === 'running' || now === 'failed')
      lines.push(drawChange(drawing, change, depth))
  }
  for (const below of branch.branches.values()) {
    if (lines.length > room) return
    drawBranch(drawing, below, depth)
  }
}

function drawBranch(drawing: Drawing, branch: Branch, depth: number): void {
  const { lines, detail, state } = drawing
  const chain = [...chainFrom(branch)]
  const end = chain.at(-1) ?? branch
  const counts = countBranch(state, end)
  if (detail === 'running' && counts.running + counts.failed === 0) return
  const names = chain.map(({ name }) => plainLine(name)).join(' / ')
  const mark = end.own === undefined ? '' : `${drawMark(drawing, end.own)} `
  const note = end.own === undefined ? '' : noteOf(state, end.own, drawing.nowMs)
  lines.push(drawCounts(drawing, `${'  '.repeat(depth)}${mark}${names}${note}`, counts))
  drawBelow(drawing, end, depth + 1)
}

/** Lists branches that share a line: those without changes of their own, on the way to the first with some. */
function* chainFrom(first: Branch): Generator<Branch> {
  for (let branch: Branch | undefined = first; branch !== undefined; ) {
    yield branch
    const [next, ...others]: Branch[] = [...branch.branches.values()]
    const isEmpty: boolean = branch.own === undefined && branch.changes.length === 0
    branch = isEmpty && others.length === 0 ? next : undefined
  }
}

function drawCounts({ paint }: Drawing, text: string, counts: BranchCounts): string {
  const { done, total, failed, uploads, loaded } = counts
  if (failed > 0)
    return `${text}  ${paint('red', `${showNumber(done)} of ${showNumber(total)}, ${failed} failed`)}`
  if (done === total) return `${text}  ${paint('green', `✓ ${showNumber(total)}`)}`
  if (done === 0 && uploads > 0)
    return `${text}  ${paint('dim', `${showNumber(loaded)} of ${countOf(uploads, 'upload')}`)}`
  return `${text}  ${paint('dim', `${showNumber(done)} of ${showNumber(total)}`)}`
}

function countBranch(state: ApplyState, branch: Branch): BranchCounts {
  const counts: BranchCounts = { total: 0, done: 0, failed: 0, running: 0, uploads: 0, loaded: 0 }
  const open = [branch]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    open.push(...next.branches.values())
    if (next.own !== undefined) countChange(counts, state.stateOf(next.own), next.own)
    for (const change of next.changes) countChange(counts, state.stateOf(change), change)
  }
  return counts
}

function countChange(counts: BranchCounts, now: ChangeState, change: Change): void {
  counts.total += 1
  if (uploadBytesOf(change) !== undefined) counts.uploads += 1
  if (now === 'loaded') counts.loaded += 1
  else if (now === 'running') counts.running += 1
  else if (now !== 'waiting') counts.done += 1
  if (now === 'failed') counts.failed += 1
}

function drawChange(drawing: Drawing, change: Change, depth: number): string {
  const note = noteOf(drawing.state, change, drawing.nowMs)
  return `${'  '.repeat(depth)}${drawMark(drawing, change)} ${plainLine(change.key)}${note}`
}

/** Draws the state of a change, and what it does. */
function drawMark({ state, paint, nowMs }: Drawing, change: Change): string {
  const [sign, colour] = signs[change.action]
  return `${markOf(state.stateOf(change), paint, nowMs)} ${paint(colour, sign)}`
}

function noteOf(state: ApplyState, change: Change, nowMs: number): string {
  const now = state.stateOf(change)
  if (now === 'loaded') return `  ${showBytes(uploadBytesOf(change) ?? 0)} uploaded`
  const note = now === 'running' ? state.noteOf(change, nowMs) : ''
  return note === '' ? '' : `  ${note}`
}

function markOf(now: ChangeState, paint: Paint, nowMs: number): string {
  if (now === 'running') return paint('cyan', spinner(nowMs))
  if (now === 'done') return paint('green', '✓')
  if (now === 'failed') return paint('red', '✗')
  if (now === 'undone') return paint('dim', '-')
  return now === 'loaded' ? paint('cyan', '↑') : paint('dim', '·')
}
