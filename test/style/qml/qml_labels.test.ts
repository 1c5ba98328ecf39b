import { expect, test } from 'vitest'
import { compileExpression } from '../../../src/style/expression/expression_evaluate.ts'
import { readQml } from '../../../src/style/qml/qml_read.ts'
import { dataDefined, qml, symbolLayer } from '../../support/qml.ts'

const label = (elements: string, type = 'simple') =>
  readQml(qml('type="nullSymbol"', '', { rest: `<labeling type="${type}">${elements}</labeling>` }))

interface Parts {
  readonly style?: string
  readonly inner?: string
  readonly others?: string
}

/** Label settings as QGIS 3.22 writes them. */
const settings = ({ style = '', inner = '', others = '' }: Parts) =>
  `<settings calloutType="simple"><text-style ${style}>${inner}</text-style>${others}</settings>`

test('reads the defaults of QGIS', () => {
  expect(label(settings({ style: 'fieldName="s" fontSizeUnit="Point"' })).style?.labels).toEqual([
    {
      text: { op: 'field', name: 's' },
      font: {
        family: 'sans-serif',
        size: 13.3333,
        weight: 400,
        isItalic: false,
        letterSpacing: 0,
        capitalization: 'mixed',
      },
      color: '#323232',
      placement: { kind: 'around', distance: 0 },
      offset: [0, 0],
      angle: 0,
      priority: 5,
      showsAll: false,
      wrapCharacter: '',
      wrapLength: 0,
      lineHeight: 1,
      alignment: 'follow',
      hasWholePixels: true,
    },
  ])
})

test('reads text, font, colours, buffer, limits and data-defined properties', () => {
  const { style, issues } = label(
    settings({
      style: `fieldName="upper(&quot;s&quot;)" isExpression="1" fontFamily="Noto Sans" fontSize="12" fontSizeUnit="Pixel"
        fontWeight="75" fontItalic="1" textColor="1,2,3,255" textOpacity="0.5" capitalization="1" multilineHeight="1.2"`,
      inner:
        '<text-buffer bufferDraw="1" bufferSize="2" bufferSizeUnits="Pixel" bufferColor="4,5,6,255" bufferOpacity="1"/>',
      others: `<text-format wrapChar="|" autoWrapLength="20" multilineAlign="1"/>
        <placement placement="1" quadOffset="8" xOffset="3" yOffset="-2" offsetUnits="Pixel" priority="7" rotationAngle="30"/>
        <rendering drawLabels="1" scaleVisibility="1" scaleMin="5000" scaleMax="100" displayAll="1"/>
        ${dataDefined({ Size: '"n"', Show: 'true' }).replaceAll('data_defined_properties', 'dd_properties')}`,
    }),
  )
  expect(issues).toEqual([])
  expect(style?.labels[0]).toMatchObject({
    text: { op: 'call', name: 'upper' },
    font: { family: 'Noto Sans', size: 12, weight: 700, isItalic: true, capitalization: 'upper' },
    color: '#01020380',
    buffer: { size: 1, color: '#040506' },
    placement: { kind: 'over', quadrant: [1, 1] },
    offset: [3, -2],
    angle: 30,
    priority: 7,
    showsAll: true,
    wrapCharacter: '|',
    wrapLength: 20,
    lineHeight: 1.2,
    alignment: 'center',
    minScaleDenom: 100,
    maxScaleDenom: 5000,
    dataDefined: { size: { op: 'field', name: 'n' }, isDrawn: { op: 'literal', value: true } },
  })
})

test.each([
  ['0', 'left'],
  ['1', 'center'],
  ['2', 'right'],
  ['3', 'follow'],
])('reads the alignment %s of lines as %s', (alignment, expected) => {
  const others = `<text-format multilineAlign="${alignment}"/>`
  const { style } = label(settings({ style: 'fieldName="s"', others }))
  expect(style?.labels[0]?.alignment).toBe(expected)
})

test.each([
  ['placement="2" placementFlags="10"', { kind: 'line', isCurved: false, sides: ['above'] }],
  [
    'placement="3" placementFlags="5" dist="2" distUnits="Pixel"',
    { kind: 'line', isCurved: true, sides: ['on', 'below'], distance: 2 },
  ],
  ['placement="4"', { kind: 'horizontal' }],
  ['placement="1" quadOffset="0"', { kind: 'over', quadrant: [-1, -1] }],
])('reads the placement %s', (attributes, expected) => {
  const { style, issues } = label(settings({ style: 'fieldName="s"', others: `<placement ${attributes}/>` }))
  expect([style?.labels[0]?.placement, issues]).toMatchObject([expected, []])
})

