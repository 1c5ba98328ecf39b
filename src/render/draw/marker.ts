import {
  blitSprite,
  cutSprite,
  type Sprite,
  SpriteCache,
  spritePhases,
  spritePosition,
} from '../raster/sprite.ts'
import { createSurface, releaseSurface } from '../raster/surface.ts'
import { type Canvas, createCanvas } from './canvas.ts'
import type { PixelLayer, PixelSymbol } from './pixel_symbol.ts'
import { drawSimpleMarker, type MarkerPlace, simpleMarkerReach, snapMarker } from './simple_marker.ts'
import { drawSvgMarker, type SvgImages, svgKey, svgMarkerReach } from './svg_marker.ts'
import { drawTextMarker, type TextPen, textMarkerReach } from './text_marker.ts'

/** Maximum size of a sprite in pixels; larger markers are drawn one by one. The sprites of all steps fit into the cache. */
const maxSpriteSize = 288

/** Work of each marker, and of each sprite that is drawn, in pixels. */
const markerWork = 32
const spriteWork = 512

/** Angles of rotated sprites, in degrees. */
const angleStep = 2

/** What markers need that the canvas cannot draw. */
export interface MarkerTools {
  readonly images?: SvgImages | undefined
  readonly textPen?: TextPen | undefined
}

/** Draws marker symbols on a canvas, each appearance once. */
export class MarkerPen {
  readonly #canvas: Canvas
  readonly #sprites: SpriteCache
  readonly #tools: MarkerTools
  readonly #upright = new WeakMap<PixelSymbol, UprightSprites>()

  constructor(canvas: Canvas, sprites = new SpriteCache(), tools: MarkerTools = {}) {
    this.#canvas = canvas
    this.#tools = tools
    this.#sprites = sprites
  }

  /** Returns a pen that draws the same images and letters on another canvas. */
  on(canvas: Canvas): MarkerPen {
    return new MarkerPen(canvas, new SpriteCache(), this.#tools)
  }

  /** Draws a symbol at a position. */
  drawUpright(symbol: PixelSymbol, x: number, y: number): void {
    const { layers } = symbol
    const [layer] = layers
    if (layers.length > 1 && layers.some(isSnapped))
      for (const one of layers) this.drawUpright(markerSymbol(symbol, one), x, y)
    else if (layer !== undefined && isSnapped(layer)) this.#drawAt(symbol, ...snapMarker(layer, x, y))
    else this.#drawAt(symbol, x, y)
  }

  /** Returns how far a symbol reaches from its position, in pixels. */
  reachOf(symbol: PixelSymbol): number {
    return this.#uprightOf(symbol).reach
  }

  /** Counts work, in pixels. */
  readonly count = (work: number): void => this.#canvas.addWork?.(work)

  /** Counts the work of markers that reach some pixels from their positions. */
  addWork(markers: number, reach = 0): void {
    const { surface, addWork } = this.#canvas
    const area = Math.min(surface.width * surface.height, (2 * reach) ** 2)
    addWork?.(markers * (markerWork + area))
  }

  #drawAt(symbol: PixelSymbol, x: number, y: number): void {
    const upright = this.#uprightOf(symbol)
    const { width, height } = this.#canvas.surface
    const { reach, sprites } = upright
    // Also true for positions that are not numbers.
    if (!(x > -reach && y > -reach && x < width + reach && y < height + reach)) return
    if (2 * reach > maxSpriteSize) {
      this.draw(symbol, [x, y])
      return
    }
    this.addWork(1, reach)
    const position = spritePosition(x, y)
    const phase = position.phaseY * spritePhases + position.phaseX
    const sprite = sprites[phase] ?? this.#findSprite(symbol, { ...position, reach, angle: 0 })
    sprites[phase] = sprite
    blitSprite(this.#canvas.surface, sprite, position)
  }

  /** Draws a symbol at a position, rotated clockwise by an angle in degrees. */
  draw(symbol: PixelSymbol, [x, y]: readonly [x: number, y: number], angle = 0): void {
    const { width, height } = this.#canvas.surface
    const { reach } = this.#uprightOf(symbol)
    if (!(x > -reach && y > -reach && x < width + reach && y < height + reach)) return
    this.addWork(1, reach)
    if (2 * reach > maxSpriteSize) {
      this.#drawLayers(this.#canvas, symbol, { x, y, angle, opacity: opacityOf(symbol) })
      return
    }
    const position = spritePosition(x, y)
    const rounded = Math.round(angle / angleStep) * angleStep
    const sprite = this.#findSprite(symbol, { ...position, reach, angle: rounded })
    blitSprite(this.#canvas.surface, sprite, position)
  }

  #findSprite(symbol: PixelSymbol, { phaseX, phaseY, reach, angle }: SpriteRequest): Sprite {
    const { key: symbolKey, counted } = this.#uprightOf(symbol)
    const place = `${phaseX} ${phaseY} ${angle}`
    // Also where an earlier image left the sprite in the cache: the same image takes the same work always.
    if (!counted.has(place)) {
      counted.add(place)
      this.#canvas.addWork?.(spriteWork + (2 * reach) ** 2)
    }
    const key = `${place} ${symbolKey}`
    const shift = [phaseX / spritePhases, phaseY / spritePhases] as const
    return this.#sprites.get(key, () =>
      this.#drawSprite(symbol, { reach, shift, angle, opacity: opacityOf(symbol) }),
    )
  }

