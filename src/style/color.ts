import { colorNames } from './color_names.ts'

/** A colour as `#rrggbb`, or with its alpha channel as `#rrggbbaa` unless it is opaque, lower case. */
export type Color = `#${string}`

/** Red, green, blue and alpha, each 0 to 255. */
export type Channels = readonly [red: number, green: number, blue: number, alpha: number]

/** Returns the colour of channels, rounded and clamped to 0 to 255. */
export function colorOf([red, green, blue, alpha = 255]: readonly [number, number, number, number?]): Color {
  const opaque = `#${[red, green, blue].map(hex).join('')}` as const
  return Math.round(alpha) >= 255 ? opaque : `${opaque}${hex(alpha)}`
}

/** Parses a colour such as `#AABBCC` or `#abc`; undefined if the string is not one. */
export function findColor(text: string): Color | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text)
  const long = short
    ? `#${short
        .slice(1)
        .map((digit) => digit + digit)
        .join('')}`
    : text
  return /^#[0-9a-f]{6}$/i.test(long) ? (long.toLowerCase() as Color) : undefined
}

/** Parses a colour of QGIS: `red,green,blue[,alpha]`, `#rgb`, `#rrggbb`, `#aarrggbb` or a name; undefined for others. */
export function findQtColor(text: string): Color | undefined {
  const trimmed = text.trim()
  if (trimmed.includes(',')) return findChannels(trimmed)
  const [, alpha, rest] = /^#([0-9a-f]{2})([0-9a-f]{6})$/i.exec(trimmed) ?? []
  if (alpha !== undefined && rest !== undefined)
    return fade(`#${rest.toLowerCase()}`, Number.parseInt(alpha, 16) / 255)
  const name = trimmed.toLowerCase()
  if (name === 'transparent') return '#00000000'
  const named = colorNames.get(name)
  return named === undefined ? findColor(trimmed) : `#${named}`
}

// Newer versions append the colour in full precision: `1,2,3,255,rgb:0.004,…`.
function findChannels(text: string): Color | undefined {
  const [red, green, blue, alpha = 255] = text
    .split(',')
    .slice(0, 4)
    .map((part) => (/^\s*\d{1,3}\s*$/.test(part) ? Number(part) : Number.NaN))
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [red, green, blue, alpha].every((channel) => channel <= 255)
    ? colorOf([red, green, blue, alpha])
    : undefined
}

/** Splits a colour into its channels. */
export function channelsOf(color: Color): Channels {
  const value = Number.parseInt(color.slice(1, 7), 16)
  return [
    value >> 16,
    (value >> 8) & 255,
    value & 255,
    color.length > 7 ? Number.parseInt(color.slice(7), 16) : 255,
  ]
}

/** Multiplies the alpha channel of a colour with an opacity of 0 to 1. */
export function fade(color: Color, opacity: number): Color {
  const [red, green, blue, alpha] = channelsOf(color)
  return colorOf([red, green, blue, alpha * opacity])
}

function hex(channel: number): string {
  return Math.min(255, Math.max(0, Math.round(channel)))
    .toString(16)
    .padStart(2, '0')
}