test('reads labels of rules', () => {
  const rules = `<rules><rule filter="n > 1" scalemindenom="100">${settings({ style: 'fieldName="s"' })}
    <rule filter="n &lt; 9" scalemaxdenom="500">${settings({ style: 'fieldName="t"' })}</rule></rule>
    <rule active="0">${settings({ style: 'fieldName="u"' })}</rule>
    <rule filter="ELSE">${settings({ style: 'fieldName="v"' })}</rule></rules>`
  const { style, issues } = label(rules, 'rule-based')
  expect(style?.labels).toMatchObject([
    { text: { name: 's' }, filter: { op: 'binary', operator: '>' }, minScaleDenom: 100 },
    { text: { name: 't' }, filter: { op: 'and' }, minScaleDenom: 100, maxScaleDenom: 500 },
  ])
  expect(issues.map(({ message }) => message)).toEqual([
    'labels of a rule are not drawn: ELSE is not supported for labels',
  ])
})

test('labels that are switched off or empty are not drawn', () => {
  const off = settings({ style: 'fieldName="s"', others: '<rendering drawLabels="0"/>' })
  const rest = `<labeling type="simple">${settings({ style: 'fieldName="s"' })}</labeling>`
  expect(label(off).style?.labels).toEqual([])
  expect(label(settings({})).style?.labels).toEqual([])
  expect(
    readQml(qml('type="nullSymbol"', '', { attributes: 'labelsEnabled="0"', rest })).style?.labels,
  ).toEqual([])
})

test('reads repeats along lines, labels on all parts and of merged lines, and data-defined priorities', () => {
  const others = `<placement repeatDistance="30" repeatDistanceUnits="Pixel"/><rendering labelPerPart="1" mergeLines="1"/>
    ${dataDefined({ Priority: '"rank"' }).replaceAll('data_defined_properties', 'dd_properties')}`
  const { style, issues } = label(settings({ style: 'fieldName="s"', others }))
  expect(issues).toEqual([])
  expect(style?.labels[0]).toMatchObject({
    ...{ repeatDistance: 30, isOnAllParts: true, mergesLines: true },
    dataDefined: { priority: { op: 'field', name: 'rank' } },
  })
})

const callout = (enabled: string, { type = 'simple', more = '' } = {}) =>
  `<callout type="${type}"><Option type="Map"><Option name="enabled" value="${enabled}"/>${more}</Option></callout>`

test('reads callouts with their line, ends and lengths', () => {
  const option = (name: string, value: string) => `<Option name="${name}" value="${value}"/>`
  const symbol = symbolLayer('SimpleLine', {
    line_color: '1,2,3,255',
    line_width: '2',
    line_width_unit: 'Pixel',
  })
  const line = `<symbol type="line" alpha="0.5">${symbol}</symbol>`
  const more = [
    option('lineSymbol', line.replaceAll('<', '&lt;').replaceAll('"', '&quot;')),
    option('labelAnchorPoint', 'tr'),
    option('anchorPoint', 'point_on_exterior'),
    ...['minLength', 'offsetFromAnchor', 'offsetFromLabel'].map((name, at) => option(name, String(at + 2))),
    ...['minLengthUnit', 'offsetFromAnchorUnit', 'offsetFromLabelUnit'].map((name) => option(name, 'Pixel')),
  ].join('')
  const others = callout('1', { type: 'manhattan', more })
  const { style, issues } = label(settings({ style: 'fieldName="s"', others }))
  expect(issues).toEqual([])
  expect(style?.labels[0]?.callout).toMatchObject({
    ...{ kind: 'right_angle', from: 'tr', to: 'point_on_exterior' },
    ...{ minLength: 2, gapAtFeature: 3, gapAtLabel: 4 },
    line: { opacity: 0.5, layers: [{ kind: 'line', stroke: { color: '#010203', width: 2 } }] },
  })
  const plain = label(settings({ style: 'fieldName="s"', others: callout('true') })).style?.labels[0]?.callout
  expect(plain).toMatchObject({ kind: 'straight', from: 'edge', to: 'pole_of_inaccessibility', minLength: 0 })
  expect(plain?.line.layers).toMatchObject([{ stroke: { color: '#3c3c3c' } }])
  expect(
    label(settings({ style: 'fieldName="s"', others: callout('0') })).style?.labels[0]?.callout,
  ).toBeUndefined()
})

test('reports parts of callouts that are not drawn', () => {
  const defined = `<Option type="Map" name="properties"><Option type="Map" name="OriginX"><Option name="active" value="true"/></Option></Option>`
  const more = `<Option name="drawToAllParts" value="true"/><Option name="blendMode" value="6"/>
    <Option type="Map" name="ddProperties">${defined}</Option><Option name="lineSymbol" value="&lt;oops"/>`
  const others = callout('1', { more })
  expect(label(settings({ style: 'fieldName="s"', others })).issues.map(({ message }) => message)).toEqual([
    'callouts to all parts are drawn to one part',
    'the blend mode of callouts is drawn as normal',
    'data-defined property OriginX of callouts is ignored',
    'the line of callouts is not readable, and drawn as a grey line',
  ])
})

