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
const arrow = innerSymbol(
  'marker',
  simpleMarker({ name: 'filled_arrowhead', size: '2.5', outline_style: 'no' }),
)
const hairline = innerSymbol('line', simpleLine({ line_width: '0', line_color: '150,60,20,255' }))

/** QGIS 3.22 rounds distances and angles to whole pixels. */
const pixels = { distance_unit: 'Pixel', offset_unit: 'Pixel' }
const hatch = (options: Options, line = thin) =>
  symbolLayer('LinePatternFill', { ...pixels, ...options }, line) + outline
const dots = (options: Options) =>
  symbolLayer('PointPatternFill', { ...unitsOf(options), ...options }, dot) + outline

const unitsOf = (options: Options): Options =>
  Object.fromEntries(Object.keys(options).map((name) => [`${name}_unit`, 'Pixel']))

const pattern = (name: string, layers: string): GalleryEntry => ({ ...entry(name, layers), blockSize: 16 })

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
  pattern('fill_line_pattern', hatch({ angle: '45', distance: '8.4853' })),
  pattern('fill_line_pattern_flat', hatch({ angle: '0', distance: '6' })),
  pattern('fill_line_pattern_upright', hatch({ angle: '90', distance: '9', offset: '3' })),
  pattern('fill_line_pattern_steep', hatch({ angle: '126.8699', distance: '7.2' })),
  pattern(
    'fill_line_pattern_cross',
    symbolLayer('LinePatternFill', { ...pixels, angle: '36.8699', distance: '9.6' }, thin) +
      hatch({ angle: '-53.1301', distance: '9.6' }),
  ),
  pattern('fill_line_pattern_hairline', hatch({ angle: '0', distance: '5' }, hairline)),
  pattern('fill_point_pattern', dots({ distance_x: '14', distance_y: '12' })),
  pattern(
    'fill_point_pattern_displaced',
    dots({ distance_x: '14', distance_y: '14', displacement_x: '7', displacement_y: '0' }),
  ),
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
    'fill_outline_offset',
    simpleFill({ outline_style: 'no' }) +
      simpleLine({ offset: '1', line_width: '0.4' }) +
      simpleLine({ offset: '-1', line_width: '0.4', line_color: '200,30,30,255' }),
  ),
  entry(
    'fill_outline_markers_offset',
    simpleFill({ outline_style: 'no' }) +
      symbolLayer('MarkerLine', { interval: '6', placement: 'interval', rotate: '1', offset: '1.5' }, arrow),
  ),
  entry(
    'fill_outline_markers',
    simpleFill({ outline_style: 'no' }) +
      symbolLayer('MarkerLine', { interval: '4', placement: 'interval', rotate: '1' }, dot),
  ),
]
