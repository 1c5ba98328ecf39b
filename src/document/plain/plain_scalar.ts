import type { Scalar } from '../yaml_node.ts'
import { giveUp, type Reader } from './plain_reader.ts'

const keywords: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** Reports whether a plain scalar means null, true or false. */
export function isKeyword(text: string): boolean {
  return keywords.has(text)
}

/** Characters that a plain scalar must not start with. */
const indicators = '?:,[]{}#&*!|>\'"%@`-'

/** Resolves a plain scalar to a string, number, boolean or null. */
export function resolvePlain(text: string): Scalar {
  const word = keywords.get(text)
  if (word !== undefined) return word
  if (!/^[-+.0-9]/.test(text)) return text
  if (/^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/.test(text)) return Number(text)
  const isUnsupportedNumber =
    /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^0[ox]|^[-+]?\.(?:inf|nan)$/i.test(text)
  return isUnsupportedNumber ? giveUp() : text
}

/** Checks that a plain scalar may start with the current character and the one after it. */
export function checkPlainStart({ text, at }: Reader): void {
  const first = text.charAt(at)
  if (first === '-' && /[^\s,[\]{}]/.test(text.charAt(at + 1))) return
  if (first === '' || indicators.includes(first)) giveUp()
}

/** Removes trailing spaces. */
export function trimSpaces(text: string): string {
  return text.endsWith(' ') ? text.replace(/ +$/, '') : text
}

/** Builds the scalar that ends at the current offset. */
export function endScalar<V>(reader: Reader<V>, content: Scalar, start: number): V {
  reader.end = reader.at
  return reader.builder.scalar(content, start, reader.at)
}

/** Reads a plain scalar up to the end of the line. */
export function readPlainText<V>(reader: Reader<V>): V {
  checkPlainStart(reader)
  const { text, at: start } = reader
  const lineFeed = text.indexOf('\n', start)
  const line = text.slice(start, lineFeed === -1 ? text.length : lineFeed)
  const comment = line.indexOf(' #')
  const plain = trimSpaces(comment === -1 ? line : line.slice(0, comment))
  if (plain.includes(': ') || plain.endsWith(':')) giveUp()
  reader.at = start + plain.length
  return endScalar(reader, resolvePlain(plain), start)
}

/** Reads a quoted scalar that ends on its line. */
export function readQuoted<V>(reader: Reader<V>): V {
  const start = reader.at
  return endScalar(reader, readQuotedText(reader), start)
}

/** Reads a quoted string without building a scalar. */
export function readQuotedText(reader: Reader): string {
  return reader.text[reader.at] === '"' ? readDouble(reader) : readSingle(reader)
}

const doubleQuoted = /"((?:[^"\\\n]|\\["\\/bfnrt])*)"/y
const singleQuoted = /'((?:[^'\n]|'')*)'/y

function readDouble(reader: Reader): string {
  const inner = match(reader, doubleQuoted)
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner
}

function readSingle(reader: Reader): string {
  const inner = match(reader, singleQuoted)
  return inner.includes("'") ? inner.replaceAll("''", "'") : inner
}

function match(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (found === null) return giveUp()
  reader.at = pattern.lastIndex
  return found[1] ?? ''
}

/**
 * Reads a literal block (`|` or `|-`) under a parent with the given indentation, and moves to the line after it.
 *
 * @see https://yaml.org/spec/1.2.2/ clause 8.1.2
 */
export function readLiteral<V>(reader: Reader<V>, parentIndent: number): V {
  const { text, at: start } = reader
  const header = /^\|(-?)\n/.exec(text.slice(start, start + 3))
  if (header === null) return giveUp()
  reader.at += header[0].length
  const indent = literalIndent(reader)
  if (indent <= parentIndent) giveUp()
  const { lines, end } = readLines(reader, indent)
  reader.end = end
  return reader.builder.scalar(lines.join('\n') + (header[1] === '-' ? '' : '\n'), start, end)
}

/** Indentation of the first non-blank line; the blank lines before it are empty. */
function literalIndent({ text, at }: Reader): number {
  let start = at
  while (text[start] === '\n') start++
  let end = start
  while (text[end] === ' ') end++
  return text[end] === '\n' || text[end] === undefined ? giveUp() : end - start
}

/** Reads the lines of a literal block without its indentation; trailing blank lines are dropped. */
function readLines(reader: Reader, indent: number): { readonly lines: string[]; readonly end: number } {
  const { text } = reader
  const margin = ' '.repeat(indent)
  const lines: string[] = []
  let length = 0
  let end = reader.at
  while (reader.at < text.length) {
    const lineFeed = text.indexOf('\n', reader.at)
    const line = text.slice(reader.at, lineFeed === -1 ? text.length : lineFeed)
    const isBlank = line.trim() === ''
    if (!isBlank && !line.startsWith(margin)) break
    if (lineFeed === -1 || (isBlank && line.length > indent)) giveUp()
    lines.push(line.slice(indent))
    reader.at = lineFeed + 1
    if (isBlank) continue
    length = lines.length
    end = lineFeed
  }
  return { lines: lines.slice(0, length), end }
}
