import { describe, expect, test } from 'vitest'
import type { GeometryFamily } from '../../../src/contract/geometry.ts'
import { parseExpression } from '../../../src/style/expression/expression_parse.ts'
import { legendEntries } from '../../../src/style/legend_entries.ts'
import { readMapserverXml } from '../../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../../src/style/mapserver/mapserver_style.ts'
import { scaleDenomOf } from '../../../src/style/match_rules.ts'

const styleOf = (layer: string, family: GeometryFamily) => {
  const { style, issues } = readMapserverXml(`<map><layer>${layer}</layer></map>`)
  expect(issues).toEqual([])
  return styleOfMapserver(style ?? { rules: [] }, family)
}
const layersOf = (inner: string, family: GeometryFamily) =>
  styleOf(`<class><style>${inner}</style></class>`, family).rules[0]?.symbol?.layers
const red = '<color red="255" green="0" blue="0"/>'
const blue = '<outlinecolor red="0" green="0" blue="255"/>'

test('a class without a name has its condition as the caption of its symbol', () => {
  const classOf = (inner: string) => `<class>${inner}<style>${red}</style></class>`
  const style = styleOf(
    `<classitem>art</classitem>${[
      classOf('<name>Schools</name><expression>school</expression>'),
      classOf('<expression>inn</expression>'),
      classOf('<expression>([rooms] &gt; 20)</expression>'),
      classOf(''),
    ].join('')}`,
    'POINT',
  )
  expect(legendEntries(style).map(({ title }) => title)).toEqual(['Schools', 'inn', '"rooms" > 20', ''])
  const rules = style.rules
    .slice(0, 1)
    .map(({ label: _, ...rule }) => ({ ...rule, filter: parseExpression(`"art" NOT IN ('inn')`) }))
  expect(legendEntries({ rules }).map(({ title }) => title)).toEqual([`"art" NOT IN ('inn')`])
})

