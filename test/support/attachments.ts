import sharp from 'sharp'
import { uploadContent } from './samples.ts'
import type { Ask, TestResponse } from './server.ts'

/** An attachment in a response. */
export interface WireAttachment {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly mime_type: string
  readonly description: string | null
  readonly is_image: boolean
}

/** Extensions of a feature in a response. */
export interface WireExtensions {
  readonly attachment: readonly WireAttachment[] | null
  readonly description: string | null
}

/** Creates a JPEG of one colour, with an EXIF orientation. */
export function makePhoto(
  options: { readonly width?: number; readonly height?: number; readonly orientation?: number } = {},
): Promise<Buffer> {
  const { width = 60, height = 40, orientation = 1 } = options
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .jpeg()
    .withExif({ IFD0: { Artist: 'photographer' } })
    .withMetadata({ orientation })
    .toBuffer()
}

/** Reads the metadata of an image. */
export async function readPhoto(answer: TestResponse) {
  const { width, height, format, exif, hasAlpha } = await sharp(await answer.arrayBuffer()).metadata()
  return { width, height, format, exif, hasAlpha }
}

/** A client for the attachments of one feature. */
export interface AttachmentClient {
  /** Path of the feature. */
  readonly feature: string
  readonly path: string
  /** Uploads content, attaches it, and returns the id. */
  attach(content: Uint8Array | string, more?: object): Promise<number>
  list(): Promise<WireAttachment[]>
  /** Reads the extensions of the feature. */
  extensions(query?: string): Promise<Partial<WireExtensions>>
}

/** Creates a client for the attachments of a feature. */
export function openAttachments(ask: Ask, layer: number, feature: number): AttachmentClient {
  const own = `/api/resource/${layer}/feature/${feature}`
  const path = `${own}/attachment/`
  return {
    feature: own,
    path,
    async attach(content, more = { name: 'file.bin' }) {
      const { id, size } = await uploadContent(ask, content)
      const answer = await ask('POST', path, { file_upload: { id, size }, ...more })
      const read = await answer.json<{ id: number; message?: string }>()
      if (answer.status !== 200) throw new Error(`${answer.status} ${read.message}`)
      return read.id
    },
    list: async () => (await ask('GET', path)).json(),
    extensions: async (query = '') => {
      const read = await (await ask('GET', own + query)).json<{ extensions: Partial<WireExtensions> }>()
      return read.extensions
    },
  }
}
