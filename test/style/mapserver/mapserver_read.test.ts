import { describe, expect, test } from 'vitest'
import { defaultSymbolizer } from '../../../src/style/mapserver/mapserver_model.ts'
import { readMapserverXml } from '../../../src/style/mapserver/mapserver_read.ts'
import { writeMapserverXml } from '../../../src/style/mapserver/mapserver_write.ts'

const styled = (inner: string) => `<map><layer><class><style>${inner}</style></class></layer></map>`
const symbolizerOf = (inner: string) => readMapserverXml(styled(inner)).style?.rules[0]?.symbolizers[0]
const issuesOf = (xml: string) =>
  readMapserverXml(xml).issues.map(
    ({ code, message, span }) => `${code} ${span?.line}:${span?.column} ${message}`,
  )

describe('readMapserverXml', () => {
  test('reads fill, outline, width, size and opacity', () => {
    const inner = `<color red="178" green="24" blue="43"/><outlinecolor red="255" green="255" blue="255"/>
      <width>0.5</width><size>5</size><opacity>40</opacity>`
    expect(symbolizerOf(inner)).toEqual({
      ...defaultSymbolizer,
      fill: '#b2182b',
      outline: '#ffffff',
      width: 0.5,
      size: 5,
      opacity: 0.4,
    })
  })

  test('reads values from attributes as from text', () => {
    expect(symbolizerOf('<width value="3"/><size value=" 8 "/>')).toEqual({
      ...defaultSymbolizer,
      width: 3,
      size: 8,
    })
  })

  test('reads hexadecimal colours, and -1 in all channels as no colour', () => {
    expect(symbolizerOf('<color>#ABCDEF</color><outlinecolor red="-1" green="-1" blue="-1"/>')).toEqual({
      ...defaultSymbolizer,
      fill: '#abcdef',
    })
  })

  test('keeps the order of the styles of a class, bottom first', () => {
    const xml =
      '<map><layer><class><style><width>3</width></style><style><width>1</width></style></class></layer></map>'
    expect(readMapserverXml(xml).style?.rules[0]?.symbolizers.map(({ width }) => width)).toEqual([3, 1])
  })

  test('multiplies the opacity of layer and style, and intersects their scale ranges', () => {
    const xml = `<map><layer><opacity>50</opacity><maxscaledenom>5000</maxscaledenom><minscaledenom>10</minscaledenom>
      <class><minscaledenom>100</minscaledenom><maxscaledenom>9000</maxscaledenom>
      <style><opacity>50</opacity></style></class></layer></map>`
    expect(readMapserverXml(xml).style?.rules).toEqual([
      { minScaleDenom: 100, maxScaleDenom: 5000, symbolizers: [{ ...defaultSymbolizer, opacity: 0.25 }] },
    ])
  })

  test('reads names, class items and expressions', () => {
    const xml = `<map><layer><classitem>kind</classitem>
      <class><name>Capitals</name><expression>capital</expression></class>
      <class><expression>{a,b}</expression></class>
      <class><expression>/^x/i</expression></class>
      <class><expression>([population] &gt;= 1000 AND NOT [kind] = "o'x")</expression></class>
      </layer></map>`
    expect(readMapserverXml(xml).style?.rules.map(({ label, filter }) => ({ label, filter }))).toEqual([
      { label: 'Capitals', filter: { op: 'eq', field: 'kind', value: 'capital' } },
      { label: undefined, filter: { op: 'in', field: 'kind', values: ['a', 'b'] } },
      { label: undefined, filter: { op: 'matches', field: 'kind', pattern: '^x', ignoreCase: true } },
      {
        label: undefined,
        filter: {
          op: 'and',
          filters: [
            { op: 'ge', field: 'population', value: 1000 },
            { op: 'not', filter: { op: 'eq', field: 'kind', value: "o'x" } },
          ],
        },
      },
    ])
  })

  test('reads symbols that are defined by points, and writes them again', () => {
    const points = '0 0 2 0 -99 -99 1 0 1 3.5'
    const xml = `<map><layer><class><style><symbol>tee</symbol></style></class></layer>
      <symbol><name>tee</name><type>vector</type><points>${points}</points><filled>TRUE</filled></symbol></map>`
    const { style, issues } = readMapserverXml(xml)
    const parts = [
      [
        [0, 0],
        [2, 0],
      ],
      [
        [1, 0],
        [1, 3.5],
      ],
    ]
    expect(issues).toEqual([])
    expect(style?.rules[0]?.symbolizers[0]?.shape).toEqual({ name: 'tee', parts, isFilled: true })
    const written = writeMapserverXml(style ?? { rules: [] })
    expect(written).toContain(`<points>${points}</points>`)
    expect(readMapserverXml(written)).toEqual({ style, issues: [] })
  })

  test.each([
    ['0 0', 'one point'],
    ['0 0 1', 'half a point'],
    ['0 0 1 x', 'a word'],
    ['0 0 1 1e9', 'a number that is too large'],
    ['0 0 4 0', 'no height'],
    ['0 1 0 2', 'no width'],
    ['0 0 1 1 -99 -99 2 2', 'a part of one point'],
    [Array(501).fill('1 1').join(' '), 'too many points'],
  ])('reports a symbol with points %s: %s', (points) => {
    const xml = `<map><layer><class><style><symbol>s</symbol></style></class></layer>
      <symbol><name>s</name><type>vector</type><points>${points}</points></symbol></map>`
    const { style, issues } = readMapserverXml(xml)
    expect(issues.map(({ message }) => message)).toEqual([
      'symbol "s" of type vector is drawn as the common symbol circle',
    ])
    expect(style?.rules[0]?.symbolizers[0]?.shape).toBeUndefined()
  })

  test('resolves symbols by common names and by the definitions of the map', () => {
    const xml = `<map><layer><class><style><symbol>std:square</symbol></style><style><symbol>mine</symbol></style></class></layer>
      <symbol><name>mine</name><type>ellipse</type><points>1 1</points><filled>true</filled></symbol>
      <legend><keysize x="15" y="15"/></legend></map>`
    const { style, issues } = readMapserverXml(xml)
    expect(style?.rules[0]?.symbolizers.map(({ marker }) => marker)).toEqual(['square', 'circle'])
    expect(issues).toEqual([])
  })
})

