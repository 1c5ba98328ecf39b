import { dataDefined, symbolLayer } from '../qml.ts'
import {
  type FileParts,
  type GalleryEntry,
  innerSymbol,
  type Options,
  oneSymbol,
  propLayer,
  simpleLine,
  simpleMarker,
} from './gallery_entry.ts'

const entry = (name: string, layers: string, parts?: FileParts): GalleryEntry => ({
  ...{ name, group: 'lines', family: 'LINESTRING' },
  qml: oneSymbol('line', layers, parts),
})

const arrow = innerSymbol(
  'marker',
  simpleMarker({ name: 'filled_arrowhead', size: '2.4', color: '200,30,30,255', outline_style: 'no' }),
)

const markers = (options: Options, marker = arrow) =>
  simpleLine({ line_width: '0.26', line_color: '120,120,120,255' }) +
  symbolLayer('MarkerLine', { rotate: '1', placement: 'interval', interval: '5', ...options }, marker)

/** Line symbols. */
export const lineEntries: readonly GalleryEntry[] = [
  entry('line_simple', simpleLine()),
  entry('line_hairline', simpleLine({ line_width: '0' })),
  entry('line_prop_form', propLayer('SimpleLine', { line_color: '190,60,20,255', line_width: '1' })),
  ...(['miter', 'bevel', 'round'] as const).map((joinstyle) =>
    entry(`line_join_${joinstyle}`, simpleLine({ joinstyle, line_width: '2', capstyle: 'flat' })),
  ),
  ...(['flat', 'square', 'round'] as const).map((capstyle) =>
    entry(`line_cap_${capstyle}`, simpleLine({ capstyle, line_width: '1.8' })),
  ),
  ...(['dash', 'dot', 'dash dot', 'dash dot dot'] as const).map((line_style) =>
    entry(`line_style_${line_style.replaceAll(' ', '_')}`, simpleLine({ line_style, line_width: '0.8' })),
  ),
  entry(
    'line_custom_dash',
    simpleLine({
      use_custom_dash: '1',
      customdash: '4;1.5;1;1.5',
      capstyle: 'flat',
      dash_pattern_offset: '2',
      line_width: '0.7',
    }),
  ),
  entry(
    'line_hairline_dash',
    simpleLine({ use_custom_dash: '1', customdash: '3;2', line_width: '0', capstyle: 'flat' }),
  ),
  entry(
    'line_offset',
    simpleLine() +
      simpleLine({ offset: '1.5', line_color: '200,50,40,255', line_width: '0.4' }) +
      simpleLine({ offset: '-1.5', line_color: '40,140,60,255', line_width: '0.4' }),
  ),
  entry(
    'line_casing',
    simpleLine({ line_width: '2', line_color: '40,40,40,255', joinstyle: 'round', capstyle: 'round' }) +
      simpleLine({ line_width: '1.2', line_color: '255,220,120,255', joinstyle: 'round', capstyle: 'round' }),
  ),
  entry('line_translucent', simpleLine({ line_width: '2.4', line_color: '200,30,30,255' }), { alpha: 0.4 }),
  entry('line_map_units', simpleLine({ line_width: '4000', line_width_unit: 'MapUnit' })),
  entry(
    'line_data_defined',
    simpleLine({}, dataDefined({ outlineColor: '"color"', outlineWidth: '"size" * 0.4' })),
  ),
  entry('line_markers_interval', markers({})),
  entry('line_markers_offset_along', markers({ offset_along_line: '2.5', interval: '6' })),
  entry('line_markers_offset', markers({ offset: '1.2' })),
  entry('line_markers_not_rotated', markers({ rotate: '0' })),
  entry('line_markers_vertex', markers({ placement: 'vertex' })),
  entry('line_markers_first', markers({ placement: 'firstvertex' })),
  entry('line_markers_last', markers({ placement: 'lastvertex' })),
  entry('line_markers_first_offset', markers({ placement: 'firstvertex', offset_along_line: '3' })),
  entry('line_markers_central_point', markers({ placement: 'centralpoint' })),
  entry('line_markers_segment_center', markers({ placement: 'segmentcenter' })),
  entry(
    'line_railway',
    simpleLine({ line_width: '0.9' }) +
      symbolLayer(
        'MarkerLine',
        { interval: '3', rotate: '1', placement: 'interval' },
        innerSymbol('marker', simpleMarker({ name: 'line', size: '3', outline_width: '0.5' })),
      ),
  ),
]
