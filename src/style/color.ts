/** A colour as `#rrggbb`, lower case. */
export type Color = `#${string}`

/** Red, green and blue, each 0 to 255. */
export type Channels = readonly [red: number, green: number, blue: number]

/** Returns the colour of three channels, rounded and clamped to 0 to 255. */
export function colorOf([red, green, blue]: Channels): Color {
  return `#${[red, green, blue].map(hex).join('')}`
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
  const value = Number.parseInt(color.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function hex(channel: number): string {
  return Math.min(255, Math.max(0, Math.round(channel)))
    .toString(16)
    .padStart(2, '0')
}
