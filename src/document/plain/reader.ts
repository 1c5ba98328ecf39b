import type { Maker } from './maker.ts'

/** Deepest nesting that is read; deeper files are left to the full parser, which reports them. */
export const maxDepth = 50

/** Where the reading of a text has got to. Every function of this folder moves it forward. */
export interface Reader<V = unknown> {
  readonly text: string
  readonly make: Maker<V>
  /** Offset of the next character. */
  at: number
  /** Spaces in front of the line that is read; -1 at the end of the text. */
  indent: number
  /** Where the last value ended. */
  end: number
  depth: number
}

const notPlain = Symbol('not plain')

/** Gives up: the text is more than this reader understands, which does not mean that it is wrong. */
export function giveUp(): never {
  throw notPlain
}

/** Runs a reading; undefined where it gave up. */
export function tryReading<T>(reading: () => T): T | undefined {
  try {
    return reading()
  } catch (thrown) {
    if (thrown === notPlain) return undefined
    throw thrown
  }
}

const feed = 10
const space = 32
const hash = 35

/** Goes to the first character of the next line with content, from the start of a line. */
export function toContent(reader: Reader): void {
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
    if (code !== feed && code !== hash) {
      if (at === start && /^(?:---|\.\.\.|%)/.test(text.slice(at, at + 3))) giveUp()
      reader.at = at
      reader.indent = at - start
      return
    }
    const end = text.indexOf('\n', at)
    start = end === -1 ? text.length : end + 1
  }
}

/** Passes the blanks and the comment behind a value; gives up where anything else follows. */
export function endLine(reader: Reader): void {
  const { text } = reader
  const from = reader.at
  while (text.charCodeAt(reader.at) === space) reader.at++
  const code = text.charCodeAt(reader.at)
  if (code === hash && reader.at > from) {
    const end = text.indexOf('\n', reader.at)
    reader.at = end === -1 ? text.length : end
  } else if (code !== feed && !Number.isNaN(code)) giveUp()
  reader.at++
  toContent(reader)
}

/** Tells whether nothing but blanks and a comment follows on the line. */
export function isLineOver({ text, at }: Reader): boolean {
  let next = at
  while (text.charCodeAt(next) === space) next++
  const code = text.charCodeAt(next)
  return code === feed || Number.isNaN(code) || (code === hash && next > at)
}

/** Passes spaces. */
export function skipSpaces(reader: Reader): void {
  while (reader.text.charCodeAt(reader.at) === space) reader.at++
}
