import { describe, expect, it } from 'vitest'
import { geometryTypes } from '../../src/contract/geometry.ts'
import { defaultStyle } from '../../src/style/default_style.ts'
import { defaultSymbolizer } from '../../src/style/page_style.ts'
import { readQml } from '../../src/style/qml_read.ts'
import { defaultQml } from '../../src/style/qml_write.ts'

const option = ([name, value]: readonly [string, string]) => `<Option name="${name}" value="${value}"/>`

const layer = (cls: string, options: Readonly<Record<string, string>>, enabled = '1') =>
  `<layer class="${cls}" enabled="${enabled}"><Option type="Map">${Object.entries(options).map(option).join('')}</Option></layer>`

const symbol = (name: string, type: string, layers: string, alpha = '1') =>
  `<symbol name="${name}" type="${type}" alpha="${alpha}">${layers}</symbol>`

const qml = (renderer: string, inner: string, attributes = '') =>
  `<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
   <qgis ${attributes}><renderer-v2 ${renderer}>${inner}</renderer-v2><labeling type="simple"/></qgis>`

const single = (layers: string, type = 'fill', attributes = '') =>
  readQml(qml('type="singleSymbol"', `<symbols>${symbol('0', type, layers)}</symbols>`, attributes))

describe('readQml', () => {
  it.each(geometryTypes)('reads the default style of %s back', (geometryType) => {
    expect(readQml(defaultQml(geometryType))).toEqual({ style: defaultStyle(geometryType), issues: [] })
  })

  it('reads the symbol layers, bottom first, without disabled ones', () => {
    const fill = { color: '10,20,30,128', style: 'solid', outline_style: 'no', outline_width: '0.5' }
    const { style, issues } = single(
      layer('SimpleFill', fill) +
        layer('SimpleLine', { line_color: '1,2,3,255' }, '0') +
        layer('SimpleLine', { line_color: '255,0,0,255', line_width: '2', line_width_unit: 'Pixel' }),
    )
    expect(issues).toEqual([])
    expect(style?.rules).toEqual([
      {
        symbolizers: [
          { ...defaultSymbolizer, fill: '#0a141e', width: 1.89, opacity: 128 / 255 },
          { ...defaultSymbolizer, outline: '#ff0000', width: 2 },
        ],
      },
    ])
  })

  it('reads the options of older QGIS versions', () => {
    const props =
      '<prop k="line_color" v="0,0,255,255"/><prop k="line_width" v="1"/><prop k="line_style" v="dash"/>'
    const { style } = single(`<layer class="SimpleLine">${props}</layer>`, 'line')
    expect(style?.rules[0]?.symbolizers).toEqual([
      { ...defaultSymbolizer, fill: '#0000ff', width: 3.78, dash: [15.12, 7.56] },
    ])
  })

  it('reads markers, sizes in points and clockwise angles', () => {
    const options = { name: 'cross2', color: '0,128,0,255', size: '9', size_unit: 'Point', angle: '30' }
    const { style } = single(layer('SimpleMarker', { ...options, outline_style: 'no' }), 'marker')
    expect(style?.rules[0]?.symbolizers[0]).toMatchObject({
      marker: 'x',
      fill: '#008000',
      size: 12,
      angle: 330,
    })
  })

  it('reads categories, with the category without a value last', () => {
    const colour = (name: string) =>
      symbol(name, 'fill', layer('SimpleFill', { color: `${name},0,0,255`, outline_style: 'no' }))
    const { style } = readQml(
      qml(
        'type="categorizedSymbol" attr="use"',
        `<categories>
          <category value="" symbol="2" label=""/>
          <category value="forest" symbol="0" label="Forest" type="string"/>
          <category value="7" symbol="1" label="Seven" type="integer" render="false"/>
        </categories><symbols>${['0', '1', '2'].map(colour).join('')}</symbols>`,
      ),
    )
    expect(
      style?.rules.map(({ label, filter, symbolizers }) => [label, filter, symbolizers[0]?.fill]),
    ).toEqual([
      ['Forest', { op: 'eq', field: 'use', value: 'forest' }, '#000000'],
      ['Seven', { op: 'eq', field: 'use', value: 7 }, undefined],
      [undefined, undefined, '#020000'],
    ])
  })

  it('reads ranges and scale limits', () => {
    const { style } = readQml(
      qml(
        'type="graduatedSymbol" attr="n"',
        `<ranges><range lower="1.5" upper="3" symbol="0" label="some"/></ranges>
         <symbols>${symbol('0', 'line', layer('SimpleLine', { line_color: '1,1,1,255' }), '0.5')}</symbols>`,
        'hasScaleBasedVisibilityFlag="1" minScale="100000" maxScale="500"',
      ),
    )
    const filters = [
      { op: 'ge', field: 'n', value: 1.5 },
      { op: 'le', field: 'n', value: 3 },
    ]
    expect(style?.rules).toEqual([
      {
        label: 'some',
        filter: { op: 'and', filters },
        minScaleDenom: 500,
        maxScaleDenom: 100_000,
        symbolizers: [{ ...defaultSymbolizer, fill: '#010101', width: 1, opacity: 0.5 }],
      },
    ])
  })

  it('reports unsupported symbol layers and renderers', () => {
    const { style, issues } = single(layer('GradientFill', {}))
    expect(style?.rules).toEqual([{ symbolizers: [] }])
    expect(issues.map(({ message, severity }) => [message, severity])).toEqual([
      ['symbol layer GradientFill is not supported', 'warning'],
    ])
    const heat = readQml(qml('type="heatmapRenderer"', ''))
    expect([heat.style, heat.issues[0]?.message]).toEqual([
      undefined,
      'renderer heatmapRenderer is not supported',
    ])
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'does not read the inherited property %s as an entry',
    (name) => {
      expect(readQml(qml(`type="${name}"`, '')).style).toBeUndefined()
      expect(single(layer(name, {})).style?.rules).toEqual([{ symbolizers: [] }])
      const options = { name, size: '1', size_unit: name, outline_style: name, color: '1,1,1' }
      expect(single(layer('SimpleMarker', options), 'marker').style?.rules[0]?.symbolizers[0]).toMatchObject({
        marker: 'circle',
        size: 3.78,
        dash: [],
      })
    },
  )
})
