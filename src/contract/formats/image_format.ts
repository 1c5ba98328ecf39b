/** Format of a rendered image. */
export type ImageFormat = 'png' | 'webp' | 'jpeg'

/** Media type of each format of rendered images. */
export const imageMediaTypes: Readonly<Record<ImageFormat, string>> = {
  png: 'image/png',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
}

/** Formats of rendered images, in the order of preference. */
export const imageFormats = Object.keys(imageMediaTypes) as readonly ImageFormat[]

/** Maximum width and height of an image in pixels, of its pixels as WebP or JPEG, and device pixels per pixel. */
export const imageLimits = { side: 8192, pixels: 2 ** 24, scale: 4 } as const

/** Whether an image shows labels, or nothing else. */
export const labelChoices = ['yes', 'no', 'only'] as const

/** Choice of labels. */
export type LabelChoice = (typeof labelChoices)[number]
