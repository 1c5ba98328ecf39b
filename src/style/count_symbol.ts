import { type Color, channelsOf } from './color.ts'
import { parseExpression } from './expression/expression_parse.ts'
import type { MapSymbol, SimpleMarker, TextMarker } from './symbol_layer.ts'

const place = { pass: 0, angle: 0, offset: [0, 0], anchor: { x: 'center', y: 'center' } } as const

/** Returns the symbol of groups: a circle with their number of points, as wide as the number needs. */
export function countSymbol(color: Color): MapSymbol {
  const opaque: Color = `#${color.slice(1, 7)}`
  const [red, green, blue] = channelsOf(opaque)
  const isLight = 0.299 * red + 0.587 * green + 0.114 * blue > 160
  const text: Color = isLight ? '#202020' : '#ffffff'
  const circle: SimpleMarker = {
    ...place,
    kind: 'marker',
    shape: 'circle',
    fill: opaque,
    stroke: {
      ...{ color: text, width: 1.5, dash: [], isDashRelative: false, dashOffset: 0 },
      ...{ join: 'round', cap: 'round' },
    },
    size: 22,
    dataDefined: { size: parseExpression('14 + 8 * length(to_string(@cluster_size))') },
  }
  const number: TextMarker = {
    ...place,
    kind: 'text',
    text: '',
    font: { family: 'sans-serif', weight: 700, isItalic: false },
    fill: text,
    size: 12,
    dataDefined: { text: parseExpression('to_string(@cluster_size)') },
  }
  return { type: 'marker', opacity: 1, layers: [circle, number] }
}
