import {
  type Assertion,
  type CharacterTest,
  isWordCharacter,
  PatternFault,
  type PatternNode,
  parsePattern,
} from './pattern_parse.ts'

/** Maximum number of states; its product with the number of characters bounds the time. */
const maxStates = 500

/** Maximum number of characters that are searched. */
export const maxSearchLength = 10_000

/** Returns the offset of the first match in a text, in UTF-16 code units; -1 if there is none, or the text is too long. */
export type PatternSearch = (text: string) => number

/**
 * Compiles a regular expression to a search without backtracking: its time is at most proportional to the length of the
 * text times the number of states. Returns undefined if the expression is invalid, too large or not supported.
 *
 * @see https://swtch.com/~rsc/regexp/regexp2.html
 */
export function compileLinearPattern(
  pattern: string,
  { ignoresCase }: { readonly ignoresCase: boolean },
): PatternSearch | undefined {
  const flag = pattern.startsWith('(?i)')
  try {
    const states = compileStates(parsePattern(flag ? pattern.slice(4) : pattern, ignoresCase || flag))
    return (text) => (text.length > maxSearchLength ? -1 : search(states, text))
  } catch (error) {
    if (error instanceof PatternFault) return undefined
    throw error
  }
}

/** State of the automaton; `next` and `other` are indices. */
type State =
  | { readonly kind: 'character'; readonly test: CharacterTest; next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; next: number }
  | { readonly kind: 'split'; next: number; readonly other: number }
  | { readonly kind: 'match' }

/** Builds the states from the end: each part is compiled with the state that follows it. */
function compileStates(root: PatternNode): { readonly states: readonly State[]; readonly start: number } {
  const states: State[] = []
  const add = (state: State): number => {
    if (states.length >= maxStates) throw new PatternFault(`more than ${maxStates} states`)
    return states.push(state) - 1
  }
  const build = (node: PatternNode, next: number): number => {
    switch (node.kind) {
      case 'character':
        return add({ kind: 'character', test: node.test, next })
      case 'assertion':
        return add({ kind: 'assertion', assertion: node.assertion, next })
      case 'sequence':
        return node.parts.reduceRight((following, part) => build(part, following), next)
      case 'choice':
        return node.parts
          .map((part) => build(part, next))
          .reduceRight((other, start) => add({ kind: 'split', next: start, other }))
      case 'repeat':
        return buildRepeat(node, next)
    }
  }
  const buildRepeat = ({ part, least, most }: PatternNode & { kind: 'repeat' }, next: number): number => {
    let start = next
    if (most === undefined) {
      const loop = add({ kind: 'split', next, other: next })
      states[loop] = { kind: 'split', next: build(part, loop), other: next }
      start = loop
    }
    for (let count = least; count < (most ?? least); count += 1)
      start = add({ kind: 'split', next: build(part, start), other: next })
    for (let count = 0; count < least; count += 1) start = build(part, start)
    return start
  }
  const match = add({ kind: 'match' })
  return { start: build(root, match), states }
}

type Automaton = ReturnType<typeof compileStates>

/** Threads of a step: states, with the offset where their match starts; earlier starts come first. */
interface Threads {
  readonly states: number[]
  readonly starts: number[]
  readonly known: Uint8Array
}

function search({ states, start }: Automaton, text: string): number {
  let best = -1
  let threads = emptyThreads(states.length)
  for (let at = 0; at <= text.length; ) {
    const code = text.codePointAt(at) ?? -1
    const following = { states, threads: emptyThreads(states.length), text, at: at + (code > 0xffff ? 2 : 1) }
    if (best < 0) addThread({ states, threads, text, at }, start, at)
    const found = advance({ threads, following, code })
    if (found >= 0) best = best < 0 ? found : Math.min(best, found)
    if (best >= 0 && following.threads.states.length === 0) return best
    threads = following.threads
    at = following.at
  }
  return best
}

interface Advance {
  readonly threads: Threads
  readonly following: Step
  /** Character at the position, as a code point; -1 at the end. */
  readonly code: number
}

/** Moves threads past a character. Returns the start of the first match that ends here; drops threads that start later. */
function advance({ threads, following, code }: Advance): number {
  for (const [index, id] of threads.states.entries()) {
    const [state, from] = [following.states[id], threads.starts[index] ?? 0]
    if (state?.kind === 'match') return from
    if (state?.kind === 'character' && code >= 0 && state.test(code)) addThread(following, state.next, from)
  }
  return -1
}

const emptyThreads = (size: number): Threads => ({ states: [], starts: [], known: new Uint8Array(size) })

interface Step {
  readonly states: readonly State[]
  readonly threads: Threads
  readonly text: string
  readonly at: number
}

/** Adds a state, or those that it leads to without a character. */
function addThread(step: Step, id: number, from: number): void {
  const { states, threads } = step
  if (threads.known[id] === 1) return
  threads.known[id] = 1
  const state = states[id]
  if (state?.kind === 'split') {
    addThread(step, state.next, from)
    addThread(step, state.other, from)
  } else if (state?.kind === 'assertion') {
    if (holds(state.assertion, step)) addThread(step, state.next, from)
  } else {
    threads.states.push(id)
    threads.starts.push(from)
  }
}

function holds(assertion: Assertion, { text, at }: Step): boolean {
  if (assertion === 'start') return at === 0
  if (assertion === 'end') return at === text.length
  const [before, after] = [at - 1, at].map((offset) => isWordCharacter(text.charCodeAt(offset)))
  return (before !== after) === (assertion === 'boundary')
}
