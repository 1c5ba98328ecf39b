import sharp from 'sharp'
import { uploadContent } from './samples.ts'
import type { Ask, TestResponse } from './server.ts'

/** An attachment, as answers have it. */
export interface WireAttachment {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly mime_type: string
  readonly description: string | null
  readonly is_image: boolean
}

/** What features have beside, as answers have it. */
export interface WireExtensions {
  readonly attachment: readonly WireAttachment[] | null
  readonly description: string | null
}

/** Makes a picture of one colour; its orientation says how it is to be turned, as cameras write it. */
export function makePhoto(
  options: { readonly width?: number; readonly height?: number; readonly orientation?: number } = {},
): Promise<Buffer> {
  const { width = 60, height = 40, orientation = 1 } = options
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .jpeg()
    .withExif({ IFD0: { Artist: 'the one who took it' } })
    .withMetadata({ orientation })
    .toBuffer()
}

/** Reads what a picture is. */
export async function readPhoto(answer: TestResponse) {
  const { width, height, format, exif, hasAlpha } = await sharp(await answer.arrayBuffer()).metadata()
  return { width, height, format, exif, hasAlpha }
}

/** Asks about the attachments of one feature. */
export interface AttachmentClient {
  /** Path of the feature. */
  readonly feature: string
  readonly path: string
  /** Uploads content and attaches it; gives the id. */
  attach(content: Uint8Array | string, more?: object): Promise<number>
  list(): Promise<WireAttachment[]>
  /** What the feature says of itself. */
  extensions(query?: string): Promise<Partial<WireExtensions>>
}

/** Opens a client of the attachments of a feature. */
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
