import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { cutLine, displayWidth, startLive } from '../../../src/cli/print/live.ts'
import { painter } from '../../../src/cli/print/text_format.ts'

const paint = painter(true)

it.each([
  ['roads', 5],
  [paint('green', 'roads'), 5],
  ['城市', 4],
  ['e\u0301', 1],
  ['👩‍🌾', 2],
  ['✓ ⠋ █', 5],
])('measures %j as %d cells', (line, width) => {
  expect(displayWidth(line)).toBe(width)
})

it('cuts lines at the width, between characters, and ends their colours', () => {
  expect(cutLine('roads', 5)).toBe('roads')
  expect(cutLine('city roads', 5)).toBe('city…')
  expect(cutLine('城市道路', 6)).toBe('城市…')
  expect(cutLine(`${paint('red', 'city roads')} x`, 5)).toBe('\u001b[31mcity…\u001b[0m')
})

/** A terminal that applies the sequences of live lines, to compare what is seen. */
function screenOf(columns: number) {
  const written: string[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written.push(chunk.toString())
      done()
    },
  })
  return { stream: Object.assign(stream, { columns, rows: 10 }), written }
}

it('redraws changed lines in place, and leaves nothing behind', () => {
  const { stream, written } = screenOf(10)
  let lines = ['one', 'two is too long']
  const live = startLive(stream, () => lines)
  live.redraw()
  live.redraw()
  lines = ['three']
  live.redraw()
  // The terminal becomes narrower: the line takes two rows now.
  stream.columns = 4
  live.end()
  live.end()
  expect(written).toEqual([
    '\u001b[?25lone\u001b[K\r\ntwo is t…\u001b[K\u001b[J',
    '\r\u001b[1Athree\u001b[K\u001b[J',
    '\r\u001b[1A\u001b[J\u001b[?25h',
  ])
})

it('writes nothing while there is nothing to show', () => {
  const { stream, written } = screenOf(80)
  const live = startLive(stream, () => [])
  live.redraw()
  live.end()
  expect(written).toEqual([])
})
