import type { Extent } from 'ol/extent'
import ImageSource from 'ol/source/Image'
import { mercatorHalfWorld, mercatorWorld } from '../geo/mercator.ts'
import type { Load } from './recovery.ts'
import { imageUrl, loadImage } from './server_image.ts'

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
            resolve({ image: await loadView(id, extent, resolution), extent, resolution, pixelRatio: 1 })
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

async function loadView(id: number, extent: Extent, resolution: number): Promise<HTMLCanvasElement> {
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = extent
  const canvas = document.createElement('canvas')
  canvas.width = Math.round((maxX - minX) / resolution)
  canvas.height = Math.round((maxY - minY) / resolution)
  const pen = canvas.getContext('2d')
  const loads = divideView(extent, resolution).map(async ({ left, width, extent: part }) => {
    const size = `${width},${canvas.height}`
    const image = await loadImage(imageUrl('image', { resource: id, extent: part.join(), size }))
    if (image !== undefined) pen?.drawImage(image, left, 0)
  })
  await Promise.all(loads)
  return canvas
}
