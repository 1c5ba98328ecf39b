import { describe, expect, it } from 'vitest'
import { showBytes, showDuration } from '../../../src/cli/print/text_format.ts'
import { compareLines, showValue, showValues } from '../../../src/cli/print/value.ts'
import { countOf } from '../../../src/core/count.ts'

describe('showValue', () => {
  it.each([
    [undefined, '(none)'],
    ['text', '"text"'],
    [{ id: 7 }, 'id 7'],
    [{ id: 7, title: 'roads' }, 'roads (id 7)'],
    [{ table: { id: 7, title: 'roads' }, srs: { id: 3857 } }, '{"table":"roads (id 7)","srs":"EPSG:3857"}'],
    [{ id: 7, other: 1 }, '{"id":7,"other":1}'],
    [{ id: 7, title: 'Main / Roads' }, 'Main / Roads (id 7)'],
    [[{ keyname: 'a' }, { keyname: 'b' }], 'a, b'],
    [{ children: [{ display_name: 'Water', children: [{ display_name: 'Rivers' }] }] }, 'Water (Rivers)'],
  ])('shows %j as %s', (value, text) => {
    expect(showValue(value)).toBe(text)
  })

  it('truncates long values', () => {
    expect(showValue('x'.repeat(500))).toHaveLength(100)
  })

  it('shows the first members of long objects and lists, none of them cut', () => {
    const field = {
      keyname: 'lanes',
      datatype: 'INTEGER',
      display_name: 'Lanes of the road',
      label_field: false,
    }
    expect(showValue({ ...field, text_search: true, lookup_table: { id: 7, key: 'x' } })).toBe(
      '{"keyname":"lanes","datatype":"INTEGER","display_name":"Lanes of the road",… 3 more}',
    )
    expect(showValue(Array.from({ length: 2000 }, (_, at) => at))).toMatch(
      /^\[0,1,2,[\d,]+,… 1,9\d\d more\]$/,
    )
    const long = { text: 'x'.repeat(500), list: Array.from({ length: 90 }, () => 'item') }
    expect(showValue(long)).toBe(`{"text":"${'x'.repeat(37)}…","list":[…]}`)
  })
})

describe('compareLines', () => {
  it('returns the changed lines with one line of context', () => {
    const lines = compareLines('a\nb\nc\nd\ne', 'a\nb\nX\nd\ne')
    expect(lines.map(({ sign, text }) => sign + text)).toEqual([' b', '-c', '+X', ' d'])
  })

  it('splits markup on one line between its elements', () => {
    const lines = compareLines('<a><b x="1"/><c/></a>', '<a><b x="2"/><c/></a>')
    expect(lines.map(({ sign, text }) => sign + text)).toEqual([
      ' <a>',
      '-<b x="1"/>',
      '+<b x="2"/>',
      ' <c/>',
    ])
  })
})

describe('compareLines of boundaries', () => {
  it('splits EWKT between its positions', () => {
    const lines = compareLines(
      'SRID=4326;MULTIPOLYGON(((0 0,1 0,1 1,0 0)))',
      'SRID=4326;MULTIPOLYGON(((0 0,1 0,1 2,0 0)))',
    )
    expect(lines.map(({ sign, text }) => sign + text)).toEqual([' 1 0,', '-1 1,', '+1 2,', ' 0 0)))'])
  })
})

describe('numbers', () => {
  it('have units', () => {
    expect([countOf(1, 'feature'), countOf(199_568, 'feature')]).toEqual(['1 feature', '199,568 features'])
    expect([showBytes(999), showBytes(756_400), showBytes(3e9)]).toEqual(['999 B', '756.4 kB', '3.0 GB'])
    expect([showDuration(420), showDuration(12_345), showDuration(185_000)]).toEqual([
      '0.4 s',
      '12 s',
      '3 min 5 s',
    ])
  })
})

it('never shows two different values alike', () => {
  const long = 'x'.repeat(300)
  const [from, to] = showValues([`${long}a`], [`${long}b`])
  expect(from).not.toBe(to)
  expect([from.length, to.length].every((length) => length < 110)).toBe(true)
  expect(showValues(1, 2)).toEqual(['1', '2'])
})

it('shows a change far down in a long text, and one of spaces', () => {
  const lines = Array.from({ length: 2000 }, (_, at) => `line ${at}`)
  expect(compareLines(lines.join('\n'), lines.with(1500, 'new').join('\n'))).toEqual([
    { sign: ' ', text: 'line 1499' },
    { sign: '-', text: 'line 1500' },
    { sign: '+', text: 'new' },
    { sign: ' ', text: 'line 1501' },
  ])
  expect(compareLines('a\n', 'a')).toEqual([{ sign: ' ', text: '(only spaces or line breaks differ)' }])
  const other = lines.map((line) => `${line}!`)
  expect(compareLines(lines.join('\n'), other.join('\n')).at(-1)?.text).toBe('… 1,600 more lines')
})
