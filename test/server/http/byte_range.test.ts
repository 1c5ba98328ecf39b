import { describe, expect, it } from 'vitest'
import { matchesTag, parseRange } from '../../../src/server/http/byte_range.ts'

describe('a range', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=2-5', { start: 2, end: 6 }],
    ['bytes=7-', { start: 7, end: 10 }],
    ['bytes=7-100', { start: 7, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-100', { start: 0, end: 10 }],
    ['Bytes= 2-3 ', { start: 2, end: 4 }],
  ])('%s is a part of ten bytes', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range)
  })

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('%s is outside of ten bytes', (header) => {
    expect(parseRange(header, 10)).toBe('unsatisfiable')
  })

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b'])(
    '%s requests all bytes',
    (header) => {
      expect(parseRange(header, 10)).toBeUndefined()
    },
  )

  it('of empty content is not satisfiable', () => {
    expect(['bytes=0-0', 'bytes=-1'].map((header) => parseRange(header, 0))).toEqual([
      'unsatisfiable',
      'unsatisfiable',
    ])
  })
})

describe('an entity tag', () => {
  it.each(['"a"', '"b", "a"', 'W/"a"', '*'])('matches %s', (header) => {
    expect(matchesTag(header, '"a"')).toBe(true)
  })

  it.each([undefined, '"b"', 'a', ''])('does not match %s', (header) => {
    expect(matchesTag(header, '"a"')).toBe(false)
  })
})
