import { expect, test } from 'vitest'
import type { GeometryFamily } from '../../src/contract/geometry.ts'
import { checkStyleText } from '../../src/style/check_style_text.ts'
import { coloredSymbol, namedSymbol, qml, single, symbolLayer, symbols } from '../support/qml.ts'

const [line, fill, marker] = [
  symbolLayer('SimpleLine', { line_color: '255,0,0,255' }),
  symbolLayer('SimpleFill', { color: '255,0,0,255' }),
  symbolLayer('SimpleMarker', { name: 'circle', color: '255,0,0,255', size: '2' }),
]

const labelling = `<labeling type="simple"><settings><text-style fieldName="'x'" fontSize="9"/><placement placement="0"/></settings></labeling>`

const mixed = qml(
  'type="RuleRenderer"',
  `<rules key="r"><rule symbol="0"/><rule symbol="1"/></rules>${symbols(
    namedSymbol('0', 'line', line),
    namedSymbol('1', 'marker', marker),
  )}`,
)

test.each<[string, string, GeometryFamily[]]>([
  ['lines', single('line', line), ['POINT']],
  ['fills', single('fill', fill), ['POINT', 'LINESTRING']],
  ['markers', single('marker', marker), []],
  ['no symbols', '<qgis/>', []],
  ['lines and markers', mixed, []],
  ['fills with labels', single('fill', fill).replace('</qgis>', `${labelling}</qgis>`), []],
])('a style of %s is reported for layers of which it draws nothing', (_, text, families) => {
  const reported = (['POINT', 'LINESTRING', 'POLYGON'] as const).filter((family) =>
    checkStyleText('qml', text, { family }).some(({ message }) => message.startsWith('nothing is drawn')),
  )
  expect(reported).toEqual(families)
})

test('missing fields are reported where QML draws with them, not at aliases and constraints', () => {
  const text = qml(
    'type="categorizedSymbol" attr="kind"',
    `<categories><category symbol="0" value="a" label="A" render="true"/></categories>${symbols(coloredSymbol('0', '#ff0000'))}`,
    {
      rest: `
<aliases><alias field="kind" index="0" name=""/></aliases>
<defaults><default expression="" field="kind" applyOnUpdate="0"/></defaults>
<constraints><constraint field="kind" constraints="0"/></constraints>
<constraintExpressions><constraint exp="" desc="" field="kind"/></constraintExpressions>`,
    },
  )
  const found = checkStyleText('qml', text, { fields: ['name'] }).filter(
    ({ code }) => code === 'style/missing-field',
  )
  expect(found.map(({ span }) => span?.line)).toEqual([2])
})