test('reports what is not drawn', () => {
  const { style, issues } = label(
    settings({
      style: 'fieldName="s" fontUnderline="1"',
      inner: '<shadow shadowDraw="1"/><background shapeDraw="1"/><text-mask maskEnabled="1"/>',
      others: `<placement placement="6"/>${callout('1', { type: 'balloon' })}${dataDefined({ Bold: 'true' }).replaceAll('data_defined_properties', 'dd_properties')}`,
    }),
  )
  expect(style?.labels[0]?.placement).toEqual({ kind: 'around', distance: 0 })
  expect(issues.map(({ message }) => message).toSorted()).toEqual([
    'backgrounds of labels are not drawn',
    'callouts of type balloon are not drawn',
    'data-defined property Bold of labels is ignored',
    'label placement 6 is drawn as around point',
    'masks of labels are not drawn',
    'shadows of labels are not drawn',
    'underlines of labels are not drawn',
  ])
})

test('does not draw labels whose expression is not supported', () => {
  const { style, issues } = label(settings({ style: 'isExpression="1"\n fieldName="foo(1)"' }))
  expect(style?.labels).toEqual([])
  expect(issues).toMatchObject([
    {
      message: 'labels are not drawn: function foo() is not supported (character 1 of the expression)',
      span: { line: 4, column: 2 },
    },
  ])
})

/** Pixels per point and per millimetre. */
const [point, millimetre] = [96 / 72, 96 / 25.4]

test.each([
  ['', 12 * point],
  ['fontSizeInMapUnits="0"', 12 * point],
  ['fontSizeInMapUnits="1"', undefined],
  ['fontSizeInMapUnits="1" fontSizeUnit="MM"', 12 * millimetre],
])('reads the size of fonts with %s as QGIS does', (unit, pixels) => {
  const others = dataDefined({ Size: '2' }).replaceAll('data_defined_properties', 'dd_properties')
  const { style } = label(settings({ style: `fieldName="s" fontSize="12" ${unit}`, others }))
  const expected = pixels === undefined ? { mapUnits: 12 } : expect.closeTo(pixels, 3)
  expect(style?.labels[0]?.font.size).toEqual(expected)
  const factor = pixels === undefined ? 1 : pixels / 12
  expect(style?.labels[0]?.dataDefined?.size).toEqual(
    factor === 1
      ? { op: 'literal', value: 2 }
      : expect.objectContaining({ right: { op: 'literal', value: expect.closeTo(factor, 3) } }),
  )
})

test.each([
  ['bufferSize="2"', millimetre],
  ['bufferDraw="1" bufferSize="2" bufferSizeInMapUnits="0"', millimetre],
  ['bufferDraw="1" bufferSize="2" bufferSizeInMapUnits="1"', { mapUnits: 1 }],
  ['bufferDraw="0" bufferSize="2"', undefined],
  ['bufferSize="0"', undefined],
])('reads the buffer %s of older files beside the text, half of it on each side', (buffer, size) => {
  const others = `<text-buffer ${buffer} bufferTransp="50" bufferColor="0,0,0,255"/>`
  const { style } = label(settings({ style: 'fieldName="s"', others }))
  const expected = typeof size === 'number' ? expect.closeTo(size, 3) : size
  expect(style?.labels[0]?.buffer).toEqual(
    size === undefined ? undefined : { size: expected, color: '#00000080' },
  )
})

test.each([
  ['dist="1" distInMapUnits="0"', { placement: { distance: expect.closeTo(millimetre, 3) } }],
  ['dist="1" distInMapUnits="1"', { placement: { distance: { mapUnits: 1 } } }],
  ['xOffset="1" yOffset="2"', { offset: [{ mapUnits: 1 }, { mapUnits: 2 }] }],
  ['xOffset="1" labelOffsetInMapUnits="0"', { offset: [expect.closeTo(millimetre, 3), 0] }],
  ['repeatDistance="1"', { repeatDistance: expect.closeTo(millimetre, 3) }],
  ['repeatDistance="1" repeatDistanceUnit="0"', { repeatDistance: expect.closeTo(point, 3) }],
  ['repeatDistance="1" repeatDistanceUnit="2"', { repeatDistance: { mapUnits: 1 } }],
  ['angleOffset="30"', { angle: 330 }],
])('reads the placement %s of older files', (placement, expected) => {
  const { style } = label(settings({ style: 'fieldName="s"', others: `<placement ${placement}/>` }))
  expect(style?.labels[0]).toMatchObject(expected)
})