describe('a style', () => {
  test('of polygons fills them, with an outline', () => {
    expect(
      layersOf(`${red}${blue}<width>2</width><opacity>50</opacity><offset x="3" y="4"/>`, 'POLYGON'),
    ).toEqual([
      {
        kind: 'fill',
        pass: 0,
        color: '#ff000080',
        brush: 'solid',
        stroke: {
          color: '#0000ff80',
          width: 2,
          dash: [],
          isDashRelative: false,
          dashOffset: 0,
          join: 'round',
          cap: 'round',
        },
        offset: [3, 4],
      },
    ])
    expect(layersOf(`${blue}<width>0</width>`, 'POLYGON')).toMatchObject([{ brush: 'no' }])
  })

  test('shifts outlines of polygons, and markers along lines, to a side', () => {
    const shifted = '<width>2</width><offset x="5" y="-99"/>'
    const line = { kind: 'line', stroke: { color: '#0000ff', width: 2 }, offset: 5, rings: 'all' }
    expect(layersOf(`${blue}${shifted}`, 'POLYGON')).toMatchObject([line])
    expect(layersOf(`${red}${blue}${shifted}`, 'POLYGON')).toMatchObject([
      { kind: 'fill', color: '#ff0000', offset: [0, 0] },
      line,
    ])
    expect(layersOf(`${red}<gap>-20</gap>${shifted}`, 'LINESTRING')).toMatchObject([
      { kind: 'marker_line', offset: 5, marker: { layers: [{ offset: [0, 0] }] } },
    ])
  })

  test('of polygons with a hatch draws lines', () => {
    const inner = `${red}<symbol>std:hatch</symbol><size>7</size><angle>30</angle><width>2</width>`
    expect(layersOf(inner, 'POLYGON')).toMatchObject([
      {
        kind: 'line_pattern',
        angle: 30,
        distance: 7,
        line: { layers: [{ stroke: { color: '#ff0000', width: 2 } }] },
      },
      { kind: 'fill', brush: 'no' },
    ])
  })

  test('of polygons with a symbol fills them with markers', () => {
    const inner = `${red}${blue}<symbol>std:circle</symbol><size>4</size>`
    expect(layersOf(`${inner}<gap>9</gap>`, 'POLYGON')).toMatchObject([
      { kind: 'point_pattern', distance: [9, 9], marker: { layers: [{ shape: 'circle', size: 4 }] } },
      { kind: 'fill', brush: 'no', stroke: { color: '#0000ff' } },
    ])
    expect(layersOf(inner, 'POLYGON')).toMatchObject([{ distance: [4, 4] }, {}])
    expect(layersOf(`${red}<size>4</size>`, 'POLYGON')).toMatchObject([{ kind: 'fill', brush: 'solid' }])
  })

  test('of lines draws them over their casing, shifted to the right', () => {
    const inner = `${red}${blue}<width>4</width><outlinewidth>1</outlinewidth><offset x="5" y="-99"/>
      <pattern>6 3</pattern><linecap>butt</linecap><linejoin>bevel</linejoin>`
    expect(layersOf(inner, 'LINESTRING')).toMatchObject([
      { kind: 'line', stroke: { color: '#0000ff', width: 6 }, offset: 5 },
      {
        kind: 'line',
        stroke: { color: '#ff0000', width: 4, dash: [6, 3], cap: 'flat', join: 'bevel' },
        offset: 5,
      },
    ])
  })

  test('of lines with a gap draws markers', () => {
    const inner = `${red}<symbol>std:triangle</symbol><size>8</size><gap>-20</gap><initialgap>5</initialgap>`
    expect(layersOf(inner, 'LINESTRING')).toMatchObject([
      {
        kind: 'marker_line',
        interval: 20,
        offsetAlong: 5,
        isRotated: true,
        marker: { layers: [{ shape: 'triangle', size: 8, fill: '#ff0000' }] },
      },
    ])
    expect(layersOf(`${red}<gap>20</gap>`, 'LINESTRING')).toMatchObject([
      { offsetAlong: 10, isRotated: false },
    ])
  })

  test('of points draws markers; angles are counter-clockwise and do not turn the offset', () => {
    const inner = `${red}${blue}<symbol>std:rectangle</symbol><size>8</size><angle>90</angle><offset x="10" y="0"/>`
    const [marker] = layersOf(inner, 'POINT') ?? []
    expect(marker).toMatchObject({ kind: 'marker', shape: 'square', size: 8, angle: 270, fill: '#ff0000' })
    const [x, y] = marker?.kind === 'marker' ? marker.offset : []
    expect([Number(x), Number(y)].map((value) => Math.round(value * 1e9) / 1e9 + 0)).toEqual([0, 10])
  })

  test.each([
    ['std:xcross', 'cross2'],
    ['std:cross', 'cross'],
    ['std:line', 'line'],
    ['std:arrowhead', 'arrowhead'],
  ])('%s is drawn with strokes of its colour', (name, shape) => {
    const [marker] = layersOf(`${red}<symbol>${name}</symbol><width>3</width>`, 'POINT') ?? []
    expect(marker).toMatchObject({ shape, stroke: { color: '#ff0000', width: 3 } })
    expect(marker).not.toHaveProperty('fill')
  })
})

