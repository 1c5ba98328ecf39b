import sharp from 'sharp'

/** How an image is encoded. */
export interface MapEncoding {
  readonly format: 'image/png' | 'image/jpeg' | 'image/webp'
  /** Whether pixels without content are transparent, if the format has transparency. */
  readonly isTransparent: boolean
  /** Colour behind the image, as `#rrggbb`. */
  readonly background: string
}

/** An encoded image. */
export interface EncodedMap {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Encodes an image in PNG in another form. A transparent PNG remains as it is. */
export async function encodeMap(
  png: Uint8Array,
  { format, isTransparent, background }: MapEncoding,
): Promise<EncodedMap> {
  const isOpaque = !isTransparent || format === 'image/jpeg'
  if (format === 'image/png' && !isOpaque) return { bytes: png, mediaType: format }
  // The size of images is limited where they are drawn.
  const options = { limitInputPixels: false } as const
  const image = isOpaque ? sharp(png, options).flatten({ background }) : sharp(png, options)
  const encoders = {
    'image/png': () => image.png({ compressionLevel: 6 }),
    'image/jpeg': () => image.jpeg({ quality: 90, chromaSubsampling: '4:4:4' }),
    'image/webp': () => image.webp({ lossless: true, effort: 1 }),
  }
  return { bytes: await encoders[format]().toBuffer(), mediaType: format }
}

/** Size of the text in pixels: its height, the mean width of a letter and the distance of lines. */
const letter = { height: 13, width: 7.5, line: 18 }

/** A message as an image. */
export interface MessageImage {
  readonly width: number
  readonly height: number
  readonly encoding: MapEncoding
}

/** Draws a message, as far as it fits; an empty message is an empty image. */
export async function drawMessage(
  message: string,
  { width, height, encoding }: MessageImage,
): Promise<EncodedMap> {
  const columns = Math.max(1, Math.floor((width - letter.height) / letter.width))
  const rows = Math.max(1, Math.floor((height - letter.height) / letter.line))
  const lines = wrapText(message, columns).slice(0, rows)
  const spans = lines.map(
    (line, at) => `<text x="6" y="${(at + 1) * letter.line}">${escapeText(line)}</text>`,
  )
  const style = `font-family="DejaVu Sans, sans-serif" font-size="${letter.height}" fill="#a00000"`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g ${style}>${spans.join('')}</g></svg>`
  return encodeMap(await sharp(Buffer.from(svg)).png().toBuffer(), encoding)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids these characters
const forbidden = /[&<>\u0000-\u001f\ufffe\uffff]/g

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escapeText = (text: string) => text.replace(forbidden, (character) => escapes[character] ?? '\ufffd')

/** Breaks text into lines, at spaces where possible. */
function wrapText(text: string, columns: number): string[] {
  const lines: string[] = []
  const pieces = new RegExp(`.{1,${columns}}`, 'gsu')
  for (const word of text.split(/\s+/).flatMap((long) => long.match(pieces) ?? [])) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
