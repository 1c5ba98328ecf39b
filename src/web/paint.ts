import type { FeatureLike } from 'ol/Feature'
import CircleStyle from 'ol/style/Circle'
import Fill from 'ol/style/Fill'
import type ImageStyle from 'ol/style/Image'
import RegularShape from 'ol/style/RegularShape'
import Stroke from 'ol/style/Stroke'
import OlStyle, { type StyleFunction } from 'ol/style/Style'
import type { GeometryFamily } from '../contract/geometry.ts'
import { type Color, channelsOf } from '../style/color.ts'
import { compileFilter } from '../style/feature_filter.ts'
import {
  isInScale,
  type Marker,
  type Paint,
  paintOf,
  type Rule,
  type Stroke as StrokeModel,
  type Style,
  type Symbolizer,
} from '../style/page_style.ts'
import { scaleOf } from './tree_walk.ts'

/** Converts a style into an OpenLayers style function. */
export function styleFunctionOf(style: Style, family: GeometryFamily): StyleFunction {
  const rules = style.rules.map((rule) => ({
    rule,
    passes: rule.filter === undefined ? () => true : compileFilter(rule.filter),
    drawn: stylesOf(rule, family),
  }))
  return (feature: FeatureLike, resolution: number) => {
    const scale = scaleOf(resolution)
    const attributes = feature.getProperties()
    return rules.find(({ rule, passes }) => isInScale(rule, scale) && passes(attributes))?.drawn
  }
}

/** Returns the hit radius of points in pixels: half the size of the largest marker. */
export function reachOf({ rules }: Style): number {
  return Math.max(0, ...rules.flatMap(({ symbolizers }) => symbolizers.map(({ size }) => size / 2)))
}

/** Returns the OpenLayers styles of a rule, from bottom to top. */
export function stylesOf({ symbolizers }: Rule, family: GeometryFamily): OlStyle[] {
  return symbolizers.flatMap((symbolizer) => {
    const paint = paintOf(symbolizer, family)
    if (family === 'POINT') return [new OlStyle({ image: markerOf(symbolizer, paint) })]
    const fill =
      paint.fill === undefined ? [] : [new OlStyle({ fill: new Fill({ color: colorOf(paint.fill, paint) }) })]
    return [...fill, ...paint.strokes.map((stroke) => new OlStyle({ stroke: strokeOf(stroke, paint) }))]
  })
}

function strokeOf({ color, width, dash }: StrokeModel, paint: Paint): Stroke {
  return new Stroke({
    color: colorOf(color, paint),
    width,
    lineJoin: 'round',
    ...(dash.length === 0 ? {} : { lineDash: [...dash], lineCap: 'butt' }),
  })
}

interface Shape {
  readonly points: number
  readonly angle: number
  /** Inner radius as a fraction of the outer radius. */
  readonly inner?: number
  /** Outer radius as a fraction of the marker height. */
  readonly radius: number
}

const shapes: Readonly<Record<Exclude<Marker, 'circle'>, Shape>> = {
  square: { points: 4, angle: Math.PI / 4, radius: Math.SQRT1_2 },
  diamond: { points: 4, angle: 0, radius: 0.5 },
  triangle: { points: 3, angle: 0, radius: 0.58 },
  star: { points: 5, angle: 0, inner: 0.4, radius: 0.5 },
  cross: { points: 4, angle: 0, inner: 0, radius: 0.5 },
  x: { points: 4, angle: Math.PI / 4, inner: 0, radius: 0.5 },
}

function markerOf({ marker, size, angle }: Symbolizer, paint: Paint): ImageStyle {
  const [edge] = paint.strokes
  const stroke = edge === undefined ? {} : { stroke: strokeOf(edge, paint) }
  const fill = paint.fill === undefined ? {} : { fill: new Fill({ color: colorOf(paint.fill, paint) }) }
  if (marker === 'circle') return new CircleStyle({ radius: size / 2, ...fill, ...stroke })
  const shape = shapes[marker]
  // A cross has no area: the fill colour draws its arms.
  const lines = shape.inner === 0 && paint.fill !== undefined
  const arms = lines
    ? { stroke: new Stroke({ color: colorOf(paint.fill, paint), width: edge?.width ?? 1 }) }
    : stroke
  return new RegularShape({
    points: shape.points,
    radius: size * shape.radius,
    ...(shape.inner === undefined ? {} : { radius2: size * shape.radius * shape.inner }),
    angle: shape.angle,
    rotation: (-angle * Math.PI) / 180,
    ...fill,
    ...arms,
  })
}

function colorOf(color: Color | undefined, { opacity }: Paint): string {
  const [red, green, blue] = channelsOf(color ?? '#000000')
  return `rgba(${red},${green},${blue},${opacity})`
}
