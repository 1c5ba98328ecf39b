import { describe, expect, test } from 'vitest'
import { readMapserverXml } from '../../src/style/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver_style.ts'
import { compileRules } from '../../src/style/match_rules.ts'
import { readQml } from '../../src/style/qml_read.ts'
import { coloredSymbol, qml, symbols } from '../support/qml.ts'

const count = 10_000
const numbers = Array.from({ length: count }, (_, index) => index)

describe('10,000 categories', () => {
  test('of a QML file are read, and found by their value', () => {
    const categories = numbers.map((n) => `<category value="k${n}" symbol="${n}"/>`).join('')
    const list = numbers.map((n) => coloredSymbol(String(n), `${n % 256},0,0,255`)).join('')
    const text = qml(
      'type="categorizedSymbol" attr="k"',
      `<categories>${categories}</categories>${symbols(list)}`,
    )
    const { style, issues } = readQml(text)
    expect(issues).toEqual([])
    const match = compileRules(style ?? { rules: [], matching: 'first' })
    expect(numbers.every((n) => match({ attributes: { k: `k${n}` } })[0] === style?.rules[n])).toBe(true)
  })

  test('of MapServer XML are read, and found by their value', () => {
    const classes = numbers.map((n) => `<class><expression>k${n}</expression><style/></class>`).join('')
    const { style } = readMapserverXml(`<map><layer><classitem>k</classitem>${classes}</layer></map>`)
    const drawn = style && styleOfMapserver(style, 'POINT')
    const match = compileRules(drawn ?? { rules: [], matching: 'first' })
    expect(numbers.every((n) => match({ attributes: { k: `k${n}` } })[0] === drawn?.rules[n])).toBe(true)
  })
})

test('more than 1000 issues are reported as one', () => {
  const rules = numbers.map((n) => `<rule filter="f${n}(1)"/>`).join('')
  const { issues } = readQml(qml('type="RuleRenderer"', `<rules>${rules}</rules>`))
  expect(issues).toHaveLength(1001)
  expect(issues.at(-1)?.message).toBe('more than 1000 parts are not drawn as in QGIS')
})

test.each([
  ['rules', qml('type="RuleRenderer"', `<rules>${'<rule>'.repeat(count)}`)],
  ['symbols', qml('type="singleSymbol"', `<symbols>${'<symbol><layer class="CentroidFill">'.repeat(count)}`)],
])('nested %s are refused', (_, text) => {
  expect(readQml(text)).toMatchObject({
    issues: [{ code: 'style/bad-xml', message: 'elements nested deeper than 64 levels' }],
  })
})

test('a filter that is nested too deeply is not drawn', () => {
  const text = qml('type="RuleRenderer"', `<rules><rule filter="${'('.repeat(count)}"/></rules>`)
  expect(readQml(text)).toMatchObject({
    style: { rules: [] },
    issues: [{ message: expect.stringContaining('nested deeper than 200 levels') }],
  })
})

test('files of 10 MB are refused', () => {
  const long = `<qgis>${' '.repeat(10_000_000)}</qgis>`
  expect(readQml(long).issues).toMatchObject([{ message: 'longer than 4194304 characters' }])
  expect(readMapserverXml(long).issues).toMatchObject([{ message: 'longer than 1048576 characters' }])
})

test.each([
  '<!DOCTYPE qgis [<!ENTITY a "b">]><qgis>&a;</qgis>',
  '<!DOCTYPE qgis [<!ENTITY a SYSTEM "file:///etc/passwd">]><qgis>&a;</qgis>',
  '<qgis>&nbsp;</qgis>',
])('entities are refused: %s', (text) => {
  expect(readQml(text)).toMatchObject({ issues: [{ code: 'style/bad-xml', severity: 'error' }] })
  expect(readMapserverXml(text.replaceAll('qgis', 'map')).issues).toMatchObject([{ severity: 'error' }])
})

test('numbers that are not finite, negative or huge do not reach the style', () => {
  const options = ['size:1e999', 'angle:NaN', 'offset:1e999,2', 'outline_width:Infinity', 'color:1e9,0,0']
  const list = options.map((one) => one.replace(/(.*):(.*)/, '<prop k="$1" v="$2"/>')).join('')
  const layer = `<layer class="SimpleMarker" pass="99999">${list}</layer>`
  const text = qml(
    'type="singleSymbol"',
    `<symbols><symbol name="0" type="marker" alpha="7">${layer}</symbol></symbols>`,
  )
  expect(readQml(text).style?.rules[0]?.symbol).toMatchObject({
    opacity: 1,
    layers: [{ pass: 0, size: 7.5591, angle: 0, offset: [0, 0], fill: '#ff0000', stroke: { width: 0 } }],
  })
})
