import sharp from 'sharp'
import { magnifySymbol } from '../../style/scale_layer.ts'
import { measureSvg } from '../../style/svg_image.ts'
import type { SvgMarker } from '../../style/symbol_layer.ts'
import type { AddWork } from '../draw/draw_work.ts'
import type { PixelSymbol } from '../draw/pixel_symbol.ts'
import { prepareStyle } from '../draw/prepare_style.ts'
import { type SvgImages, svgKey, svgScale } from '../draw/svg_marker.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import { scalePixel } from '../raster/pixel.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import type { DrawJob, FeatureJobLayer } from './draw_job.ts'
import { prepareGroups } from './group_layer.ts'
import { groupSimilar } from './similar_markers.ts'

/** Maximum width and height of the image of a marker, in pixels of the marker; larger markers are scaled up. */
const maxSide = 512

/** Work of an image, of an element of it, and of a pixel of it, in pixels that are blended. */
const imageWork = 50_000
const elementWork = 1000
const pixelWork = 4

/** Draws the embedded SVG images of all markers of a job, and of its placed labels. An image that cannot be drawn is left out. */
export async function loadSvgImages(
  job: DrawJob,
  {
    placed = [],
    addWork = () => undefined,
  }: { readonly placed?: readonly PlacedLabel[]; readonly addWork?: AddWork } = {},
): Promise<SvgImages> {
  const markers = new Map<string, SvgMarker<number>>()
  for (const layer of job.layers) if ('features' in layer) collectMarkers(layer, job, markers)
  for (const { callout } of placed)
    if (callout !== undefined) addMarkers(magnifySymbol(callout.symbol, job.pixelRatio ?? 1), markers)
  return drawMarkers(markers, addWork)
}

/** Draws the embedded SVG images of symbols. An image that cannot be drawn is left out. */
export function drawSvgImages(symbols: Iterable<PixelSymbol>, addWork: AddWork): Promise<SvgImages> {
  const markers = new Map<string, SvgMarker<number>>()
  for (const symbol of symbols) addMarkers(symbol, markers)
  return drawMarkers(markers, addWork)
}

async function drawMarkers(
  markers: ReadonlyMap<string, SvgMarker<number>>,
  addWork: AddWork,
): Promise<SvgImages> {
  const images = new Map<string, Surface>()
  for (const { drawn, keys } of groupSimilar(markers)) {
    const measure = 'svg' in drawn.source ? measureSvg(drawn.source.svg) : undefined
    if (measure === undefined) continue
    const side = Math.min(maxSide, Math.max(0, drawn.size)) * svgScale
    addWork(imageWork + measure.elements * elementWork + side * side * (pixelWork + measure.filterWork))
    const image = await drawSvg(drawn).catch(() => undefined)
    if (image !== undefined) for (const key of keys) images.set(key, image)
  }
  return images
}

function collectMarkers(layer: FeatureJobLayer, job: DrawJob, into: Map<string, SvgMarker<number>>): void {
  const { style, features } = layer
  const { rules, groups } = style
  if (!JSON.stringify([rules, groups?.symbol]).includes('"kind":"svg"')) return
  const grouped = prepareGroups(layer, job, () => undefined)
  for (const { context } of grouped?.features ?? [])
    for (const { symbolFor } of grouped?.style.symbolsOf(context) ?? []) addMarkers(symbolFor(context), into)
  const { symbolsOf } = prepareStyle(style, job)
  for (const [at, id] of features.ids.entries()) {
    const values = features.fields.map((name, field) => [name, features.columns[field]?.[at]])
    const context = { attributes: Object.fromEntries(values), id, scaleDenom: job.scaleDenom }
    for (const { symbolFor } of symbolsOf(context)) addMarkers(symbolFor(context), into)
  }
}

function addMarkers({ layers }: PixelSymbol, into: Map<string, SvgMarker<number>>): void {
  for (const layer of layers) {
    if (layer.kind === 'svg') into.set(svgKey(layer), layer)
    else if ('marker' in layer) addMarkers(layer.marker, into)
  }
}

async function drawSvg(marker: SvgMarker<number>): Promise<Surface | undefined> {
  const { source, size, aspectRatio } = marker
  if (!('svg' in source)) return undefined
  const svg = Buffer.from(withParameters(source.svg, marker))
  const { width: naturalWidth = 1, height: naturalHeight = 1 } = await sharp(svg, {
    // The size of the image is limited by its measure, and it is drawn in that of the marker.
    limitInputPixels: false,
  }).metadata()
  const ratio = aspectRatio > 0 ? aspectRatio : naturalHeight / naturalWidth
  const scale = Math.min(1, maxSide / (size * Math.max(1, ratio))) * svgScale
  const [width, height] = [Math.round(size * scale), Math.round(size * ratio * scale)]
  if (!(width > 0 && height > 0)) return undefined
  // Drawn at the density of the result, not scaled up.
  const density = Math.min(2400, Math.max(1, (72 * width) / naturalWidth))
  const { data } = await sharp(svg, { density })
    .resize(width, height, { fit: 'fill' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return premultiplied(data, width, height)
}

/** Creates a surface from pixels that are not premultiplied. */
export function premultiplied(straight: Uint8Array, width: number, height: number): Surface {
  const surface = createSurface(width, height)
  surface.bytes.set(straight)
  const { words } = surface
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0
    words[at] = scalePixel(word | 0xff000000, word >>> 24)
  }
  return surface
}

/** Replaces the parameters of SVG images of QGIS, such as `param(fill) #000`, by the values of a marker. */
function withParameters(svg: string, { fill, outline, outlineWidth, size }: SvgMarker<number>): string {
  const values: Readonly<Record<string, string>> = {
    fill: fill.slice(0, 7),
    outline: outline.slice(0, 7),
    'outline-width': String((outlineWidth * widthOf(svg)) / Math.max(1, size)),
    'fill-opacity': String(alphaOf(fill)),
    'outline-opacity': String(alphaOf(outline)),
  }
  return svg.replaceAll(/param\(([a-z-]+)\)[^"';]*/g, (all, name: string) => values[name] ?? all)
}

/** Width of an SVG image in its own units. */
function widthOf(svg: string): number {
  const start = Math.max(0, svg.indexOf('<svg'))
  const tag = svg.slice(start, start + maxTagLength).split('>', 1)[0] ?? ''
  const [, viewBox = ''] = /\sviewBox\s*=\s*["']([^"']*)/.exec(tag) ?? []
  const [, width] = /\swidth\s*=\s*["']\s*([\d.]+)/.exec(tag) ?? []
  return Number(viewBox.trim().split(/[\s,]+/)[2] ?? width) || 1
}

/** Maximum length of the start tag of an image, in characters. */
const maxTagLength = 4096

const alphaOf = (color: string) => (color.length > 7 ? Number.parseInt(color.slice(7, 9), 16) / 255 : 1)
