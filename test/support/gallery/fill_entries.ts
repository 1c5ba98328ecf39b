import { brushes } from '../../../src/style/symbol_layer.ts'
import { dataDefined, symbolLayer } from '../qml.ts'
import {
  type FileParts,
  type GalleryEntry,
  innerSymbol,
  type Options,
  oneSymbol,
  propLayer,
  simpleFill,
  simpleLine,
  simpleMarker,
} from './gallery_entry.ts'

const entry = (name: string, layers: string, parts?: FileParts): GalleryEntry => ({
  ...{ name, group: 'fills', family: 'POLYGON' },
  qml: oneSymbol('fill', layers, parts),
})

const outline = symbolLayer('SimpleLine', { line_color: '60,60,60,255', line_width: '0.3' })
const thin = innerSymbol('line', simpleLine({ line_width: '0.4', line_color: '30,90,150,255' }))
const dot = innerSymbol('marker', simpleMarker({ size: '2', outline_style: 'no' }))
const hatch = (options: Options, line = thin) => symbolLayer('LinePatternFill', options, line) + outline
const dots = (options: Options, marker = dot) => symbolLayer('PointPatternFill', options, marker) + outline
const square = { distance_x: '4', distance_y: '4' }

/** Fill symbols. */
export const fillEntries: readonly GalleryEntry[] = [
  entry('fill_simple', simpleFill()),
  entry(
    'fill_prop_form',
    propLayer('SimpleFill', {
      color: '240,200,120,255',
      outline_color: '120,60,0,255',
      outline_width: '0.5',
    }),
  ),
  entry('fill_no_outline', simpleFill({ outline_style: 'no' })),
  entry('fill_hairline', simpleFill({ outline_width: '0' })),
  entry('fill_outline_only', simpleFill({ style: 'no', outline_width: '1.2', joinstyle: 'miter' })),
  entry(
    'fill_dashed_outline',
    simpleFill({ outline_style: 'dash', outline_width: '0.6', joinstyle: 'round' }),
  ),
  ...brushes
    .filter((brush) => brush !== 'solid' && brush !== 'no')
    .map((brush) => entry(`fill_brush_${brush}`, simpleFill({ style: brush, color: '160,50,60,255' }))),
  entry('fill_offset', simpleFill({ offset: '1.5,-1', outline_style: 'no' }) + outline),
  entry('fill_translucent', simpleFill({ color: '40,90,200,120', outline_width: '1.5' }), { alpha: 0.7 }),
  entry(
    'fill_data_defined',
    simpleFill(
      {},
      dataDefined({ fillColor: '"color"', outlineColor: "'#101010'", outlineWidth: '"size" / 4' }),
    ),
  ),
  entry('fill_line_pattern', hatch({ angle: '45', distance: '2' })),
  entry('fill_line_pattern_flat', hatch({ angle: '0', distance: '1.7', offset: '0.6' })),
  entry('fill_line_pattern_steep', hatch({ angle: '120', distance: '3' })),
  entry(
    'fill_line_pattern_cross',
    symbolLayer('LinePatternFill', { angle: '30', distance: '2.5' }, thin) +
      hatch({ angle: '-60', distance: '2.5' }),
  ),
  entry(
    'fill_line_pattern_dashed',
    hatch(
      { angle: '20', distance: '2.2' },
      innerSymbol('line', simpleLine({ line_width: '0.5', line_style: 'dash' })),
    ),
  ),
  entry(
    'fill_line_pattern_markers',
    hatch(
      { angle: '15', distance: '4' },
      innerSymbol('line', symbolLayer('MarkerLine', { interval: '4', placements: 'Interval' }, dot)),
    ),
  ),
  entry('fill_point_pattern', dots(square)),
  entry('fill_point_pattern_displaced', dots({ ...square, displacement_x: '2' })),
  entry('fill_point_pattern_offset', dots({ ...square, offset_x: '1', offset_y: '0.5' })),
  entry('fill_point_pattern_turned', dots({ ...square, angle: '25' })),
  entry('fill_point_pattern_whole', dots({ ...square, clip_mode: 'completely_within' })),
  entry('fill_point_pattern_centroid', dots({ ...square, clip_mode: 'centroid_within' })),
  entry('fill_point_pattern_unclipped', dots({ ...square, clip_mode: 'no_clipping' })),
  entry('fill_centroid', simpleFill() + symbolLayer('CentroidFill', { point_on_all_parts: '1' }, dot)),
  entry(
    'fill_centroid_surface',
    simpleFill() + symbolLayer('CentroidFill', { point_on_surface: '1', point_on_all_parts: '0' }, dot),
  ),
  entry(
    'fill_rings',
    simpleFill({ outline_style: 'no' }) +
      simpleLine({ ring_filter: '1', line_width: '0.8' }) +
      simpleLine({ ring_filter: '2', line_width: '0.8', line_color: '200,30,30,255' }),
  ),
  entry(
    'fill_outline_markers',
    simpleFill({ outline_style: 'no' }) +
      symbolLayer('MarkerLine', { interval: '4', placements: 'Interval', rotate: '1' }, dot),
  ),
]
