import { expect, test } from 'vitest'
import { joinLines } from '../../../src/render/label/merged_lines.ts'

const join = (...lines: number[][]) =>
  joinLines(lines.map((line) => Float64Array.from(line))).map((line) => [...line])

test.each([
  [
    'the end of one is the start of the next',
    [
      [0, 0, 5, 0],
      [5, 0, 9, 0],
    ],
    [[0, 0, 5, 0, 9, 0]],
  ],
  [
    'both start there',
    [
      [5, 0, 0, 0],
      [5, 0, 9, 0],
    ],
    [[0, 0, 5, 0, 9, 0]],
  ],
  [
    'both end there',
    [
      [0, 0, 5, 0],
      [9, 0, 5, 0],
    ],
    [[0, 0, 5, 0, 9, 0]],
  ],
  [
    'they are pieces in any order',
    [
      [5, 0, 9, 0],
      [20, 0, 9, 0],
      [0, 0, 5, 0],
    ],
    [[20, 0, 9, 0, 5, 0, 0, 0]],
  ],
  [
    'they form a ring',
    [
      [0, 0, 5, 0],
      [5, 0, 5, 5],
      [5, 5, 0, 0],
    ],
    [[0, 0, 5, 0, 5, 5, 0, 0]],
  ],
  ['one is a ring', [[0, 0, 5, 0, 5, 5, 0, 0]], [[0, 0, 5, 0, 5, 5, 0, 0]]],
  [
    'they do not meet',
    [
      [0, 0, 5, 0],
      [6, 0, 9, 0],
    ],
    [
      [0, 0, 5, 0],
      [6, 0, 9, 0],
    ],
  ],
  [
    'a third one leaves',
    [
      [5, 0, 5, 9],
      [0, 0, 5, 0],
      [5, 0, 9, 1],
    ],
    [
      [5, 0, 5, 9],
      [0, 0, 5, 0, 9, 1],
    ],
  ],
] as const)('lines are joined where %s', (_, lines, joined) => {
  expect(join(...lines.map((line) => [...line]))).toEqual(joined)
})

test('thousands of lines that meet at one position are left as they are', () => {
  const star = Array.from({ length: 5000 }, (_, at) => [0, 0, at + 1, 1])
  expect(join(...star)).toEqual(star)
})
