import { type Color, colorOf, findColor } from './color.ts'
import { colorNames } from './color_names.ts'

/** Parses a colour of CSS: `#rgb[a]`, `#rrggbb[aa]`, `rgb()`, `rgba()`, `hsl()`, `hsla()`, or a name; undefined for others. */
export function findCssColor(text: string): Color | undefined {
  const color = text.trim().toLowerCase()
  if (color === 'transparent') return '#00000000'
  const named = colorNames.get(color)
  if (named !== undefined) return `#${named}`
  if (color.startsWith('#')) return findHex(color)
  const [, model, list = ''] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(color) ?? []
  if (model === undefined) return undefined
  const parts = list
    .split(/[\s,/]+/)
    .filter((part) => part !== '')
    .map(numberOf)
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN, alpha = 1] = parts.map(
    ({ value }) => value,
  )
  if (parts.length < 3 || parts.length > 4 || ![first, second, third, alpha].every(Number.isFinite))
    return undefined
  const opacity = Math.min(1, Math.max(0, alpha)) * 255
  if (model === 'hsl') return colorOf([...rgbOfHsl(first, second, third), opacity])
  const channel = (at: number, value: number) =>
    Math.min(255, Math.max(0, parts[at]?.isPercent ? value * 255 : value))
  return colorOf([channel(0, first), channel(1, second), channel(2, third), opacity])
}

/** Percentages are parts of 1. */
function numberOf(text: string): { readonly value: number; readonly isPercent: boolean } {
  const [, digits = '', unit = ''] = /^([+-]?(?:\d+\.?\d*|\.\d+))(%|deg)?$/.exec(text) ?? []
  const value = digits === '' ? Number.NaN : Number(digits)
  return unit === '%' ? { value: value / 100, isPercent: true } : { value, isPercent: false }
}

function findHex(color: string): Color | undefined {
  const [, short, alpha] = /^#([0-9a-f]{3})([0-9a-f])?$/.exec(color) ?? []
  if (short !== undefined) {
    const opaque = findColor(`#${short}`)
    return opaque && alpha !== undefined ? withAlpha(opaque, alpha + alpha) : opaque
  }
  const [, long, twoDigits] = /^(#[0-9a-f]{6})([0-9a-f]{2})?$/.exec(color) ?? []
  return long === undefined ? undefined : withAlpha(long as Color, twoDigits ?? 'ff')
}

const withAlpha = (color: Color, alpha: string): Color => (alpha === 'ff' ? color : `${color}${alpha}`)

/** Saturation and lightness are parts of 1. */
function rgbOfHsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const [s, l] = [Math.min(1, Math.max(0, saturation)), Math.min(1, Math.max(0, lightness))]
  const channel = (shift: number) => {
    const turn = (((shift + hue / 30) % 12) + 12) % 12
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(turn - 3, 9 - turn, 1)))
  }
  return [channel(0), channel(8), channel(4)]
}
