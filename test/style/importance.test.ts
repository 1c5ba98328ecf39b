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
const ordered = (expression: string, isAscending: boolean) => ({
  order: [{ expression: parseExpression(expression), isAscending, isNullFirst: true }],
})

test('the important features are those with large markers', () => {
  const find = (size: string, more = {}) => {
    const sized = { ...marker, dataDefined: { size: parseExpression(size) } }
    return findImportantField(styleOf('marker', [marker, sized], more))
  }
  const high = { name: 'people', isHighFirst: true }
  expect(find('"people"')).toEqual(high)
  // A size in another unit, and one of the size assistant of QGIS.
  expect(find('coalesce(scale_exp("people", 1, 3e6, 1, 10, 0.57), 0) * 3.78')).toEqual(high)
  // Large markers that are drawn first are seen around small ones.
  expect(find('"people"', ordered('"people"', false))).toEqual(high)
  expect(find('"people"', ordered('"rank"', true))).toEqual(high)
  expect(find('"people" % 3')).toBeUndefined()
})

test('without sizes, the important features are those drawn last: the first key of the order', () => {
  const find = (expression: string, isAscending: boolean) =>
    findImportantField(styleOf('marker', [marker], ordered(expression, isAscending)))
  expect(find('"rank"', true)).toEqual({ name: 'rank', isHighFirst: true })
  expect(find('"rank"', false)).toEqual({ name: 'rank', isHighFirst: false })
  expect(find('-"rank"', true)).toEqual({ name: 'rank', isHighFirst: false })
  expect(find('"rank" % 3', true)).toBeUndefined()
})

test('categories with markers of different sizes are important in the order of the sizes', () => {
  const ruleOf = (filter: string | undefined, size: number, more = {}): Rule => ({
    ...{ isElse: filter === undefined, isDrawn: true, labels: [], children: [], ...more },
    ...(filter === undefined ? {} : { filter: parseExpression(filter) }),
    symbol: { type: 'marker', opacity: 1, layers: [{ ...marker, size }] },
  })
  const find = (...rules: readonly Rule[]) => findImportantField(styleOf('marker', [marker], { rules }))
  const sizes = [
    ['capital', 9],
    ['town', 5],
    ['village', 5],
  ]
  const rules = [ruleOf(`"kind" = 'capital'`, 9), ruleOf(`"kind" in ('town', 'village')`, 5)]
  expect(find(...rules)).toEqual({ name: 'kind', sizes, otherSize: 0 })
  expect(find(...rules, ruleOf(undefined, 2))).toEqual({ name: 'kind', sizes, otherSize: 2 })
  expect(find(...rules, ruleOf(`"rank" = 1`, 2))).toBeUndefined()
  expect(find(ruleOf(`"kind" = 'a'`, 5), ruleOf(`"kind" = 'b'`, 5))).toBeUndefined()
  expect(find(ruleOf(`"kind" = 'a'`, 5), ruleOf(`"kind" = 'b'`, 5), ruleOf(undefined, 5))).toBeUndefined()
  expect(find(...rules, ruleOf(`"kind" = 'b'`, 2, { children: rules }))).toBeUndefined()
  const many = Array.from({ length: 201 }, (_, at) => ruleOf(`"kind" = '${at}'`, at + 1))
  expect(find(...many)).toBeUndefined()
})

test('the features of classes are important that have the largest markers or labels', () => {
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
