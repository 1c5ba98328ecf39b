import { dataDefined, namedSymbol, qml, symbolLayer, symbols } from '../qml.ts'
import { type GalleryEntry, simpleMarker, version } from './gallery_entry.ts'

/** Writes a renderer that groups points; `single` is the renderer of the others. */
export function groups(attributes: string, symbol: string, single: string = orange): string {
  return qml(attributes, `${single}${symbol}`, { attributes: version })
}

const orange = `<renderer-v2 type="singleSymbol" symbollevels="0" enableorderby="0">${symbols(
  namedSymbol('0', 'marker', simpleMarker()),
)}</renderer-v2>`

/** Writes letters. */
export function letters(options: Readonly<Record<string, string>>, expression?: string): string {
  const defaults = {
    font: 'DejaVu Sans',
    chr: 'A',
    color: '255,255,255,255',
    size: '3.2',
    outline_width: '0',
  }
  const inner = expression === undefined ? '' : dataDefined({ char: expression })
  return symbolLayer('FontMarker', { ...defaults, ...options }, inner)
}

/** Symbol of a cluster with the number of its features. */
export const counted = namedSymbol(
  'centerSymbol',
  'marker',
  simpleMarker({ color: '40,80,160,255', size: '6' }) + letters({}, '@cluster_size'),
)

const kinds = symbols(
  ...['200,60,50,255', '60,120,190,255', '90,160,80,255'].map((color, at) =>
    namedSymbol(String(at), 'marker', simpleMarker({ color, size: '3' })),
  ),
)
const byKind = `<renderer-v2 type="categorizedSymbol" attr="kind" symbollevels="0" enableorderby="0"><categories>${[
  'a',
  'b',
  'c',
]
  .map((kind, at) => `<category value="${kind}" symbol="${at}" label="" render="true"/>`)
  .join('')}</categories>${kinds}</renderer-v2>`

const centre = namedSymbol(
  'centerSymbol',
  'marker',
  simpleMarker({ name: 'square', color: '0,0,0,255', size: '1' }),
)
const sized = namedSymbol(
  'centerSymbol',
  'marker',
  symbolLayer(
    'SimpleMarker',
    { name: 'circle', color: '40,80,160,255', size: '4', outline_color: '255,255,255,255' },
    dataDefined({
      size: '2 + 2 * @cluster_size',
      fillColor: "coalesce(nullif(@cluster_color, ''), '80,80,80')",
    }),
  ),
)

const displaced = (placement: number, more: string) =>
  `type="pointDisplacement" tolerance="8" toleranceUnit="MM" placement="${placement}" circleColor="60,60,60,255" circleWidth="0.4" labelAttributeName="" ${more}`

const entry = (name: string, file: string): GalleryEntry => ({
  ...{ name, group: 'renderers', family: 'POINT', qml: file },
})

/** Styles that group points which are close together. */
export const groupEntries: readonly GalleryEntry[] = [
  entry('cluster', groups('type="pointCluster" tolerance="6" toleranceUnit="MM"', counted)),
  entry('cluster_color', groups('type="pointCluster" tolerance="40" toleranceUnit="Pixel"', sized, byKind)),
  entry('cluster_map_units', groups('type="pointCluster" tolerance="30000" toleranceUnit="MapUnit"', sized)),
  entry('displaced_ring', groups(displaced(0, 'circleRadiusAddition="1"'), centre, byKind)),
  entry('displaced_rings', groups(displaced(1, 'circleRadiusAddition="0"'), centre, byKind)),
  entry('displaced_grid', groups(displaced(2, 'circleRadiusAddition="0"'), centre, byKind)),
  {
    ...{ name: 'letters', group: 'markers', family: 'POINT' },
    qml: qml(
      'type="singleSymbol"',
      symbols(
        namedSymbol(
          '0',
          'marker',
          letters({ color: '40,60,120,255', size: '7', font_style: 'Bold', angle: '30', chr: 'Gk' }),
        ),
      ),
      { attributes: version },
    ),
  },
]