describe('a class', () => {
  test('has scale limits at 72 dpi, as MapServer 8.0', () => {
    const { rules } = styleOf(
      '<class><minscaledenom>300</minscaledenom><maxscaledenom>28347</maxscaledenom></class>',
      'POINT',
    )
    expect(rules).toMatchObject([{ minScaleDenom: 400, maxScaleDenom: 37_796 }])
    expect(scaleDenomOf(10)).toBeCloseTo(37_795.28, 2)
  })

  test('that is switched off takes its features', () => {
    expect(styleOf('<class><status>off</status></class>', 'POINT').rules[0]?.isDrawn).toBe(false)
  })

  test('has labels from the layer, its own text, or that of the label', () => {
    const { rules } = styleOf(
      `<labelitem>name</labelitem><labelmaxscaledenom>6000</labelmaxscaledenom>
       <class><label><size>tiny</size><color red="1" green="2" blue="3"/></label></class>
       <class><text>No. [id] of [all]</text><label><maxscaledenom>900</maxscaledenom></label></class>
       <class><label><text>[other]</text></label></class>`,
      'POINT',
    )
    expect(rules.map(({ labels }) => labels[0])).toMatchObject([
      { text: { op: 'field', name: 'name' }, color: '#010203', font: { size: 7 }, maxScaleDenom: 8000 },
      {
        text: {
          op: 'call',
          name: 'concat',
          operands: [{ value: 'No. ' }, { name: 'id' }, { value: ' of ' }, { name: 'all' }],
        },
        maxScaleDenom: 1200,
      },
      { text: { op: 'field', name: 'other' } },
    ])
  })

  test.each([
    ['POINT', '', { kind: 'over', quadrant: [0, 0] }],
    ['POINT', '<position>ur</position>', { kind: 'over', quadrant: [1, -1] }],
    ['POINT', '<position>auto</position>', { kind: 'around', distance: 10 / 3 }],
    ['LINESTRING', '<angle>follow</angle>', { kind: 'line', isCurved: true, sides: ['on'] }],
    [
      'LINESTRING',
      '<angle>auto</angle><position>uc</position>',
      { kind: 'line', isCurved: false, sides: ['above'] },
    ],
    ['POLYGON', '<position>auto</position>', { kind: 'horizontal' }],
  ] as const)('places labels of %s with %s', (family, inner, placement) => {
    const { rules } = styleOf(`<labelitem>s</labelitem><class><label>${inner}</label></class>`, family)
    expect(rules[0]?.labels[0]?.placement).toMatchObject(placement)
  })

  test('has labels whose lines are aligned to the left, or as they say', () => {
    const alignmentOf = (inner: string) =>
      styleOf(`<labelitem>s</labelitem><class><label>${inner}</label></class>`, 'POINT').rules[0]?.labels[0]
        ?.alignment
    expect(alignmentOf('')).toBe('left')
    expect(alignmentOf('<align>center</align>')).toBe('center')
    expect(alignmentOf('<align>RIGHT</align>')).toBe('right')
  })

  test('has labels with a halo, a priority and a font', () => {
    const inner = `<outlinecolor red="255" green="255" blue="255"/><outlinewidth>2</outlinewidth><priority>8</priority><repeatdistance>300</repeatdistance>
      <font>sans-bold-italic</font><force>true</force><wrap>|</wrap><maxlength>12</maxlength><offset x="1" y="2"/>`
    const { rules } = styleOf(`<labelitem>s</labelitem><class><label>${inner}</label></class>`, 'POINT')
    expect(rules[0]?.labels[0]).toMatchObject({
      // As MapServer draws it: one pixel wider, half of it on each side.
      buffer: { size: 1.5, color: '#ffffff' },
      priority: 8,
      repeatDistance: 300,
      font: { family: 'sans-bold-italic', weight: 700, isItalic: true },
      showsAll: true,
      wrapCharacter: '|',
      wrapLength: 12,
      offset: [1, 2],
    })
  })
})

test.each([
  ['<class><label/></class>', '1:21 <label> is not drawn: it has no text, and the layer has no <labelitem>'],
  ['<filter>a</filter>', '1:14 unknown element <filter>'],
  ['<class><style><symbol>logo</symbol></style></class>', '1:28 unknown symbol "logo"; drawn as a circle'],
  ['<class><style><polaroffset>1 2</polaroffset></style></class>', '1:28 unknown element <polaroffset>'],
])('reports what is not drawn: %s', (layer, expected) => {
  const { issues } = readMapserverXml(`<map><layer>${layer}</layer></map>`)
  expect(issues.map(({ message, span }) => `${span?.line}:${span?.column} ${message}`)).toContain(expected)
})

test.each([
  ['<class><status>maybe</status></class>', '<status>: expected on, off, got "maybe"'],
  ['<class><style><offset>1</offset></style></class>', '<offset>: expected two numbers up to 1000, x and y'],
  [
    '<class><style><gap>5000</gap></style></class>',
    '<gap>: expected a number from -1000 to 1000, got "5000"',
  ],
  [
    '<labelitem>s</labelitem><class><label><position>left</position></label></class>',
    '<position>: expected ul, uc, ur, cl, cc, cr, ll, lc, lr, auto, got "left"',
  ],
])('refuses %s', (layer, message) => {
  expect(readMapserverXml(`<map><layer>${layer}</layer></map>`)).toMatchObject({
    issues: [{ severity: 'error', message }],
  })
})
