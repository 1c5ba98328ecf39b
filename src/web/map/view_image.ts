import type { Extent } from 'ol/extent'
import ImageSource from 'ol/source/Image'
import { mercatorHalfWorld, mercatorWorld } from '../../geo/mercator.ts'
import type { Load } from '../recovery.ts'
import { type ImageQuery, imageScale, imageUrl, loadImage, type ShownAt } from './server_image.ts'

/** Milliseconds for which a view rests before its image is requested: wheels and keys move the map in many steps. */
const restDuration = 200

/** Source of an image of the view, which the server draws at once and not as tiles. */
export class ViewImageSource extends ImageSource {
  /** Ends the request of the latest view. */
  #latest: AbortController | undefined
  /** Image that was loaded after a failure, and its view. */
  #recovered: { readonly view: View; readonly image: LoadedView } | undefined
  readonly #request: Load
  #name = ''
  #shownAt: ShownAt = () => undefined

  constructor(load: Load) {
    super({ loader: (extent, resolution) => this.#load({ extent, resolution }) })
    this.#request = load
  }

  /** Sets what the image shows, with a name of it. The image of earlier resources is shown until the new one is there. */
  setResources(name: string, shownAt: ShownAt): void {
    if (name === this.#name) return
    this.#name = name
    this.#shownAt = shownAt
    this.#latest?.abort()
    this.#recovered = undefined
    this.image = null
    this.changed()
  }

  /** Shows the image that was loaded after a failure. */
  showRecovered(): void {
    if (this.#recovered === undefined) return
    this.image = null
    this.changed()
  }

  /** Loads the image of a view, and cancels those of others. The promise of a cancelled image never settles. */
  #load(view: View): Promise<LoadedView> {
    const isFirst = this.#latest === undefined
    this.#latest?.abort()
    const recovered = this.#recovered
    this.#recovered = undefined
    if (recovered !== undefined && isSame(recovered.view, view)) return Promise.resolve(recovered.image)
    const latest = new AbortController()
    this.#latest = latest
    return new Promise((resolve, reject) => {
      const request = () => this.#request('view', () => this.#attempt(view, { latest, resolve, reject }))
      if (isFirst) return request()
      const timer = setTimeout(request, restDuration)
      latest.signal.addEventListener('abort', () => clearTimeout(timer))
    })
  }

  async #attempt(view: View, { latest: { signal }, resolve, reject }: Attempt): Promise<void> {
    try {
      const image = await loadView(this.#shownAt(view.resolution), view, signal)
      // The promise of an image that failed before is rejected.
      this.#recovered = { view, image }
      resolve(image)
    } catch (error) {
      if (signal.aborted) return
      reject(error)
      throw error
    }
  }
}

interface View {
  readonly extent: Extent
  readonly resolution: number
}

type LoadedView = Awaited<ReturnType<typeof loadView>>

interface Attempt {
  readonly latest: AbortController
  resolve(image: LoadedView): void
  reject(error: unknown): void
}

const isSame = (one: View, other: View) =>
  one.resolution === other.resolution && one.extent.join() === other.extent.join()

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
async function loadView(
  shown: ImageQuery | undefined,
  { extent: view, resolution }: View,
  signal: AbortSignal,
) {
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = view
  const columns = Math.ceil((maxX - minX) / resolution - tolerance)
  const rows = Math.ceil((maxY - minY) / resolution - tolerance)
  const extent = [minX, maxY - rows * resolution, minX + columns * resolution, maxY]
  const image = document.createElement('canvas')
  image.width = columns * imageScale
  image.height = rows * imageScale
  const pen = image.getContext('2d')
  const loads = divideView(extent, resolution).map(async ({ left, width, extent: part }) => {
    if (shown === undefined) return
    const query = { ...shown, extent: part.join(), size: `${width},${rows}` }
    const drawn = await loadImage(imageUrl('image', query), signal)
    const [x, side, height] = [left, width, rows].map((length) => length * imageScale)
    if (drawn !== undefined) pen?.drawImage(drawn, x ?? 0, 0, side ?? 0, height ?? 0)
  })
  await Promise.all(loads)
  return { image, extent, resolution, pixelRatio: imageScale }
}

/** Rounding errors of positions, in pixels. */
const tolerance = 0.001
