import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { LRUCache } from 'lru-cache'
import type { Color } from '../../style/color.ts'
import type { MarkerText } from '../draw/text_marker.ts'
import { overPixel, pixelOf, scalePixel } from '../raster/pixel.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { inkColor, setFont } from './canvas_font.ts'
import type { LabelImage, LabelPen } from './label_pen.ts'
import { type LabelFace, moveLabel, type PlacedLabel, type TextExtent } from './placed_label.ts'

/** Limits of caches, and of the pixels of a label. */
const limits = { extents: 20_000, images: 4000, imageBytes: 32 * 2 ** 20, pixels: 2 ** 22 }

/** Size at which text is measured: large, so that rounding does not matter. */
const measuredSize = 100

/**
 * A canvas that is used again and again: the memory of those that are dropped is free only after the image is complete, and
 * new ones take four times as long.
 */
const scratch = createCanvas(1, 1)

/** Returns the empty context of a canvas with a size. */
function clear(canvas: Canvas, { width, height }: ImageSize): SKRSContext2D {
  canvas.width = width
  canvas.height = height
  return canvas.getContext('2d')
}

/** Creates a pen that draws with Skia. Sizes of texts and images of labels are cached. */
export function createCanvasPen(): LabelPen {
  const context = createCanvas(1, 1).getContext('2d')
  const extents = new LRUCache<string, TextExtent>({ max: limits.extents })
  const find = (text: string, face: LabelFace): TextExtent => {
    const { family, weight, isItalic, size, letterSpacing } = face
    const key = `${weight} ${isItalic} ${letterSpacing / size} ${family}\n${text}`
    const known = extents.get(key)
    if (known !== undefined) return known
    const extent = measureText(context, text, face)
    extents.set(key, extent)
    return extent
  }
  const images = new LRUCache<string, Surface>({
    max: limits.images,
    maxSize: limits.imageBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 500,
  })
  return {
    measure: (text, face) => {
      const extent = isSeparate(text) ? sumOf(text, face, find) : find(text, face)
      const { width, ascent, descent, inkAscent, inkDescent } = extent
      const { size } = face
      return {
        ...{ width: width * size, ascent: ascent * size, descent: descent * size },
        ...{ inkAscent: inkAscent * size, inkDescent: inkDescent * size },
      }
    },
    draw: (label, pixelRatio) => {
      const { local, left, top, width, height } = cropLabel(label, pixelRatio)
      if (!(width > 0 && height > 0 && width * height <= limits.pixels)) return undefined
      const { box: _, anchor: __, callout: ___, ...key } = local
      const name = JSON.stringify([key, width, height, pixelRatio])
      const surface = images.get(name) ?? drawLabel(local, { width, height })
      images.set(name, surface)
      return { surface, left, top } satisfies LabelImage
    },
    drawText: drawMarkerText,
  }
}

/** Letters that neither join nor change beside others; their widths are known from other texts. */
const separate =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{N}\p{P} ]*$/u

const isSeparate = (text: string) => separate.test(text)

/** Adds up the widths of letters: without kerning, which is a fraction of a pixel, but a tenth of the time. */
function sumOf(
  text: string,
  face: LabelFace,
  find: (text: string, face: LabelFace) => TextExtent,
): TextExtent {
  let [width, ascent, descent] = [0, 0, 0]
  let [inkAscent, inkDescent] = [-Infinity, -Infinity]
  for (const letter of text) {
    const extent = find(letter, face)
    width += extent.width
    ascent = Math.max(ascent, extent.ascent)
    descent = Math.max(descent, extent.descent)
    if (letter === ' ') continue
    inkAscent = Math.max(inkAscent, extent.inkAscent)
    inkDescent = Math.max(inkDescent, extent.inkDescent)
  }
  return { width, ascent, descent, inkAscent, inkDescent }
}

/** Measures a text for a font of size 1. */
function measureText(context: SKRSContext2D, text: string, face: LabelFace): TextExtent {
  const factor = face.size / measuredSize
  setFont(context, { ...face, size: measuredSize }, text)
  context.letterSpacing = `${face.letterSpacing / factor}px`
  const measured = context.measureText(text)
  return {
    width: Math.max(0, measured.width / measuredSize),
    ascent: measured.fontBoundingBoxAscent / measuredSize,
    descent: measured.fontBoundingBoxDescent / measuredSize,
    inkAscent: measured.actualBoundingBoxAscent / measuredSize,
    inkDescent: measured.actualBoundingBoxDescent / measuredSize,
  }
}

/** Space around a label for letters that extend beyond their boxes, as a part of the size of the font. */
const overhang = 0.3

/** Parts of a device pixel to which positions are rounded. */
const fractions = 8

