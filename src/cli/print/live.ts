import type { Writable } from 'node:stream'
import { cutLine, displayWidth } from './display_width.ts'

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
