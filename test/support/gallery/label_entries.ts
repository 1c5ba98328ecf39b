import { namedSymbol } from '../qml.ts'
import {
  type GalleryEntry,
  type Options,
  oneSymbol,
  simpleFill,
  simpleLine,
  simpleMarker,
} from './gallery_entry.ts'

/** Callouts: without their letters, which every program draws in its own way. */
interface Callout {
  readonly type?: 'simple' | 'manhattan'
  readonly options?: Options
  readonly line?: Options
  /** Attributes of the placement. */
  readonly placement: string
  /** Expression of the text. */
  readonly text?: string
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function labeling({
  type = 'simple',
  options = {},
  line = {},
  placement,
  text = "'label'",
}: Callout): string {
  const symbol = namedSymbol('symbol', 'line', simpleLine({ line_color: '190,30,60,255', ...line }))
  const all = { enabled: '1', ...options, lineSymbol: escapeXml(symbol) }
  const list = Object.entries(all).map(
    ([name, value]) => `<Option name="${name}" value="${value}" type="QString"/>`,
  )
  return `<labeling type="simple"><settings calloutType="${type}">
    <text-style fieldName="${text}" isExpression="1" fontFamily="DejaVu Sans" fontSize="10" fontSizeUnit="Point" textOpacity="0"/>
    <placement ${placement}/>
    <rendering displayAll="1" drawLabels="1" obstacle="0"/>
    <callout type="${type}"><Option type="Map">${list.join('')}</Option></callout>
  </settings></labeling>`
}

const moved = (x: number, y: number) =>
  `placement="1" quadOffset="4" xOffset="${x}" yOffset="${y}" offsetUnits="MM" offsetType="0"`

const points = (callout: Callout) =>
  oneSymbol('marker', simpleMarker(), { attributes: on, rest: labeling(callout) })
const areas = (callout: Callout) =>
  oneSymbol('fill', simpleFill(), { attributes: on, rest: labeling(callout) })

/** Features whose labels lie in the image, and far from each other. */
const some = {
  areas: "if(value in (80, 99), 'label', NULL)",
  left: "if(name in ('P8', 'P10', 'P22', 'P24'), 'label', NULL)",
  right: "if(name in ('P10', 'P12', 'P24', 'P26'), 'label', NULL)",
} as const

const on = 'labelsEnabled="1"'

/** Labels of which only the buffer is seen: every program draws letters in its own way. */
const buffered = ({ size, placement, text }: { size: string; placement: string; text: string }) =>
  oneSymbol('marker', simpleMarker({ size: '1.2' }), {
    attributes: on,
    rest: `<labeling type="simple"><settings calloutType="simple">
    <text-style fieldName="${text}" isExpression="1" fontFamily="DejaVu Sans" fontSize="10" fontSizeUnit="Point" textOpacity="0">
      <text-buffer bufferDraw="1" ${size} bufferColor="190,30,60,255" bufferOpacity="1" bufferJoinStyle="128" bufferNoFill="1"/>
    </text-style>
    <text-format multilineAlign="3"/>
    <placement ${placement}/>
    <rendering displayAll="1" drawLabels="1" obstacle="0"/>
  </settings></labeling>`,
  })

const buffers = {
  mm: 'bufferSize="3" bufferSizeUnits="MM"',
  point: 'bufferSize="4" bufferSizeUnits="Point"',
  pixel: 'bufferSize="5" bufferSizeUnits="Pixel"',
} as const

const lines = {
  left: some.left.replace("'label'", "'l' || '\\n' || 'label'"),
  right: some.right.replace("'label'", "'l' || '\\n' || 'label'"),
} as const

/** Buffers of labels, and lines between labels and their features. */
export const labelEntries: readonly GalleryEntry[] = [
  {
    ...{ name: 'callout_simple', group: 'labels', family: 'POINT' },
    qml: points({ placement: moved(9, -6), text: some.left }),
  },
  {
    ...{ name: 'callout_manhattan', group: 'labels', family: 'POINT' },
    qml: points({ type: 'manhattan', placement: moved(11, 8), text: some.left, line: { line_width: '0.4' } }),
  },
  {
    ...{ name: 'callout_gaps', group: 'labels', family: 'POINT' },
    qml: points({
      placement: moved(-10, 7),
      text: some.right,
      options: { offsetFromAnchor: '2', offsetFromLabel: '1', labelAnchorPoint: 'centroid', minLength: '3' },
      line: { use_custom_dash: '1', customdash: '2;1', customdash_unit: 'MM', capstyle: 'flat' },
    }),
  },
  {
    ...{ name: 'callout_corner', group: 'labels', family: 'POINT' },
    qml: points({ placement: moved(12, -5), text: some.left, options: { labelAnchorPoint: 'bl' } }),
  },
  {
    ...{ name: 'callout_areas', group: 'labels', family: 'POLYGON' },
    qml: areas({ placement: moved(-14, -9), text: some.areas }),
  },
  {
    ...{ name: 'callout_edges', group: 'labels', family: 'POLYGON' },
    qml: areas({
      ...{ placement: moved(-12, -14), text: some.areas },
      options: { anchorPoint: 'point_on_exterior' },
    }),
  },
  ...(['mm', 'point', 'pixel'] as const).map((unit) => ({
    ...({ name: `label_buffer_${unit}`, group: 'labels', family: 'POINT' } as const),
    qml: buffered({ size: buffers[unit], placement: moved(7, -5), text: some.left }),
  })),
  {
    ...{ name: 'label_lines_right', group: 'labels', family: 'POINT' },
    qml: buffered({ size: buffers.pixel, placement: 'placement="1" quadOffset="5"', text: lines.left }),
  },
  {
    ...{ name: 'label_lines_left', group: 'labels', family: 'POINT' },
    qml: buffered({ size: buffers.pixel, placement: 'placement="1" quadOffset="3"', text: lines.right }),
  },
]
