import type { LabelChoice } from '../../contract/formats/image_format.ts'
import { isShownAt, type MapLayer } from '../../style/map_layers.ts'
import { ask, RequestFault } from '../request.ts'

/** Parameters of the address of an image. */
export type ImageQuery = Readonly<Record<string, string | number>>

/** What images show: at a resolution in metres per pixel, the part of the query that says it; undefined for nothing. */
export type ShownAt = (resolution: number) => ImageQuery | undefined

/**
 * Returns what images of layers show, which are listed from top to bottom, and a name of it, which changes with their data. Nothing where the scale hides all
 * of them.
 */
export function shownLayers(
  layers: readonly MapLayer[],
  labels: LabelChoice,
): readonly [name: string, shownAt: ShownAt] {
  const more = labels === 'yes' ? {} : { labels }
  const shownAt = (resolution: number) => {
    const shown = layers.filter((layer) => isShownAt(layer, resolution))
    if (shown.length === 0) return undefined
    return {
      resource: shown
        .map(({ styleId }) => styleId)
        .reverse()
        .join(),
      ...more,
    }
  }
  return [`${layers.map(({ id, landform }) => `${id}@${landform.version}`)} ${labels}`, shownAt]
}

/** Pixels of images per pixel of the page: 2 on screens of high resolution, which scale images if they have other pixels. */
export const imageScale = devicePixelRatio > 1 ? 2 : 1

/** Returns the address of an image that the server draws. Empty images have no body. */
export function imageUrl(kind: 'tile' | 'image', query: ImageQuery): string {
  const entries = Object.entries({ ...query, ...(imageScale === 1 ? {} : { scale: imageScale }), nd: 204 })
  return `/api/component/render/${kind}?${entries.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/**
 * Loads an image; undefined if it is empty. An aborted signal cancels the request.
 *
 * @throws {RequestFault}
 */
export async function loadImage(url: string, signal?: AbortSignal): Promise<HTMLImageElement | undefined> {
  const response = await ask(url, signal === undefined ? {} : { signal })
  if (response.status === 204) return undefined
  const address = URL.createObjectURL(await response.blob())
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    return image
  } catch {
    throw new RequestFault('The server sent an image that is not valid.', { status: 502 })
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** Reports whether an image failed because of its layers, and not because of the network or a busy server. */
export function isOfLayers(error: unknown): boolean {
  if (!(error instanceof RequestFault)) return false
  const { status, code = '' } = error
  if (code === 'render/busy') return false
  // A fault of the server may be that of drawing one of the layers.
  if (code === 'server/internal') return true
  return (
    /^(render|external)\//.test(code) || (status >= 400 && status < 500 && status !== 408 && status !== 429)
  )
}

/** Problems of a resource that last until somebody changes it, at all places. */
const lastingCodes: readonly (string | undefined)[] = [
  'render/unsupported',
  'external/refused',
  'external/table',
  'external/query',
  'secret/unreadable',
  'resource/not-found',
]

/** Reports whether the server has no means to draw the resource, at any place. */
export function isUndrawable(error: unknown): boolean {
  return error instanceof RequestFault && lastingCodes.includes(error.code)
}
