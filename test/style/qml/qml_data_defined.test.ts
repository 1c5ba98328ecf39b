import { describe, expect, test } from 'vitest'
import { readQml } from '../../../src/style/qml/qml_read.ts'
import { compileSymbol } from '../../../src/style/resolve_symbol.ts'
import { dataDefined, single, symbolLayer } from '../../support/qml.ts'

const issuesOf = (type: string, layers: string) =>
  readQml(single(type, layers)).issues.map(({ message }) => message)

describe('data-defined properties', () => {
  const resolve = (
    cls: string,
    options: Readonly<Record<string, string>>,
    expressions: Readonly<Record<string, string>>,
  ) => {
    const text = single('marker', symbolLayer(cls, options, dataDefined(expressions)))
    const symbol = readQml(text).style?.rules[0]?.symbol ?? { type: 'marker', opacity: 1, layers: [] }
    return (attributes: object, pixelsPerMapUnit = 1) =>
      compileSymbol(symbol).resolve({ context: { attributes: { ...attributes } }, pixelsPerMapUnit })
        .layers[0]
  }

  test('replace size, colour, width, rotation and shape', () => {
    const at = resolve(
      'SimpleMarker',
      { size: '2', size_unit: 'Point', outline_width_unit: 'Pixel' },
      {
        size: '"n"',
        fillColor: '"c"',
        outlineColor: "'#8000ff00'",
        outlineWidth: '2',
        angle: '"n" * 10',
        name: "'star'",
      },
    )
    expect(at({ n: 3, c: 'red' })).toMatchObject({
      size: 4,
      fill: '#ff0000',
      stroke: { color: '#00ff0080', width: 2 },
      angle: 30,
      shape: 'star',
    })
    // QGIS 3.22 keeps the value of the layer where an expression is null or has no such value.
    expect(at({ c: 'zzz' })).toMatchObject({ size: 2.6667, fill: '#ff0000', angle: 0 })
    expect(at({ n: 'a', c: '0,0,255,128' })).toMatchObject({ size: 2.6667, fill: '#0000ff80' })
  })

  test('are colours as in CSS, too; constants that are no colours are reported', () => {
    const at = resolve('SimpleMarker', {}, { fillColor: '"c"' })
    expect(at({ c: 'rgba(10, 20, 30, 0.5)' })).toMatchObject({ fill: '#0a141e80' })
    expect(at({ c: 'rgb(10,20,30)' })).toMatchObject({ fill: '#0a141e' })
    expect(at({ c: 'hsl(120, 100%, 50%)' })).toMatchObject({ fill: '#00ff00' })
    expect(at({ c: 'rgb(10,20)' })).toMatchObject({ fill: '#ff0000' })
    const colors =
      "CASE WHEN \"a\" THEN 'rgba(1,2,3,1)' WHEN \"b\" THEN if(\"c\", 'redd', '#f00') ELSE '1,2' END"
    expect(issuesOf('marker', symbolLayer('SimpleMarker', {}, dataDefined({ fillColor: colors })))).toEqual([
      'data-defined property fillColor of SimpleMarker: "redd" is not a colour',
      'data-defined property fillColor of SimpleMarker: "1,2" is not a colour',
    ])
    expect(issuesOf('marker', symbolLayer('SimpleMarker', { color: 'redd' }))).toEqual([
      'color of SimpleMarker is not a colour: "redd"; #ff0000 is drawn',
    ])
  })

  test('apply in map units, and as areas', () => {
    const at = resolve(
      'SimpleMarker',
      { size: '2', size_unit: 'MapUnit', scale_method: 'area' },
      { size: '"n"' },
    )
    expect([at({ n: 100 }, 0.5), at({}, 0.5)]).toMatchObject([{ size: 5 }, { size: 1 }])
  })

  test('switch layers off', () => {
    const at = resolve('SimpleMarker', {}, { enabled: '"n" > 1' })
    expect([at({ n: 1 }), at({ n: 2 })?.kind]).toEqual([undefined, 'marker'])
  })

  test('are reported where they are not supported', () => {
    const layer = symbolLayer('SimpleMarker', {}, dataDefined({ offset: "'1,2'", size: 'foo(1)' }))
    expect(issuesOf('marker', layer)).toEqual([
      'data-defined property offset of SimpleMarker is ignored',
      'data-defined property size of SimpleMarker is ignored: function foo() is not supported (character 1 of the expression)',
    ])
  })

  test('transform sizes as the assistant of QGIS', () => {
    const transformer = `<Option name="transformer" type="Map"><Option name="t" type="int" value="1"/>
      <Option name="d" type="Map"><Option name="scaleType" value="2"/><Option name="minValue" value="1"/>
      <Option name="maxValue" value="10"/><Option name="minSize" value="2"/><Option name="maxSize" value="20"/>
      <Option name="nullSize" value="3.5"/></Option></Option>`
    const defined = dataDefined({ size: '"n"' }).replace(
      '<Option name="type" type="int" value="3"/>',
      `<Option name="type" type="int" value="3"/>${transformer}`,
    )
    const text = single('marker', symbolLayer('SimpleMarker', { size_unit: 'Pixel' }, defined))
    const symbol = readQml(text).style?.rules[0]?.symbol ?? { type: 'marker', opacity: 1, layers: [] }
    const size = (n: number | null) => {
      const [layer] = compileSymbol(symbol).resolve({
        context: { attributes: { n } },
        pixelsPerMapUnit: 1,
      }).layers
      return layer?.kind === 'marker' ? layer.size : undefined
    }
    expect([size(0), size(1), size(10), size(11), size(null)]).toEqual([2, 2, 20, 20, 3.5])
    expect(size(5.5)).toBeCloseTo(14.125_102_191_791_21, 9)
  })
})

test('constants that can never be drawn are reported', () => {
  const layer = symbolLayer('SimpleMarker', {}, dataDefined({ size: '1e300', angle: '30' }))
  expect(issuesOf('marker', layer)).toEqual([
    'data-defined property size of SimpleMarker: "1e+300" is too large to be drawn',
  ])
})