describe('errors', () => {
  test.each([
    ['<map>\n  <layer></map>', 'style/bad-xml 2:15 unexpected close tag: <layer> is open'],
    ['<map a=1/>', 'style/bad-xml 1:8 unquoted attribute value'],
    ['', 'style/bad-xml 1:1 document must contain a root element'],
    ['width: 1', 'style/bad-xml 1:9 text data outside of root node'],
    ['<map>&evil;</map>', 'style/bad-xml 1:11 undefined entity'],
    [
      '<!DOCTYPE map [<!ENTITY a "b">]>\n<map>&a;</map>',
      'style/bad-xml 1:1 document types and entities are not allowed',
    ],
    ['<a>'.repeat(65), 'style/bad-xml 1:194 elements nested deeper than 64 levels'],
    ['<Style/>', 'style/bad-value 1:2 the root element must be <map>, got <Style>'],
    ['<map/>', 'style/bad-value 1:2 <map> has no <layer>'],
    [
      styled('\n<width>wide</width>'),
      'style/bad-value 2:2 <width>: expected a number from 0 to 1000, got "wide"',
    ],
    [styled('<width/>'), 'style/bad-value 1:28 <width> has no value'],
    [
      styled('<opacity>101</opacity>'),
      'style/bad-value 1:28 <opacity>: expected a number from 0 to 100, got "101"',
    ],
    [
      styled('<color red="300" green="0" blue="0"/>'),
      'style/bad-value 1:34 red: expected an integer from 0 to 255, got "300"',
    ],
    [styled('<color red="1" green="0"/>'), 'style/bad-value 1:28 <color> has no blue'],
    [
      styled('<color>red</color>'),
      'style/bad-value 1:28 "red" is not a colour: write red, green and blue, or #rrggbb',
    ],
    [
      styled('<pattern>5</pattern>'),
      'style/bad-value 1:28 <pattern>: expected alternating dash and gap lengths, got "5"',
    ],
    [
      '<map><layer><class><expression>a</expression></class></layer></map>',
      'style/bad-value 1:21 invalid <expression>: a requires a <classitem> in the layer',
    ],
  ])('refuses %j', (xml, issue) => {
    const { style, issues } = readMapserverXml(xml)
    expect(style).toBeUndefined()
    expect(issues.every(({ severity }) => severity === 'error')).toBe(true)
    expect(issuesOf(xml)).toEqual([issue])
  })

  test('refuses a text that is too long', () => {
    expect(issuesOf(`<map>${' '.repeat(1024 * 1024)}</map>`)).toEqual([
      'style/bad-xml 1:1048577 longer than 1048576 characters',
    ])
  })
})

describe('warnings', () => {
  test.each([
    [styled('<colour/>'), 'style/unknown 1:28 unknown element <colour>'],
    [styled('<width value="1" unit="mm"/>'), 'style/unknown 1:44 unknown attribute "unit" of <width>'],
    [
      styled('<color red="1" green="2" blue="3" alpha="4"/>'),
      'style/unknown 1:61 unknown attribute "alpha" of <color>',
    ],
    [styled('<symbol>house</symbol>'), 'style/unknown 1:28 unknown symbol "house"; drawn as a circle'],
    [
      `<map><layer><class><style><symbol>tee</symbol></style></class></layer><symbol><name>tee</name><type>vector</type><points>0 0 4 0</points></symbol></map>`,
      'style/unknown 1:72 symbol "tee" of type vector is drawn as the common symbol circle',
    ],
    [
      `<map><layer><class><style/></class></layer><symbol><name>star</name><type>pixmap</type><image>a.png</image></symbol></map>`,
      'style/unknown 1:45 symbol "star" of type pixmap is drawn as the common symbol star',
    ],
    [styled('red'), 'style/unknown 1:21 ignored text in <style>: "red"'],
    ['<map><layer/></map>', 'style/unknown 1:7 <layer> has no <class>; nothing is drawn'],
    ['<map><layer><class/></layer>\n<layer/></map>', 'style/unknown 2:2 only the first <layer> is drawn'],
  ])('reads %s, and reports what is not drawn', (xml, issue) => {
    const { style, issues } = readMapserverXml(xml)
    expect(style).toBeDefined()
    expect(issues.every(({ severity }) => severity === 'warning')).toBe(true)
    expect(issuesOf(xml)).toEqual([issue])
  })

  test('reports the path of an unknown element, and suggests a similar one', () => {
    expect(readMapserverXml(styled('<outlinecolour/>')).issues[0]).toMatchObject({
      pointer: '/map/layer/class/style/outlinecolour',
      hint: 'did you mean "outlinecolor"?',
    })
  })
})
