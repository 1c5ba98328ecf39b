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
