import { expect, it } from 'vitest'
import { type FeatureColumn, formatFeatureTable } from '../../../src/cli/print/feature_table.ts'
import { painter } from '../../../src/cli/print/text_format.ts'

const column = (name: string, type: string, cells: readonly string[]): FeatureColumn => ({
  name,
  type,
  isNumber: type === 'INTEGER',
  cells,
})

const columns = [
  column('id', 'INTEGER', ['1', '12']),
  column('name', 'STRING', ['東京', 'Ło\u0301dz\nand its surroundings']),
  column('people', 'INTEGER', ['13960000', '7']),
]
const draw = (width?: number) => formatFeatureTable(columns, { width, paint: painter(false) })

it('aligns wide and zero-width characters', () => {
  expect(draw().text.split('\n')).toEqual([
    '     id  name                          people',
    'INTEGER  STRING                       INTEGER',
    '      1  東京                        13960000',
    '     12  Ło\u0301dz\\nand its surroundings         7',
  ])
})

it('truncates the widest cells, then omits columns and names them', () => {
  const narrow = draw(35)
  expect(narrow.text.split('\n').at(-1)).toBe('     12  Ło\u0301dz\\nand its s…         7')
  expect(narrow.leftOut).toEqual([])
  const narrower = draw(24)
  expect(narrower.text.split('\n').at(-1)).toBe('     12  Ło\u0301dz\\nand its …')
  expect(narrower.leftOut).toEqual(['people'])
  expect(draw(3).leftOut).toEqual(['name', 'people'])
})

it('escapes control sequences in cells', () => {
  const evil = formatFeatureTable([column('a', 'STRING', ['\u001b[2Jx', '\u001b[31mred'])], {
    width: 80,
    paint: painter(false),
  })
  expect(evil.text).toContain('\\u001b[2Jx')
  expect(evil.text).toContain('\\u001b[31mred')
})
