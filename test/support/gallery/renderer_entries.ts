import { coloredSymbol, namedSymbol, qml, symbolLayer, symbols } from '../qml.ts'
import {
  type GalleryEntry,
  innerSymbol,
  oneSymbol,
  simpleFill,
  simpleLine,
  simpleMarker,
  version,
} from './gallery_entry.ts'

const palette = ['200,60,50,255', '60,120,190,255', '90,160,80,255', '230,180,60,255', '140,90,170,255']
const fills = symbols(...palette.map((color, at) => coloredSymbol(String(at), color)))
const areas = (name: string, renderer: string, inner: string): GalleryEntry => ({
  ...{ name, group: 'renderers', family: 'POLYGON' },
  qml: qml(renderer, inner, { attributes: version }),
})
const category = (value: string, symbol: number, more = '') =>
  `<category value="${value}" symbol="${symbol}" label="" render="true" ${more}/>`
const range = (lower: number, upper: number, symbol: number) =>
  `<range lower="${lower}" upper="${upper}" symbol="${symbol}" label="" render="true"/>`
const rules = (list: string) => `<rules key="root">${list}</rules>${fills}`

const wide = (color: string, width: string) =>
  simpleLine({ line_color: color, line_width: width, capstyle: 'round', joinstyle: 'round' })
const roads = namedSymbol(
  '0',
  'line',
  wide('30,30,30,255', '2.4') + wide('255,210,90,255', '1.6').replace('pass="0"', 'pass="1"'),
)

const blended = (name: string, rest: string): GalleryEntry => ({
  ...{ name, group: 'renderers', family: 'POLYGON', background: [255, 224, 150] },
  qml: oneSymbol('fill', simpleFill({ color: '90,150,210,255', outline_width: '1' }), { rest }),
})

/** Renderers, and settings of layers. */
export const rendererEntries: readonly GalleryEntry[] = [
  areas(
    'categories',
    'type="categorizedSymbol" attr="kind"',
    `<categories>${['a', 'b', 'c'].map((kind, at) => category(kind, at)).join('')}${category('', 4)}</categories>${fills}`,
  ),
  areas(
    'categories_lists',
    'type="categorizedSymbol" attr="kind"',
    `<categories><category symbol="0" label="" render="true" type="List"><val value="a" type="string"/>
      <val value="c" type="string"/></category>${category('b', 1)}</categories>${fills}`,
  ),
  areas(
    'categories_expression',
    'type="categorizedSymbol" attr="floor(&quot;value&quot; / 25)"',
    `<categories>${[0, 1, 2].map((value) => category(String(value), value)).join('')}</categories>${fills}`,
  ),
  areas(
    'ranges',
    'type="graduatedSymbol" attr="value" graduatedMethod="GraduatedColor"',
    `<ranges>${range(0, 30, 0)}${range(30, 60, 1)}${range(60, 100, 2)}</ranges>${fills}`,
  ),
  areas(
    'ranges_expression',
    'type="graduatedSymbol" attr="&quot;value&quot; * 2 + 1" graduatedMethod="GraduatedColor"',
    `<ranges>${range(0, 61, 3)}${range(61, 150, 1)}${range(150, 300, 0)}</ranges>${fills}`,
  ),
  areas(
    'rules',
    'type="RuleRenderer"',
    rules(`<rule key="a" filter="&quot;value&quot; &lt; 50" symbol="0"/><rule key="b" filter="&quot;kind&quot; = 'd'" symbol="1"/>
      <rule key="c" filter="ELSE" symbol="2"/>`),
  ),
  areas(
    'rules_nested_scales',
    'type="RuleRenderer"',
    rules(`<rule key="a" filter="&quot;value&quot; &lt; 90"><rule key="b" symbol="3" scalemindenom="1000000" scalemaxdenom="10000000"/>
      <rule key="c" symbol="0" scalemaxdenom="1000000"/></rule><rule key="d" symbol="4" filter="ELSE"/>`),
  ),
  {
    ...{ name: 'rules_lines', group: 'renderers', family: 'LINESTRING' },
    qml: qml(
      'type="RuleRenderer"',
      `<rules key="root"><rule key="a" symbol="0"/><rule key="b" symbol="1" filter="&quot;size&quot; > 2"/></rules>${symbols(
        namedSymbol('0', 'line', simpleLine({ line_width: '1.6' })),
        namedSymbol('1', 'line', simpleLine({ line_width: '0.6', line_color: '255,240,120,255' })),
      )}`,
      { attributes: version },
    ),
  },
  {
    ...{ name: 'symbol_levels', group: 'renderers', family: 'LINESTRING' },
    qml: qml('type="singleSymbol" symbollevels="1"', symbols(roads), { attributes: version }),
  },
  {
    ...{ name: 'feature_order', group: 'renderers', family: 'POLYGON' },
    qml: qml(
      'type="singleSymbol" enableorderby="1"',
      `${symbols(namedSymbol('0', 'fill', simpleFill({ offset: '2,2' })))}<orderby>
        <orderByClause asc="0" nullsFirst="0">"value"</orderByClause></orderby>`,
      { attributes: version },
    ),
  },
  blended('layer_opacity', '<layerOpacity>0.5</layerOpacity>'),
  blended('layer_multiply', '<blendMode>6</blendMode>'),
  blended('layer_screen', '<blendMode>2</blendMode>'),
  blended('layer_overlay', '<blendMode>8</blendMode>'),
  blended('layer_difference', '<blendMode>11</blendMode>'),
  blended('feature_multiply', '<featureBlendMode>6</featureBlendMode>'),
  blended('feature_burn', '<featureBlendMode>7</featureBlendMode>'),
  {
    ...{ name: 'graduated_markers', group: 'renderers', family: 'POINT' },
    qml: qml(
      'type="graduatedSymbol" attr="value" graduatedMethod="GraduatedSize"',
      `<ranges>${range(0, 30, 0)}${range(30, 60, 1)}${range(60, 200, 2)}</ranges>${symbols(
        ...['2', '3.5', '5'].map((size, at) => namedSymbol(String(at), 'marker', simpleMarker({ size }))),
      )}`,
      { attributes: version },
    ),
  },
  {
    ...{ name: 'marker_on_areas', group: 'renderers', family: 'POLYGON' },
    qml: oneSymbol(
      'fill',
      simpleFill() + symbolLayer('CentroidFill', {}, innerSymbol('marker', simpleMarker({ name: 'star' }))),
    ),
  },
]
