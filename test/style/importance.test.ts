import { expect, test } from 'vitest'
import { parseExpression } from '../../src/style/expression/expression_parse.ts'
import { findImportantField } from '../../src/style/importance.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import type { Rule } from '../../src/style/style_model.ts'
import type { SimpleMarker } from '../../src/style/symbol_layer.ts'
import { styleOf } from '../support/draw_job.ts'
import { labelsWith } from '../support/labels.ts'

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

test('without either, the features are important that have the largest markers or labels', () => {
  const ruleOf = (filter: string, size: number): Rule => ({
    ...{ isElse: false, isDrawn: true, labels: [], children: [] },
    filter: parseExpression(filter),
    symbol: { type: 'marker', opacity: 1, layers: [{ ...marker, size }] },
  })
  const find = (...rules: readonly Rule[]) => findImportantField(styleOf('marker', [marker], { rules }))
  const high = { name: 'people', isHighFirst: true }
  expect(find(ruleOf('"people" between 0 and 9', 2), ruleOf('"people" >= 9', 5))).toEqual(high)
  expect(find(ruleOf('"rank" >= 5', 2), ruleOf('"rank" < 5', 5), ruleOf('"rank" < 2', 9))).toEqual({
    name: 'rank',
    isHighFirst: false,
  })
  expect(find(ruleOf('"people" >= 0', 2), ruleOf('"people" >= 9', 2))).toBeUndefined()
  const uneven = [ruleOf('"people" >= 0', 2), ruleOf('"people" >= 5', 9), ruleOf('"people" >= 9', 4)]
  expect(find(...uneven)).toBeUndefined()
  expect(find(ruleOf('"people" >= 0', 2), ruleOf('"rank" >= 9', 5))).toBeUndefined()
  const labels = [labelsWith({ kind: 'around', distance: 0 }, { filter: parseExpression('"people" > 100') })]
  expect(findImportantField(styleOf('marker', [marker], { labels }))).toEqual(high)
})

test('without these, the features are important that rules draw at the widest scales', () => {
  const find = (...classes: readonly (readonly [condition: string, most?: number])[]) => {
    const written = classes.map(([condition, most]) => {
      const limit = most === undefined ? '' : `<maxscaledenom>${most}</maxscaledenom>`
      return `<class>${condition}${limit}<style><color red="0" green="0" blue="0"/></style></class>`
    })
    const { style } = readMapserverXml(`<map><layer>${written.join('')}</layer></map>`)
    return style && findImportantField(styleOfMapserver(style, 'POINT'))
  }
  const when = (text: string) => `<expression>(${text.replaceAll('<', '&lt;')})</expression>`
  const large = [when('[people] >= 1000')] as const
  expect(find(large, [when('[people] >= 100'), 1e6], ['', 1e5])).toEqual({
    name: 'people',
    isHighFirst: true,
  })
  expect(find([when('[rank] < 3')], [when('[rank] < 9 AND [people] > 0'), 1e6])).toEqual({
    name: 'rank',
    isHighFirst: false,
  })
  expect(find(large, [when('[rank] >= 100'), 1e6])).toBeUndefined()
  expect(find(large, [when('[people] >= 100')])).toBeUndefined()
  expect(find(large, ['', 1e5])).toBeUndefined()
})