interface CroppedLabel {
  /** The label in device pixels from the corner of its image. */
  readonly local: PlacedLabel
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Finds the pixels that a label covers. Horizontal labels begin at whole device pixels, where letters are sharpest. */
function cropLabel(label: PlacedLabel, ratio: number): CroppedLabel {
  const scaled = scaleLabel(label, ratio)
  const [first] = scaled.runs
  const isUpright = scaled.runs.every(({ angle }) => angle === 0)
  const step = isUpright ? 1 : fractions
  const [x, y] = [first?.x ?? 0, first?.y ?? 0]
  const snapped = moveLabel(scaled, Math.round(x * step) / step - x, Math.round(y * step) / step - y)
  const margin = overhang * scaled.face.size + 2
  const [minX, minY, maxX, maxY] = snapped.box
  const [left, top] = [Math.floor(minX - margin), Math.floor(minY - margin)]
  const moved = moveLabel(snapped, -left, -top)
  const runs = moved.runs.map((run) => ({
    ...run,
    x: rounded(run.x),
    y: rounded(run.y),
    angle: rounded(run.angle),
  }))
  return {
    local: { ...moved, runs },
    ...{ left, top, width: Math.ceil(maxX + margin) - left, height: Math.ceil(maxY + margin) - top },
  }
}

// Equal labels have equal keys, whatever their distance from the corner of the image.
const rounded = (value: number) => Math.round(value * 1024) / 1024

function scaleLabel(label: PlacedLabel, ratio: number): PlacedLabel {
  if (ratio === 1) return label
  const { runs, face, buffer, box, anchor } = label
  return {
    ...label,
    runs: runs.map((run) => ({ ...run, x: run.x * ratio, y: run.y * ratio })),
    face: { ...face, size: face.size * ratio, letterSpacing: face.letterSpacing * ratio },
    ...(buffer ? { buffer: { ...buffer, size: buffer.size * ratio } } : {}),
    box: [box[0] * ratio, box[1] * ratio, box[2] * ratio, box[3] * ratio],
    anchor: [anchor[0] * ratio, anchor[1] * ratio],
  }
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

function drawLabel(label: PlacedLabel, size: ImageSize): Surface {
  const surface = createSurface(size.width, size.height)
  const { buffer, color } = label
  if (buffer !== undefined)
    // As a whole: strokes of adjacent letters overlap, and must not become darker there.
    paintInk(surface, buffer.color, (context) => strokeRuns(context, label, 2 * buffer.size))
  paintInk(surface, color, (context) => eachRun(context, label, (text) => context.fillText(text, 0, 0)))
  return surface
}

/** Draws letters around their middle, horizontally that of their width, vertically half the height of the font above its baseline. */
function drawMarkerText(
  { text, font, fill, stroke, size, x, y, angle, opacity, offset }: MarkerText,
  imageSize: ImageSize,
): Surface {
  const surface = createSurface(imageSize.width, imageSize.height)
  const place = (context: SKRSContext2D) => {
    setFont(context, { ...font, size }, text)
    const { width: advance, fontBoundingBoxAscent } = context.measureText(text)
    const turn = (angle * Math.PI) / 180
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
    context.setTransform(cos, sin, -sin, cos, x, y)
    return [offset[0] - advance / 2, offset[1] + Math.round(fontBoundingBoxAscent) / 2] as const
  }
  paintInk(surface, [fill, opacity], (context) => context.fillText(text, ...place(context)))
  if (stroke !== undefined && stroke.width > 0)
    paintInk(surface, [stroke.color, opacity], (context) => {
      context.lineWidth = stroke.width
      context.lineJoin = stroke.join
      context.strokeText(text, ...place(context))
    })
  return surface
}

/** Paints what is drawn, evenly in a colour, over a surface. */
function paintInk(
  surface: Surface,
  color: Color | readonly [color: Color, opacity: number],
  draw: (context: SKRSContext2D) => void,
): void {
  const context = clear(scratch, surface)
  context.fillStyle = inkColor
  context.strokeStyle = inkColor
  draw(context)
  const ink = scratch.data()
  const pixel = typeof color === 'string' ? pixelOf(color) : pixelOf(...color)
  const { words } = surface
  for (let at = 0; at < words.length; at += 1) {
    const alpha = ink[4 * at + 3] ?? 0
    if (alpha !== 0) words[at] = overPixel(scalePixel(pixel, alpha), words[at] ?? 0)
  }
}

/** Step of the widths of strokes under a wide one, in pixels. */
const strokeStep = 4

/** Strokes letters. A stroke that is wider than a bend of a letter has gaps beside it, which narrower ones fill. */
function strokeRuns(context: SKRSContext2D, label: PlacedLabel, width: number): void {
  context.lineJoin = 'round'
  eachRun(context, label, (text) => {
    for (let narrower = width; narrower > 0; narrower -= strokeStep) {
      context.lineWidth = narrower
      context.strokeText(text, 0, 0)
    }
  })
}

function eachRun(context: SKRSContext2D, { runs, face }: PlacedLabel, draw: (text: string) => void): void {
  context.textBaseline = 'alphabetic'
  context.textAlign = 'left'
  context.letterSpacing = `${face.letterSpacing}px`
  for (const { text, x, y, angle } of runs) {
    setFont(context, face, text)
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    context.setTransform(cos, sin, -sin, cos, x, y)
    draw(text)
  }
  context.resetTransform()
}
