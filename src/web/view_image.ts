import type { Extent } from 'ol/extent'
import ImageSource from 'ol/source/Image'
import { mercatorHalfWorld, mercatorWorld } from '../geo/mercator.ts'
import type { Load } from './recovery.ts'
import { imageScale, imageUrl, loadImage } from './server_image.ts'

/** Options of one image of the whole view. */
export interface ViewImage {
  /** Resource to draw. */
  readonly id: number
  readonly load: Load
}

/** Creates the source of an image of the view, which the server draws at once and not as tiles. */
export function createViewImage({ id, load }: ViewImage): ImageSource {
  return new ImageSource({
    loader: (extent, resolution) =>
      new Promise((resolve, reject) => {
        load('view', async () => {
          try {
            resolve(await loadView(id, extent, resolution))
          } catch (error) {
            reject(error)
            throw error
          }
        })
      }),
  })
}

/** A part of a view that lies in one copy of the world. */
export interface ViewPart {
  /** Columns of the view, from the left. */
  readonly left: number
  readonly width: number
  /** In the world itself. */
  readonly extent: Extent
}

/** Divides a view at the antimeridian. */
export function divideView([minX = 0, minY = 0, maxX = 0, maxY = 0]: Extent, resolution: number): ViewPart[] {
  const parts: ViewPart[] = []
  const columnOf = (x: number) => Math.round((x - minX) / resolution)
  for (let copy = Math.floor((minX + mercatorHalfWorld) / mercatorWorld); ; copy += 1) {
    const west = copy * mercatorWorld - mercatorHalfWorld
    if (west >= maxX) return parts
    const left = Math.max(0, columnOf(west))
    const right = Math.min(columnOf(maxX), columnOf(west + mercatorWorld))
    const xOf = (column: number) => minX + column * resolution - copy * mercatorWorld
    if (right > left) parts.push({ left, width: right - left, extent: [xOf(left), minY, xOf(right), maxY] })
  }
}

/** Loads the image of a view in whole columns and rows, from the top left. */
async function loadView(id: number, view: Extent, resolution: number) {
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = view
  const columns = Math.ceil((maxX - minX) / resolution - tolerance)
  const rows = Math.ceil((maxY - minY) / resolution - tolerance)
  const extent = [minX, maxY - rows * resolution, minX + columns * resolution, maxY]
  const image = document.createElement('canvas')
  image.width = columns * imageScale
  image.height = rows * imageScale
  const pen = image.getContext('2d')
  const loads = divideView(extent, resolution).map(async ({ left, width, extent: part }) => {
    const query = { resource: id, extent: part.join(), size: `${width},${rows}` }
    const drawn = await loadImage(imageUrl('image', query))
    const [x, side, height] = [left, width, rows].map((length) => length * imageScale)
    if (drawn !== undefined) pen?.drawImage(drawn, x ?? 0, 0, side ?? 0, height ?? 0)
  })
  await Promise.all(loads)
  return { image, extent, resolution, pixelRatio: imageScale }
}

/** Rounding errors of positions, in pixels. */
const tolerance = 0.001
