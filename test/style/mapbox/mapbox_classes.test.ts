import { describe, expect, test } from 'vitest'
import { legendEntries } from '../../../src/style/legend_entries.ts'
import { readMapboxStyle } from '../../../src/style/mapbox/mapbox_read.ts'
import { compileRules } from '../../../src/style/match_rules.ts'
import { compileSymbol } from '../../../src/style/resolve_symbol.ts'
import { compileClasses } from '../../../src/style/style_classes.ts'

const circle = (paint: object, more: object = {}) => ({
  id: 'towns',
  type: 'circle',
  source: 'a',
  paint,
  ...more,
})

function read(...layers: readonly object[]) {
  const { style, issues } = readMapboxStyle(JSON.stringify({ layers }))
  if (style === undefined) throw new Error('no style')
  return { style, issues }
}

const titlesOf = (...layers: readonly object[]) =>
  legendEntries(read(...layers).style).map(({ title }) => title)

/** Returns the marker of a feature, and its position in the legend. */
function draw(layer: object, attributes: Record<string, unknown>) {
  const { style } = read(layer)
  const context = { attributes: attributes as Record<string, string | number | null> }
  const [rule] = compileRules(style)(context)
  const symbol = rule?.symbol && compileSymbol(rule.symbol).resolve({ context, pixelsPerMapUnit: 1 })
  const [marker] = symbol?.layers ?? []
  return { position: compileClasses(style)(context), ...marker }
}

const bySize = ['step', ['get', 'size'], 3, 10, 5, 50, 9]

describe('the legend of Mapbox GL', () => {
  test('has a class for each step, and for features without a value', () => {
    const layer = circle({ 'circle-radius': bySize, 'circle-color': '#ff0000' })
    expect(titlesOf(layer)).toEqual(['< 10', '10 – 50', '≥ 50', 'no value'])
    expect(draw(layer, { size: 9 })).toMatchObject({ position: '0', size: 6 })
    expect(draw(layer, { size: 10 })).toMatchObject({ position: '1', size: 10 })
    expect(draw(layer, { size: 50 })).toMatchObject({ position: '2', size: 18 })
    expect(draw(layer, { size: null })).toMatchObject({ position: '3', size: 10 })
  })

  test('has no class without a value where there is always one', () => {
    const paint = { 'circle-radius': ['step', ['coalesce', ['get', 'size'], 0], 3, 10, 5] }
    expect(titlesOf(circle(paint))).toEqual(['< 10', '≥ 10'])
  })

  test('has a class for each value of "match", and for others', () => {
    const color = ['match', ['get', 'kind'], ['inn', 'bar'], '#ff0000', 'mill', '#00ff00', '#0000ff']
    const layer = circle({ 'circle-color': color })
    expect(titlesOf(layer)).toEqual(['inn, bar', 'mill', 'other values'])
    expect(draw(layer, { kind: 'bar' })).toMatchObject({ position: '0', fill: '#ff0000' })
    expect(draw(layer, { kind: 'mill' })).toMatchObject({ position: '1', fill: '#00ff00' })
    expect(draw(layer, { kind: null })).toMatchObject({ position: '2', fill: '#0000ff' })
  })

  test('has a class for each test of "case", of which the first that is true decides', () => {
    const tests = [['==', ['get', 'kind'], 'inn'], '#ff0000', ['>', ['get', 'size'], 5], '#00ff00', '#0000ff']
    const layer = circle({ 'circle-color': ['case', ...tests] })
    expect(titlesOf(layer)).toEqual(['inn', '"size" > 5', 'other values'])
    expect(draw(layer, { kind: 'inn', size: 9 })).toMatchObject({ position: '0', fill: '#ff0000' })
    expect(draw(layer, { kind: null, size: 9 })).toMatchObject({ position: '1', fill: '#00ff00' })
    expect(draw(layer, { kind: 'mill', size: null })).toMatchObject({ position: '2', fill: '#0000ff' })
  })

  test('shows colour and size of a class together if both have the same classes', () => {
    const color = ['step', ['get', 'size'], '#ff0000', 10, '#00ff00', 50, '#0000ff']
    const layer = circle({ 'circle-color': color, 'circle-radius': bySize })
    const [first, second] = legendEntries(read(layer).style).map(({ rule }) => rule.symbol?.layers[0])
    expect(first).toMatchObject({ fill: '#ff0000', size: 6 })
    expect(second).toMatchObject({ fill: '#00ff00', size: 10 })
    expect(first).not.toHaveProperty('dataDefined')
  })

  test('names the layer where there are several, and has lines and fills, too', () => {
    const lines = { id: 'roads', type: 'line', source: 'a', paint: { 'line-width': bySize } }
    const fills = { id: 'fields', type: 'fill', source: 'a', paint: { 'fill-color': '#ff0000' } }
    expect(titlesOf(lines, fills)).toEqual([
      ...['roads: < 10', 'roads: 10 – 50', 'roads: ≥ 50', 'roads: no value', 'fields'],
    ])
  })

  test('is one symbol for expressions over the zoom level, of too many values, and of other kinds', () => {
    const values = Array.from({ length: 1001 }, (_, at) => [at, at])
    for (const radius of [
      ['step', ['zoom'], 3, 10, 5],
      ['match', ['get', 'kind'], ...values.flat(), 1],
      ['case', ['>', ['zoom'], 5], 3, 5],
      ['interpolate', ['linear'], ['get', 'size'], 0, 1, 10, 5],
    ])
      expect(titlesOf(circle({ 'circle-radius': radius }))).toEqual(['towns'])
  })

  test('reports once what is not drawn in all classes', () => {
    const { issues } = read(circle({ 'circle-radius': bySize, 'circle-stroke-width': ['get', 'size'] }))
    expect(issues.map(({ message }) => message)).toEqual([
      'layer "towns": circle-stroke-width is drawn with a fixed value only; the default is drawn',
    ])
  })
})
