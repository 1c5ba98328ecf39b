import { expect, test } from 'vitest'
import { parseExpression } from '../../src/style/expression/expression_parse.ts'
import { findImportantField } from '../../src/style/importance.ts'
import type { SimpleMarker } from '../../src/style/symbol_layer.ts'
import { styleOf } from '../support/draw_job.ts'

const marker: SimpleMarker = {
  ...{ kind: 'marker', shape: 'square', size: 10, angle: 0, offset: [0, 0], pass: 0, fill: '#00ff00' },
  anchor: { x: 'center', y: 'center' },
}
const bySize = { ...marker, dataDefined: { size: parseExpression('"people"') } }
const ordered = (expression: string, isAscending: boolean) => ({
  order: [{ expression: parseExpression(expression), isAscending, isNullFirst: true }],
})

test('the important features are those drawn last: the first key of the order', () => {
  const find = (expression: string, isAscending: boolean) =>
    findImportantField(styleOf('marker', [bySize], ordered(expression, isAscending)))
  expect(find('"rank"', true)).toEqual({ name: 'rank', isHighFirst: true })
  expect(find('"rank"', false)).toEqual({ name: 'rank', isHighFirst: false })
  expect(find('-"rank"', true)).toEqual({ name: 'rank', isHighFirst: false })
  expect(find('"rank" % 3', true)).toBeUndefined()
})

test('without an order, large markers are important', () => {
  expect(findImportantField(styleOf('marker', [marker, bySize]))).toEqual({
    name: 'people',
    isHighFirst: true,
  })
  expect(findImportantField(styleOf('marker', [marker]))).toBeUndefined()
})
