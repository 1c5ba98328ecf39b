/** Reports whether a character, as a code point, belongs to a set. */
export type CharacterTest = (code: number) => boolean

/** Assertion about a position in a text. */
export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

/** Syntax tree of a regular expression. */
export type PatternNode =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  /** Repetition; without `most`, any number of times. */
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most?: number }

/** A regular expression that is invalid or not supported. */
export class PatternFault extends Error {}

const maxLength = 1000
const maxDepth = 50

/**
 * Parses a regular expression: characters, `.`, classes, `\d \w \s \b` and their negations, anchors, groups, alternatives
 * and quantifiers. Refuses what cannot be searched in linear time, such as references and lookaround.
 *
 * @throws {PatternFault}
 */
export function parsePattern(pattern: string, ignoresCase: boolean): PatternNode {
  if (pattern.length > maxLength) throw new PatternFault(`longer than ${maxLength} characters`)
  const cursor: Cursor = { characters: [...pattern], ignoresCase, at: 0, depth: 0 }
  const node = parseChoice(cursor)
  if (cursor.at < cursor.characters.length) throw new PatternFault('unmatched ")"')
  return node
}

interface Cursor {
  readonly characters: readonly string[]
  readonly ignoresCase: boolean
  at: number
  depth: number
}

function parseChoice(cursor: Cursor): PatternNode {
  cursor.depth += 1
  if (cursor.depth > maxDepth) throw new PatternFault(`nested deeper than ${maxDepth} levels`)
  const parts = [parseSequence(cursor)]
  while (take(cursor, '|')) parts.push(parseSequence(cursor))
  cursor.depth -= 1
  return { kind: 'choice', parts }
}

function parseSequence(cursor: Cursor): PatternNode {
  const parts: PatternNode[] = []
  while (!['|', ')', undefined].includes(cursor.characters[cursor.at])) parts.push(parseRepeat(cursor))
  return { kind: 'sequence', parts }
}

function parseRepeat(cursor: Cursor): PatternNode {
  const part = parseAtom(cursor)
  const range = parseQuantifier(cursor)
  if (range === undefined) return part
  // A lazy quantifier finds the same positions.
  take(cursor, '?')
  if (isQuantifier(cursor)) throw new PatternFault('a quantifier follows another')
  return { kind: 'repeat', part, ...range }
}

const isQuantifier = ({ characters, at }: Cursor) => ['*', '+', '?'].includes(characters[at] ?? '')

function parseQuantifier(cursor: Cursor): { least: number; most?: number } | undefined {
  if (take(cursor, '*')) return { least: 0 }
  if (take(cursor, '+')) return { least: 1 }
  if (take(cursor, '?')) return { least: 0, most: 1 }
  const rest = cursor.characters.slice(cursor.at, cursor.at + 12).join('')
  const [found, least, comma, most] = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(rest) ?? []
  if (found === undefined) return undefined
  cursor.at += found.length
  if (comma === '') return { least: Number(least), most: Number(least) }
  return most === '' ? { least: Number(least) } : { least: Number(least), most: Number(most) }
}

function parseAtom(cursor: Cursor): PatternNode {
  if (isQuantifier(cursor)) throw new PatternFault('a quantifier has no operand')
  const character = next(cursor)
  if (character === '(') return parseGroup(cursor)
  if (character === '[') return { kind: 'character', test: parseClass(cursor) }
  if (character === '.') return { kind: 'character', test: (code) => code !== newline }
  if (character === '^') return { kind: 'assertion', assertion: 'start' }
  if (character === '$') return { kind: 'assertion', assertion: 'end' }
  if (character === '\\') return parseEscape(cursor, next(cursor))
  return { kind: 'character', test: foldCase(cursor, isCode(character)) }
}

function parseGroup(cursor: Cursor): PatternNode {
  if (take(cursor, '?') && !take(cursor, ':'))
    throw new PatternFault('groups "(?…", except "(?:…", are not supported')
  const inner = parseChoice(cursor)
  if (!take(cursor, ')')) throw new PatternFault('missing ")"')
  return inner
}

const assertions: Readonly<Record<string, Assertion>> = {
  b: 'boundary',
  B: 'inside',
  A: 'start',
  z: 'end',
  Z: 'end',
}

function parseEscape(cursor: Cursor, letter: string): PatternNode {
  if (Object.hasOwn(assertions, letter))
    return { kind: 'assertion', assertion: assertions[letter] ?? 'start' }
  return { kind: 'character', test: foldCase(cursor, escapedTest(letter)) }
}