test('reads transparency, capitals and line height of older files, and reports parts beside the text', () => {
  const others = `<text-format multilineHeight="1.5"/><shadow shadowDraw="1"/><background shapeDraw="1"/>`
  const { style, issues } = label(
    settings({ style: 'fieldName="s" textColor="0,0,0,255" textTransp="50" fontCapitals="1"', others }),
  )
  expect(style?.labels[0]).toMatchObject({
    ...{ color: '#00000080', lineHeight: 1.5, font: { capitalization: 'upper' } },
  })
  expect(issues.map(({ message }) => message).toSorted()).toEqual([
    'backgrounds of labels are not drawn',
    'shadows of labels are not drawn',
  ])
})

test('reports labels in the properties of the layer', () => {
  const property = (key: string, value: string) => `<property key="labeling/${key}" value="${value}"/>`
  const read = (drawn: string) => {
    const properties = property('enabled', 'true') + property('drawLabels', drawn)
    const rest = `<customproperties>${properties}</customproperties>`
    return readQml(qml('type="nullSymbol"', '', { rest })).issues.map(({ message }) => message)
  }
  expect(read('true')).toEqual(['labels in the properties of the layer, as of QGIS 2, are not drawn'])
  expect(read('false')).toEqual([])
})

/** Text of a label with a value, as QGIS 3.22.16 evaluates it. */
const represent = (expression: string, attributes: Readonly<Record<string, unknown>>, widgets: string) => {
  const escaped = expression.replaceAll('"', '&quot;')
  const labeling = `<labeling type="simple">${settings({ style: `fieldName="${escaped}" isExpression="1"` })}</labeling>`
  const { style, issues } = readQml(qml('type="nullSymbol"', '', { rest: labeling + widgets }))
  const text = style?.labels[0]?.text
  return {
    value: text && compileExpression(text)({ attributes }),
    issues: issues.map(({ message }) => message),
  }
}

const list = (entries: string) =>
  `<Option type="Map"><Option name="map" type="List">${entries}</Option></Option>`
const field = (name: string, type: string, options = '') =>
  `<field name="${name}"><editWidget type="${type}"><config>${options}</config></editWidget></field>`
const item = (label: string, value: string) =>
  `<Option type="Map"><Option name="${label}" type="QString" value="${value}"/></Option>`
const kinds = field('kind', 'ValueMap', list(item('Road', '1') + item('Path', '2') + item('Street', '1')))
const sorted = `<Option type="Map"><Option name="map" type="Map">
  <Option name="Beta2" value="b"/><Option name="Beta" value="b"/><Option name="__proto__" value="__proto__"/></Option></Option>`
const configuration = `<fieldConfiguration>${kinds}${field('name', 'ValueMap', sorted)}${field('size', 'Range')}</fieldConfiguration>`

test.each([
  ['represent_value("kind")', { kind: 1 }, 'Road'],
  ['represent_value("KIND")', { kind: 2 }, 'Path'],
  ['represent_value("kind")', { kind: 5 }, '(5)'],
  ['represent_value("kind")', { kind: null }, null],
  ['represent_value("kind", NULL)', { kind: 1 }, 'Road'],
  [`represent_value("kind" + 1, 'kind')`, { kind: 1 }, 'Path'],
  [`represent_value(1.0, 'kind')`, {}, 'Road'],
  [`represent_value("kind", 'name')`, { kind: 1 }, '(1)'],
  ['represent_value("name")', { name: 'b' }, 'Beta'],
  ['represent_value("name")', { name: '__proto__' }, '__proto__'],
  ['represent_value("name")', { name: 'constructor' }, '(constructor)'],
  ['represent_value("size")', { size: 1.5 }, '1.5'],
  ['upper(represent_value("kind")) || \'!\'', { kind: 1 }, 'ROAD!'],
])('%s of %j is the label of the value map: %j', (expression, attributes, value) => {
  expect(represent(expression, attributes, configuration)).toEqual({ value, issues: [] })
})

test('reads the value maps of QGIS 2', () => {
  const widgets = `<edittypes><edittype widgetv2type="ValueMap" name="kind"><widgetv2config fieldEditable="1">
    <value key="Road" value="1"/></widgetv2config></edittype></edittypes>`
  expect(represent('represent_value("kind")', { kind: 1 }, widgets)).toEqual({ value: 'Road', issues: [] })
})

test('reports widgets whose labels are elsewhere, and values without a field', () => {
  const widgets = `<fieldConfiguration>${field('kind', 'ValueRelation')}</fieldConfiguration>`
  expect(represent('represent_value("kind")', { kind: 1 }, widgets)).toEqual({
    value: '1',
    issues: [
      'represent_value(): the widget ValueRelation of field "kind" is not read; labels are those of its lookup table',
    ],
  })
  expect(represent('represent_value("kind" + 0)', { kind: 1 }, '').issues).toEqual([
    expect.stringMatching(/^labels are not drawn: represent_value\(\) expects a field/),
  ])
})
