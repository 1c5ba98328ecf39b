/** Our own colour sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character
const colours = /\u001b\[\d+m/y

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that take two cells of a terminal: East Asian scripts, fullwidth forms, pictographs. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Characters that take no cell on their own. */
const zeroWidth = /^[\p{M}\p{Cf}]+$/u

function graphemeWidth(grapheme: string): number {
  if (zeroWidth.test(grapheme)) return 0
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1
}

interface Cell {
  readonly text: string
  /** Number of cells: 0 for colours. */
  readonly width: number
}

function* cellsOf(line: string): Generator<Cell> {
  for (let at = 0; at < line.length; ) {
    colours.lastIndex = at
    const [colour] = colours.exec(line) ?? []
    if (colour !== undefined) {
      at += colour.length
      yield { text: colour, width: 0 }
      continue
    }
    const next = line.indexOf('\u001b[', at + 1)
    const plain = line.slice(at, next === -1 ? undefined : next)
    for (const { segment } of segmenter.segment(plain)) yield { text: segment, width: graphemeWidth(segment) }
    at += plain.length
  }
}

/** Counts the cells of a terminal that a line takes, without its colours. */
export function displayWidth(line: string): number {
  let width = 0
  for (const cell of cellsOf(line)) width += cell.width
  return width
}

/** Cuts a line to a number of cells, and ends it with `…` if it was longer. Its colours end with it. */
export function cutLine(line: string, width: number): string {
  if (displayWidth(line) <= width) return line
  let [kept, left, isColoured] = ['', width - 1, false]
  for (const cell of cellsOf(line)) {
    left -= cell.width
    if (left < 0) break
    kept += cell.text
    isColoured ||= cell.text.startsWith('\u001b')
  }
  return `${kept}…${isColoured ? '\u001b[0m' : ''}`
}
