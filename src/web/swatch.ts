import type { GeometryFamily } from '../contract/geometry.ts'
import { type Paint, paintOf, type Rule, type Symbolizer } from '../style/style_model.ts'
import { svgElement } from './element.ts'

const width = 22
const height = 16
const largest = 13

/** Shows how a rule draws, on a small sample of the shapes it is for. */
export function swatchOf({ symbolizers }: Rule, family: GeometryFamily): SVGElement {
  const parts = symbolizers.flatMap((symbolizer) => drawSample(symbolizer, family))
  return svgElement(
    'svg',
    { class: 'swatch', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' },
    ...parts,
  )
}

function drawSample(symbolizer: Symbolizer, family: GeometryFamily): SVGElement[] {
  const paint = paintOf(symbolizer, family)
  if (family === 'POINT') return [paintPath(markerPath(symbolizer), markerPaint(symbolizer, paint))]
  if (family === 'POLYGON') return [paintPath('M2 2H20V14H2Z', paint)]
  return paint.strokes.map((stroke) =>
    paintPath('M2 12C7 12 7 4 12 4S17 9 20 5', { strokes: [stroke], opacity: paint.opacity }),
  )
}

/** A cross has no inside: what would fill it draws its arms. */
function markerPaint({ marker, fill, width }: Symbolizer, paint: Paint): Paint {
  if ((marker !== 'cross' && marker !== 'x') || fill === undefined) return paint
  return { strokes: [{ color: fill, width, dash: [] }], opacity: paint.opacity }
}

function paintPath(d: string, { fill, strokes, opacity }: Paint): SVGElement {
  const [stroke] = strokes
  return svgElement('path', {
    d,
    fill: fill ?? 'none',
    stroke: stroke?.color ?? 'none',
    'stroke-width': Math.min(4, stroke?.width ?? 0),
    'stroke-dasharray': stroke?.dash.length ? stroke.dash.join(' ') : undefined,
    opacity,
  })
}

/** Outline of a marker around the middle of the sample; large ones are shown smaller than they are. */
function markerPath({ marker, size }: Symbolizer): string {
  const r = Math.min(size, largest) / 2
  const [x, y] = [width / 2, height / 2]
  switch (marker) {
    case 'circle':
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`
    case 'square':
      return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`
    case 'diamond':
      return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`
    case 'triangle':
      return `M${x} ${y - r}L${x + r} ${y + r * 0.75}H${x - r}Z`
    case 'cross':
      return `M${x - r} ${y}H${x + r}M${x} ${y - r}V${y + r}`
    case 'x':
      return `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`
    case 'star':
      return starPath(x, y, r)
  }
}

function starPath(x: number, y: number, r: number): string {
  const corners = Array.from({ length: 10 }, (_, at) => {
    const [angle, reach] = [(at * Math.PI) / 5, at % 2 === 0 ? r : r * 0.4]
    return `${x + reach * Math.sin(angle)} ${y - reach * Math.cos(angle)}`
  })
  return `M${corners.join('L')}Z`
}
