import type { GeometryFamily } from '../../../src/contract/geometry.ts'

/** A style in MapServer XML of the gallery. */
export interface MapserverEntry {
  readonly name: string
  readonly group: string
  readonly family: GeometryFamily
  /** Elements of the layer. */
  readonly layer: string
  /** Side of the blocks whose means are compared, in pixels. @default 1 */
  readonly blockSize?: number
}

const color = (name: string, [red, green, blue]: readonly [number, number, number]) =>
  `<${name} red="${red}" green="${green}" blue="${blue}"/>`
const orange = color('color', [230, 120, 40])
const blue = color('color', [40, 70, 160])
const green = color('color', [150, 190, 130])
const dark = color('outlinecolor', [40, 40, 60])

const entryOf =
  (family: GeometryFamily, group: string) =>
  (name: string, ...styles: readonly string[]): MapserverEntry => ({
    ...{ name: `mapserver_${name}`, group, family },
    layer: `<class>${styles.map((style) => `<style>${style}</style>`).join('')}</class>`,
  })
const point = entryOf('POINT', 'markers')
const line = entryOf('LINESTRING', 'lines')
const area = entryOf('POLYGON', 'fills')

const symbol = (name: string, size: number) => `<symbol>std:${name}</symbol><size>${size}</size>`

/** Styles that MapServer and our renderer draw. */
export const mapserverEntries: readonly MapserverEntry[] = [
  point('circle', `${orange}${dark}${symbol('circle', 12)}`),
  point('circle_plain', `${orange}${symbol('circle', 7)}`),
  point('rectangle', `${orange}${dark}${symbol('rectangle', 12)}<width>2</width>`),
  point('rectangle_turned', `${orange}${symbol('rectangle', 12)}<angle>30</angle>`),
  point('diamond', `${orange}${dark}${symbol('diamond', 14)}`),
  point('triangle', `${orange}${dark}${symbol('triangle', 14)}<angle>20</angle>`),
  point('star', `${orange}${symbol('star', 16)}`),
  point('cross', `${blue}${symbol('cross', 13)}<width>2</width>`),
  point('xcross', `${blue}${symbol('xcross', 12)}<width>2</width>`),
  point('offset', `${orange}${symbol('rectangle', 8)}<offset x="4" y="-3"/>`),
  point('opacity', `${blue}${symbol('circle', 26)}<opacity>50</opacity>`),
  point('two_styles', `${blue}${symbol('circle', 14)}`, `${orange}${symbol('star', 12)}`),
  line('line', `${blue}<width>3</width>`),
  line('line_thin', blue),
  line('line_half', `${blue}<width>0.5</width>`),
  line('line_casing', `${orange}${dark}<width>4</width><outlinewidth>1</outlinewidth>`),
  line('line_butt', `${blue}<width>8</width><linecap>butt</linecap><linejoin>miter</linejoin>`),
  line('line_square', `${blue}<width>8</width><linecap>square</linecap><linejoin>bevel</linejoin>`),
  line('line_dash', `${blue}<width>3</width><linecap>butt</linecap><pattern>9 5 2 5</pattern>`),
  line(
    'line_offset',
    `${blue}<width>2</width>`,
    `${orange}<width>1</width><offset x="5" y="-99"/>`,
    `${orange}<width>1</width><offset x="-5" y="-99"/>`,
  ),
  line('line_markers', `${blue}`, `${orange}${symbol('triangle', 9)}<gap>-20</gap>`),
  line('line_markers_upright', `${blue}`, `${orange}${symbol('rectangle', 7)}<gap>18</gap>`),
  line('line_markers_start', blue, `${orange}${symbol('circle', 7)}<gap>-18</gap><initialgap>4</initialgap>`),
  area('fill', `${green}${dark}`),
  area('fill_wide_outline', `${green}${dark}<width>4</width>`),
  area('fill_opacity', `${blue}<opacity>40</opacity>`),
  area('hatch', `${blue}${symbol('hatch', 8)}<angle>45</angle>`, `${dark}`),
  area('hatch_flat', `${blue}${symbol('hatch', 6)}<angle>0</angle><width>2</width>`, `${dark}`),
  area(
    'hatch_cross',
    `${blue}${symbol('hatch', 9)}<angle>30</angle>`,
    `${blue}${symbol('hatch', 9)}<angle>120</angle>`,
  ),
  { ...area('fill_markers', `${orange}${symbol('circle', 6)}<gap>12</gap>`, dark), blockSize: 16 },
  {
    ...{ name: 'mapserver_classes', group: 'classes', family: 'POLYGON' },
    layer: `<classitem>kind</classitem><class><expression>{a,c}</expression><style>${blue}</style></class>
      <class><expression>"b"</expression><style>${orange}</style></class><class><style>${green}</style></class>`,
  },
  {
    ...{ name: 'mapserver_expressions', group: 'classes', family: 'LINESTRING' },
    layer: `<class><expression>([value] &gt; 30 and "[name]" ~ "e$")</expression><style>${blue}<width>4</width></style></class>
      <class><expression>([value] &lt; 30)</expression><style>${orange}<width>2</width></style></class>`,
  },
]
