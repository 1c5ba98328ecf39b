import type { TreeBuilder } from './tree_builder.ts'

/** Maximum nesting depth; deeper files are left to the full parser, which reports them. */
export const maxDepth = 50

/** State of a read. Every function of this folder advances it. */
export interface Reader<V = unknown> {
  readonly text: string
  readonly builder: TreeBuilder<V>
  /** Offset of the next character. */
  at: number
  /** Indentation of the current line, in spaces; -1 at the end of the text. */
  indent: number
  /** End of the last value. */
  end: number
  depth: number
}

const notPlain = Symbol('not plain')

/** Aborts the read: the text uses YAML that this reader does not support, which is not a fault. */
export function giveUp(): never {
  throw notPlain
}

/** Runs a read; returns undefined if it was aborted. */
export function tryReading<T>(reading: () => T): T | undefined {
  try {
    return reading()
  } catch (thrown) {
    if (thrown === notPlain) return undefined
    throw thrown
  }
}

const lineFeed = 10
const space = 32
const hash = 35

/** Moves from the start of a line to the first character of the next line with content. */
export function skipToContent(reader: Reader): void {
  const { text } = reader
  let start = reader.at
  for (;;) {
    let at = start
    while (text.charCodeAt(at) === space) at++
    const code = text.charCodeAt(at)
    if (Number.isNaN(code)) {
      reader.at = text.length
      reader.indent = -1
      return
    }
    if (code !== lineFeed && code !== hash) {
      if (at === start && /^(?:---|\.\.\.|%)/.test(text.slice(at, at + 3))) giveUp()
      reader.at = at
      reader.indent = at - start
      return
    }
    const end = text.indexOf('\n', at)
    start = end === -1 ? text.length : end + 1
  }
}

/** Skips the spaces and the comment after a value; aborts if anything else follows. */
export function endLine(reader: Reader): void {
  const { text } = reader
  const from = reader.at
  while (text.charCodeAt(reader.at) === space) reader.at++
  const code = text.charCodeAt(reader.at)
  if (code === hash && reader.at > from) {
    const end = text.indexOf('\n', reader.at)
    reader.at = end === -1 ? text.length : end
  } else if (code !== lineFeed && !Number.isNaN(code)) giveUp()
  reader.at++
  skipToContent(reader)
}

/** Reports whether only spaces and a comment follow on the line. */
export function isLineEnd({ text, at }: Reader): boolean {
  let next = at
  while (text.charCodeAt(next) === space) next++
  const code = text.charCodeAt(next)
  return code === lineFeed || Number.isNaN(code) || (code === hash && next > at)
}

/** Skips spaces. */
export function skipSpaces(reader: Reader): void {
  while (reader.text.charCodeAt(reader.at) === space) reader.at++
}