const newline = 10
const inRanges =
  (...ranges: readonly string[]): CharacterTest =>
  (code) =>
    ranges.some(([from = '', to = from]) => code >= codeOf(from) && code <= codeOf(to))

const isDigit = inRanges('09')
const isSpace = inRanges(' ', '\t\r')

/** Reports whether a character is a letter, digit or underscore of ASCII. */
export const isWordCharacter: CharacterTest = inRanges('09', 'AZ', 'az', '_')

const not =
  (test: CharacterTest): CharacterTest =>
  (code) =>
    !test(code)

const classEscapes: Readonly<Record<string, CharacterTest>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWordCharacter,
  W: not(isWordCharacter),
  s: isSpace,
  S: not(isSpace),
}

const controlEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }

function escapedTest(letter: string): CharacterTest {
  return (
    (Object.hasOwn(classEscapes, letter) ? classEscapes[letter] : undefined) ??
    isCode(escapedCharacter(letter))
  )
}

function escapedCharacter(letter: string): string {
  if (Object.hasOwn(controlEscapes, letter)) return controlEscapes[letter] ?? letter
  if (/[\p{L}\d]/u.test(letter)) throw new PatternFault(`\\${letter} is not supported`)
  return letter
}

function parseClass(cursor: Cursor): CharacterTest {
  const isNegated = take(cursor, '^')
  const tests: CharacterTest[] = []
  do tests.push(parseClassItem(cursor))
  while (!take(cursor, ']'))
  const isMember = foldCase(cursor, (code) => tests.some((test) => test(code)))
  return isNegated ? not(isMember) : isMember
}

function parseClassItem(cursor: Cursor): CharacterTest {
  const first = next(cursor)
  if (first === '[' && [':', '.', '='].includes(cursor.characters[cursor.at] ?? ''))
    return parseNamedClass(cursor)
  const letter = first === '\\' ? next(cursor) : first
  if (first === '\\' && Object.hasOwn(classEscapes, letter)) return escapedTest(letter)
  const from = first === '\\' ? escapedCharacter(letter) : letter
  const isRange = cursor.characters[cursor.at] === '-' && cursor.characters[cursor.at + 1] !== ']'
  if (!isRange) return isCode(from)
  cursor.at += 1
  const last = next(cursor)
  const to = last === '\\' ? escapedCharacter(next(cursor)) : last
  if (codeOf(to) < codeOf(from)) throw new PatternFault(`the range ${from}-${to} is reversed`)
  return (code) => code >= codeOf(from) && code <= codeOf(to)
}

const namedClasses: Readonly<Record<string, CharacterTest>> = {
  alpha: inRanges('AZ', 'az'),
  digit: isDigit,
  alnum: inRanges('09', 'AZ', 'az'),
  upper: inRanges('AZ'),
  lower: inRanges('az'),
  space: isSpace,
  blank: inRanges(' ', '\t'),
  punct: inRanges('!/', ':@', '[`', '{~'),
  xdigit: inRanges('09', 'AF', 'af'),
}

/** Parses a class of POSIX such as `[:alpha:]`. */
function parseNamedClass(cursor: Cursor): CharacterTest {
  const rest = cursor.characters.slice(cursor.at, cursor.at + 10).join('')
  const [found, name = ''] = /^:([a-z]+):\]/.exec(rest) ?? []
  const test = Object.hasOwn(namedClasses, name) ? namedClasses[name] : undefined
  if (found === undefined || test === undefined) throw new PatternFault('unknown character class')
  cursor.at += found.length
  return test
}

/** Without regard to case, a test accepts a character if it accepts its lower or upper case. */
function foldCase({ ignoresCase }: Cursor, test: CharacterTest): CharacterTest {
  if (!ignoresCase) return test
  return (code) => {
    if (test(code)) return true
    const character = String.fromCodePoint(code)
    return [character.toLowerCase(), character.toUpperCase()].some((other) => test(codeOf(other)))
  }
}

function isCode(character: string): CharacterTest {
  const expected = codeOf(character)
  return (code) => code === expected
}

const codeOf = (character: string) => character.codePointAt(0) ?? -1

function take(cursor: Cursor, character: string): boolean {
  const isTaken = cursor.characters[cursor.at] === character
  if (isTaken) cursor.at += 1
  return isTaken
}

function next(cursor: Cursor): string {
  const character = cursor.characters[cursor.at]
  if (character === undefined) throw new PatternFault('unexpected end')
  cursor.at += 1
  return character
}
