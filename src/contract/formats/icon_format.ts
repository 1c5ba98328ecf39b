/** Image formats of icons, with the extensions of their files. */
export const iconFormats = ['png', 'jpeg', 'gif', 'webp', 'svg'] as const

/** Image format of an icon, which is also the extension of its file. */
export type IconFormat = (typeof iconFormats)[number]

/** First bytes of the formats in hexadecimal; a dot stands for any digit. */
const signatures: Readonly<Record<Exclude<IconFormat, 'svg'>, RegExp>> = {
  png: /^89504e470d0a1a0a/,
  jpeg: /^ffd8ff/,
  gif: /^474946383[79]61/,
  webp: /^52494646.{8}57454250/,
}

/** XML declaration, comments and document type in front of the element `svg`. */
const svgStart = /^(?:\s|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?\s*>)*<(?:svg:)?svg[\s>/]/s

/** Number of bytes that determine the format. */
const headSize = 4096

/** Detects the format of an image by its first bytes; undefined if icons do not support it. */
export function detectIconFormat(bytes: Uint8Array): IconFormat | undefined {
  const head = bytes.subarray(0, headSize)
  const start = [...head.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const found = Object.entries(signatures).find(([, signature]) => signature.test(start))
  if (found !== undefined) return found[0] as IconFormat
  return svgStart.test(new TextDecoder().decode(head)) ? 'svg' : undefined
}
