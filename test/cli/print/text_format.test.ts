import { expect, it } from 'vitest'
import { oneLine, painter, printable } from '../../../src/cli/print/text_format.ts'

it.each([
  ['Roads\u001b[8m', 'Roads\\u001b[8m'],
  ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['\u0007[32m', '\\u0007[32m'],
  ['\u009b2J', '\\u009b2J'],
  ['a\rb\b', 'a\\u000db\\u0008'],
  ['gnp.\u202eexe', 'gnp.\\u202eexe'],
  ['a\tb\nc', 'a\tb\nc'],
  ['Ünïcode 城 👩‍🌾', 'Ünïcode 城 👩‍🌾'],
])('shows %j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

it('preserves the color codes of the program', () => {
  const paint = painter(true)
  const colours = ['green', 'yellow', 'red', 'cyan', 'magenta', 'dim', 'bold'] as const
  for (const colour of colours) expect(printable(paint(colour, 'text'))).toBe(paint(colour, 'text'))
})

it('escapes colours in names', () => {
  expect(printable(oneLine('\u001b[32mRoads\u001b[1m'))).toBe('\\u001b[32mRoads\\u001b[1m')
})

it('escapes line breaks in names', () => {
  expect(oneLine('a\nPlan for x: 0 changes.')).toBe('a\\u000aPlan for x: 0 changes.')
})
