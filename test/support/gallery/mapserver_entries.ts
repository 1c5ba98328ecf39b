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
  /** Largest accepted part of pixels that are off, from 0 to 1. @default 0.01 */
  readonly accepted?: number
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

/** Hatches are aligned to the image in MapServer, and to the world by our renderer. */
const hatch = (...[name, ...styles]: Parameters<typeof area>) => ({ ...area(name, ...styles), blockSize: 16 })

const symbol = (name: string, size: number) => `<symbol>std:${name}</symbol><size>${size}</size>`

/** A symbol that maps define by its points. */
export interface ShapeEntry {
  readonly name: string
  readonly points: string
  readonly isFilled: boolean
}

/** Shapes that are not as high as wide, have a part inside, or have no area. */
export const shapeEntries: readonly ShapeEntry[] = [
  { name: 'house', points: '0 3 0 1 2 0 4 1 4 3 0 3', isFilled: true },
  { name: 'frame', points: '0 0 4 0 4 4 0 4 0 0 -99 -99 1 1 1 3 3 3 3 1 1 1', isFilled: true },
  { name: 'tee', points: '0 0 2 0 -99 -99 1 0 1 3', isFilled: false },
]

/** Definitions of the shapes in MapServer XML. */
export const shapeDefinitions = shapeEntries
  .map(
    ({ name, points, isFilled }) =>
      `<symbol><name>${name}</name><type>vector</type><points>${points}</points><filled>${isFilled}</filled></symbol>`,
  )
  .join('')

const shape = (name: string, size: number) => `<symbol>${name}</symbol><size>${size}</size>`

/** Images of shapes lie on halves of pixels in our renderer. */
const coarse = (entry: MapserverEntry): MapserverEntry => ({ ...entry, blockSize: 4 })

/** Styles that MapServer and our renderer draw. */
export const mapserverEntries: readonly MapserverEntry[] = [
  coarse(point('shape', `${orange}${shape('house', 15)}`)),
  coarse(point('shape_outline', `${orange}${dark}${shape('house', 24)}<width>2</width>`)),
  coarse(point('shape_hole', `${blue}${shape('frame', 20)}<angle>30</angle>`)),
  coarse(point('shape_lines', `${blue}${shape('tee', 18)}<width>2</width>`)),
  coarse(point('shape_opacity', `${blue}${shape('house', 24)}<opacity>50</opacity><offset x="4" y="-3"/>`)),
  coarse(line('shape_line', `${orange}${shape('house', 9)}<gap>24</gap>`)),
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
  {
    ...line(
      'line_offset',
      `${blue}<width>2</width>`,
      `${orange}<width>1</width><offset x="5" y="-99"/>`,
      `${orange}<width>1</width><offset x="-5" y="-99"/>`,
    ),
    // Where a ring starts and ends, MapServer does not join its offset line.
    accepted: 0.03,
  },
  line('line_markers', `${blue}`, `${orange}${symbol('triangle', 9)}<gap>-20</gap>`),
  line('line_markers_upright', `${blue}`, `${orange}${symbol('rectangle', 7)}<gap>18</gap>`),
  line('line_markers_start', blue, `${orange}${symbol('circle', 7)}<gap>-18</gap><initialgap>4</initialgap>`),
  area('fill', `${green}${dark}`),
  area('fill_wide_outline', `${green}${dark}<width>4</width>`),
  {
    ...area('outline_offset', green, `${color('outlinecolor', [230, 120, 40])}<offset x="5" y="-99"/>`),
    // MapServer shifts outlines to the right of their direction, and does not join them where they start.
    accepted: 0.02,
  },
  area('fill_opacity', `${blue}<opacity>40</opacity>`),
  hatch('hatch', `${blue}${symbol('hatch', 8)}<angle>45</angle>`, `${dark}`),
  hatch('hatch_flat', `${blue}${symbol('hatch', 6)}<angle>0</angle><width>2</width>`, `${dark}`),
  hatch(
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
