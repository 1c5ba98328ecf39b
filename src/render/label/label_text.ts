import type { Labels } from '../../style/label_model.ts'

/** Maximum number of characters and lines of a label. */
export const textLimits = { characters: 400, lines: 12 }

/** Properties of labels that shape their text. */
export type TextLayout = Pick<Labels, 'wrapCharacter' | 'wrapLength'> & {
  readonly capitalization: Labels['font']['capitalization']
}

/** What separates lines, is replaced or trimmed. */
const special = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]|^\s|\s$/u

/** Returns the lines of a label: capitalized, wrapped, without control characters. Longer texts end with an ellipsis. */
export function layoutLines(text: string, layout: TextLayout): string[] {
  const { wrapCharacter, wrapLength, capitalization } = layout
  const isPlain = capitalization === 'mixed' && text.length <= (wrapLength || textLimits.characters)
  if (isPlain && wrapCharacter === '' && !special.test(text)) return text === '' ? [] : [text]
  const limited = shorten(text)
  const separated = wrapCharacter === '' ? limited : limited.replaceAll(wrapCharacter, '\n')
  const lines = capitalize(separated, capitalization)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, ' ').trim())
    .flatMap((line) => (wrapLength > 0 ? wrapLine(line, wrapLength) : [line]))
    .filter((line) => line !== '')
  return lines.slice(0, textLimits.lines)
}

function shorten(text: string): string {
  if (text.length <= textLimits.characters) return text
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, textLimits.characters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function capitalize(text: string, capitalization: TextLayout['capitalization']): string {
  if (capitalization === 'upper') return text.toUpperCase()
  if (capitalization === 'lower') return text.toLowerCase()
  if (capitalization === 'title')
    return text.replaceAll(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase())
  return text
}

/** Breaks a line at spaces, so that lines have at most `length` characters where words allow it. */
function wrapLine(line: string, length: number): string[] {
  const lines: string[] = []
  for (const word of line.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= length)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Scripts whose letters join or form clusters, so that they cannot be drawn one by one. */
const joined =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Hebrew}\p{Script=Thaana}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Splits a text into letters with their marks, for drawing along a curve; undefined if its letters are joined. */
export function splitLetters(text: string): string[] | undefined {
  if (joined.test(text)) return undefined
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}
