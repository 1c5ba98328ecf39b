/** Number of equal lines around a change in a patch. */
const context = 3

interface Line {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/**
 * Formats the difference of two texts as a unified diff, as `git apply` reads it; empty if they are equal.
 *
 * @see https://www.gnu.org/software/diffutils/manual/html_node/Unified-Format.html
 */
export function formatPatch(path: string, from: string, to: string): string {
  if (from === to) return ''
  const lines = compareAll(from.split('\n'), to.split('\n'))
  const hunks = listHunks(lines)
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks].join('\n')
}

function listHunks(lines: readonly Line[]): string[] {
  const hunks: string[] = []
  let old = 1
  let next = 1
  for (let at = 0; at < lines.length; ) {
    const end = lines[at]?.sign === ' ' && !isNear(lines, at) ? at : findEnd(lines, at)
    if (end === at) {
      old += 1
      next += 1
      at += 1
      continue
    }
    // The last line is empty if the text ends with a line feed, and is not a line of the file.
    const hunk = lines.slice(at, end).filter((line, index) => !isLastEmpty(lines, at + index, line))
    const olds = hunk.filter(({ sign }) => sign !== '+').length
    const nexts = hunk.filter(({ sign }) => sign !== '-').length
    hunks.push(`@@ -${old},${olds} +${next},${nexts} @@`, ...hunk.map(({ sign, text }) => `${sign}${text}`))
    old += olds
    next += nexts
    at = end
  }
  return hunks
}

const isLastEmpty = (lines: readonly Line[], at: number, { sign, text }: Line) =>
  at === lines.length - 1 && sign === ' ' && text === ''

function isNear(lines: readonly Line[], at: number): boolean {
  return lines.slice(Math.max(0, at - context), at + context + 1).some(({ sign }) => sign !== ' ')
}

function findEnd(lines: readonly Line[], start: number): number {
  let end = start
  while (end < lines.length && isNear(lines, end)) end += 1
  return end
}

/** Compares two lists of lines: the shortest list of changes. @see Myers, An O(ND) Difference Algorithm, 1986 */
function compareAll(old: readonly string[], next: readonly string[]): Line[] {
  const shared: Line[] = []
  let head = 0
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1
  let tail = 0
  const most = Math.min(old.length, next.length) - head
  while (tail < most && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1
  for (const text of old.slice(0, head)) shared.push({ sign: ' ', text })
  const middle = compareMiddle(old.slice(head, old.length - tail), next.slice(head, next.length - tail))
  const end = old.slice(old.length - tail).map((text): Line => ({ sign: ' ', text }))
  return [...shared, ...middle, ...end]
}

function compareMiddle(old: readonly string[], next: readonly string[]): Line[] {
  const trace: Map<number, number>[] = []
  const reach = new Map<number, number>([[1, 0]])
  for (let edits = 0; ; edits += 1) {
    trace.push(new Map(reach))
    if (advance(reach, edits, { old, next })) return walkBack(trace, { old, next })
  }
}

interface Texts {
  readonly old: readonly string[]
  readonly next: readonly string[]
}

/** Extends the farthest paths by one edit; tells whether one of them reaches the end. */
function advance(reach: Map<number, number>, edits: number, { old, next }: Texts): boolean {
  for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
    let x = startOf(reach, edits, diagonal)
    while (x < old.length && x - diagonal < next.length && old[x] === next[x - diagonal]) x += 1
    reach.set(diagonal, x)
    if (x >= old.length && x - diagonal >= next.length) return true
  }
  return false
}

/** Tells whether the farthest path to a diagonal comes from an insertion. */
function isInsertion(reach: ReadonlyMap<number, number>, edits: number, diagonal: number): boolean {
  const [below, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1]
  return diagonal === -edits || (diagonal !== edits && below < above)
}

function startOf(reach: ReadonlyMap<number, number>, edits: number, diagonal: number): number {
  return isInsertion(reach, edits, diagonal)
    ? (reach.get(diagonal + 1) ?? 0)
    : (reach.get(diagonal - 1) ?? -1) + 1
}

function walkBack(trace: readonly ReadonlyMap<number, number>[], { old, next }: Texts): Line[] {
  const lines: Line[] = []
  let [x, y] = [old.length, next.length]
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits] ?? new Map<number, number>()
    const inserts = isInsertion(reach, edits, x - y)
    const before = x - y + (inserts ? 1 : -1)
    const oldX = reach.get(before) ?? 0
    const oldY = oldX - before
    for (; x > oldX && y > oldY; x -= 1, y -= 1) lines.push({ sign: ' ', text: old[x - 1] ?? '' })
    if (edits > 0)
      lines.push(inserts ? { sign: '+', text: next[oldY] ?? '' } : { sign: '-', text: old[oldX] ?? '' })
    x = oldX
    y = oldY
  }
  return lines.reverse()
}
