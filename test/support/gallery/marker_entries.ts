import { dataDefined, symbolLayer } from '../qml.ts'
import { type FileParts, type GalleryEntry, oneSymbol, propLayer, simpleMarker } from './gallery_entry.ts'

const entry = (name: string, layers: string, parts?: FileParts): GalleryEntry => ({
  ...{ name, group: 'markers', family: 'POINT' },
  qml: oneSymbol('marker', layers, parts),
})

const image = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="80" viewBox="0 0 100 80">
<path d="M10 70L50 8L90 70Z" fill="param(fill) #f00" fill-opacity="param(fill-opacity)" stroke="param(outline) #000"
 stroke-opacity="param(outline-opacity)" stroke-width="param(outline-width) 4"/>
<circle cx="50" cy="50" r="10" fill="#fff"/></svg>`
const embedded = `base64:${Buffer.from(image).toString('base64')}`

/** Marker symbols. */
export const markerEntries: readonly GalleryEntry[] = [
  entry('marker_circle', simpleMarker()),
  entry('marker_all_names', simpleMarker({ size: '4.4' }, dataDefined({ name: '"shape"' }))),
  entry(
    'marker_all_names_small_hairline',
    simpleMarker({ size: '3', outline_width: '0' }, dataDefined({ name: '"shape"' })),
  ),
  entry(
    'marker_all_names_rotated',
    simpleMarker(
      { size: '4', outline_style: 'no', color: '50,90,160,255' },
      dataDefined({ name: '"shape"', angle: '"turn"' }),
    ),
  ),
  entry('marker_prop_form', propLayer('SimpleMarker', { name: 'square', color: '200,40,90,255', size: '4' })),
  entry('marker_no_outline', simpleMarker({ name: 'diamond', outline_style: 'no' })),
  entry(
    'marker_dashed_outline',
    simpleMarker({ name: 'square', size: '4.6', outline_style: 'dash', outline_width: '0.4' }),
  ),
  entry(
    'marker_joins',
    simpleMarker({ name: 'star', size: '5', outline_width: '0.8', joinstyle: 'miter' }) +
      simpleMarker({ name: 'triangle', size: '2.4', outline_width: '0.6', joinstyle: 'round' }),
  ),
  entry(
    'marker_offset_anchor',
    simpleMarker({ name: 'square', size: '2.4', horizontal_anchor_point: '0', vertical_anchor_point: '2' }) +
      simpleMarker({ name: 'triangle', size: '2.4', offset: '-1.5,1', angle: '30' }),
  ),
  entry(
    'marker_units',
    simpleMarker({ size: '11', size_unit: 'Pixel', outline_width: '1', outline_width_unit: 'Point' }),
  ),
  entry('marker_map_units', simpleMarker({ size: '12000', size_unit: 'MapUnit', outline_width: '0.5' })),
  entry(
    'marker_data_defined',
    simpleMarker(
      { name: 'arrow' },
      dataDefined({
        size: '"size" * 1.3',
        angle: '"turn"',
        fillColor: '"color"',
        outlineColor: "'#202020'",
        outlineWidth: '"size" / 10',
      }),
    ),
  ),
  entry('marker_opacity', simpleMarker({ size: '9', color: '40,120,200,128' }), { alpha: 0.6 }),
  entry(
    'marker_layers',
    simpleMarker({ size: '5', color: '255,255,255,255' }) +
      simpleMarker({ size: '3', color: '200,30,30,255' }) +
      simpleMarker({ name: 'cross', size: '5' }),
  ),
  entry(
    'marker_svg',
    symbolLayer('SvgMarker', {
      name: embedded,
      color: '60,150,90,255',
      size: '5',
      outline_color: '20,40,30,255',
      outline_width: '0.3',
    }),
  ),
  entry(
    'marker_svg_rotated',
    symbolLayer(
      'SvgMarker',
      { name: embedded, color: '60,90,190,255', outline_color: '20,40,30,255', outline_width: '0.2' },
      dataDefined({ size: '"size" + 2', angle: '"turn"' }),
    ),
  ),
]
