import { type Color, colorOf, fade, findColor } from './color.ts'
import { colorNames } from './color_names.ts'
import { findCssColor } from './css_color.ts'

/**
 * Parses a colour of QGIS: `red,green,blue[,alpha]`, `#rgb`, `#rrggbb`, `#aarrggbb` or a name, and `rgb()`, `rgba()`, `hsl()`,
 * `hsla()` as in CSS, which are written in expressions; undefined for others.
 */
export function findQtColor(text: string): Color | undefined {
  const trimmed = text.trim()
  if (trimmed.includes('(')) return findCssColor(trimmed)
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