  #drawSprite(symbol: PixelSymbol, { reach, shift, angle, opacity }: SpriteOptions): Sprite {
    const centre = Math.ceil(reach) + 1
    const surface = createSurface(2 * centre + 1, 2 * centre + 1)
    const place = { x: centre + shift[0], y: centre + shift[1], angle, opacity }
    this.#drawLayers(createCanvas(surface), symbol, place)
    const sprite = cutSprite(surface, centre)
    releaseSurface(surface)
    return sprite
  }

  #drawLayers(canvas: Canvas, { layers }: PixelSymbol, place: MarkerPlace): void {
    for (const marker of layers) {
      if (marker.kind === 'marker') drawSimpleMarker(canvas, marker, place)
      else if (marker.kind === 'svg')
        drawSvgMarker(canvas, { image: this.#tools.images?.get(svgKey(marker)), marker, place })
      else if (marker.kind === 'text') drawTextMarker(canvas, marker, { pen: this.#tools.textPen, place })
    }
  }

  #uprightOf(symbol: PixelSymbol): UprightSprites {
    const known = this.#upright.get(symbol)
    if (known !== undefined) return known
    const reach = markerReach(symbol, this.#tools.images)
    const upright = { key: JSON.stringify(symbol), reach, sprites: [], counted: new Set<string>() }
    this.#upright.set(symbol, upright)
    return upright
  }
}

/** What is computed once for a symbol: most markers are not rotated. */
interface UprightSprites {
  readonly key: string
  readonly reach: number
  /** By step within the pixel. */
  readonly sprites: Sprite[]
  /** Steps and angles of sprites whose work is counted. */
  readonly counted: Set<string>
}

interface SpriteRequest {
  readonly phaseX: number
  readonly phaseY: number
  readonly reach: number
  readonly angle: number
}

const isSnapped = (layer: PixelLayer): layer is PixelLayer & { readonly kind: 'marker' } =>
  layer.kind === 'marker' && layer.isSnapped === true

const layerSymbols = new WeakMap<PixelSymbol, Map<PixelLayer, PixelSymbol>>()

/** Returns the symbol with only one of its layers: always the same object, so that its sprites are found. */
export function markerSymbol(symbol: PixelSymbol, layer: PixelLayer): PixelSymbol {
  if (symbol.layers.length === 1) return symbol
  const singles = layerSymbols.get(symbol) ?? new Map<PixelLayer, PixelSymbol>()
  layerSymbols.set(symbol, singles)
  const single = singles.get(layer) ?? { ...symbol, layers: [layer] }
  singles.set(layer, single)
  return single
}

const opacityOf = ({ opacity }: PixelSymbol) => Math.min(1, Math.max(0, opacity))

/** Returns how far a marker symbol reaches from its position, in pixels; at most, if its images are not known. */
export function markerReach({ layers }: PixelSymbol, images?: SvgImages): number {
  return layers.reduce((most, layer) => Math.max(most, layerReach(layer, images)), 0)
}

function layerReach(layer: PixelLayer, images: SvgImages | undefined): number {
  if (layer.kind === 'marker') return simpleMarkerReach(layer)
  if (layer.kind === 'text') return textMarkerReach(layer)
  return layer.kind === 'svg' ? svgMarkerReach(layer, images?.get(svgKey(layer))) : 0
}

interface SpriteOptions {
  readonly reach: number
  readonly shift: readonly [x: number, y: number]
  readonly angle: number
  readonly opacity: number
}
