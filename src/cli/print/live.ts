import type { Writable } from 'node:stream'

/** Size of a terminal in cells. */
export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/** Lines at the end of the output of a terminal, which are redrawn in place. */
export interface LiveLines {
  /** Redraws the lines if they have changed. */
  redraw(): void
  /** Clears the lines. */
  end(): void
}

/** Interval of redraws, in milliseconds. */
const redrawMs = 100

const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
const clearRestOfLine = '\u001b[K'
const clearBelow = '\u001b[J'

/** Our own colour sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character
const colours = /\u001b\[\d+m/y

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that take two cells of a terminal: East Asian scripts, fullwidth forms, pictographs. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Characters that take no cell on their own. */
const zeroWidth = /^[\p{M}\p{Cf}]+$/u

interface Cell {
  readonly text: string
  /** Number of cells: 0 for colours. */
  readonly width: number
}

/**
 * Starts lines on a terminal. They are drawn ten times a second, and cut at the width of the terminal, so that each takes one
 * row.
 */
export function startLive(err: Writable, draw: (size: ScreenSize) => readonly string[]): LiveLines {
  const stream = err as Writable & { readonly columns?: number; readonly rows?: number }
  let shown: readonly string[] = []
  const sizeOf = (): ScreenSize => ({ width: stream.columns ?? 80, height: stream.rows ?? 24 })
  const redraw = () => {
    const size = sizeOf()
    const lines = draw(size).map((line) => cutLine(line, size.width - 1))
    if (lines.length === shown.length && lines.every((line, at) => line === shown[at])) return
    const text = lines.map((line) => `${line}${clearRestOfLine}`).join('\r\n')
    stream.write(`${shown.length === 0 ? hideCursor : ''}${toStart(shown, size.width)}${text}${clearBelow}`)
    shown = lines
  }
  const end = () => {
    clearInterval(timer)
    process.off('exit', end)
    if (shown.length === 0) return
    stream.write(`${toStart(shown, sizeOf().width)}${clearBelow}${showCursor}`)
    shown = []
  }
  const timer = setInterval(redraw, redrawMs)
  timer.unref()
  process.on('exit', end)
  return { redraw, end }
}

/** Moves the cursor to the start of the lines, which may take more rows than before if the terminal became narrower. */
function toStart(lines: readonly string[], width: number): string {
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0)
  return rows > 1 ? `\r\u001b[${rows - 1}A` : rows === 1 ? '\r' : ''
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** Returns the sign of running work, which turns with time. */
export function spinner(nowMs: number): string {
  return frames[Math.floor(nowMs / redrawMs) % frames.length] ?? ''
}

function graphemeWidth(grapheme: string): number {
  if (zeroWidth.test(grapheme)) return 0
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1
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
